//! What is wrong with an SA file, and what is only doubtful.

use std::fmt;

use esp_core::config::ConfigError;
use serde::Serialize;

/// One fault, with its place. Never shows what may be a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// Line and column, counted from 1; column in characters.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The field, where one is at fault.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
}

/// Something that is legal but should be known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Note {
    /// Line of the SA, counted from 1; `None` of the whole file.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl Fault {
    pub(super) fn new(line: usize, column: usize, field: &str, message: impl Into<String>) -> Self {
        let field = (!field.is_empty()).then(|| field.to_owned());
        Self { line, column, field, message: message.into() }
    }
}

impl From<&ConfigError> for Fault {
    fn from(error: &ConfigError) -> Self {
        let sa = match (error.sa(), error.name()) {
            (Some(index), Some(name)) => format!("SA {index} {name:?}: "),
            (Some(index), None) => format!("SA {index}: "),
            (None, _) => String::new(),
        };
        let field = error.field().map(|field| format!("{sa}{field}"));
        let message =
            if field.is_none() { format!("{sa}{}", error.message()) } else { error.message().to_owned() };
        Self { line: error.line(), column: error.column(), field, message }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
