//! Text tables: columns as wide as their cells, numbers to the right.

/// Where a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table that grows by rows and is printed at the end.
#[derive(Debug)]
pub(crate) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Row>,
}

#[derive(Debug)]
enum Row {
    Cells(Vec<String>),
    Rule,
}

impl Table {
    /// A table with one heading a column; a unit belongs into the heading.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let headings = columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let aligns = columns.iter().map(|(_, align)| *align).collect();
        Self { aligns, rows: vec![Row::Cells(headings), Row::Rule] }
    }

    /// Adds a row; cells that are missing at its end stay empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    /// Adds a line across.
    pub(crate) fn rule(&mut self) {
        self.rows.push(Row::Rule);
    }

    /// The table as lines of text.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        let across = widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
        let lines = self.rows.iter().map(|row| match row {
            Row::Rule => "-".repeat(across),
            Row::Cells(cells) => self.line(cells, &widths),
        });
        lines.map(|line| line + "\n").collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.aligns.len()];
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let columns = cells.iter().zip(widths).zip(&self.aligns);
        let padded = columns.map(|((cell, &width), align)| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}

const GAP: &str = "  ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&[("name", Align::Left), ("ns", Align::Right)]);
        table.row(["a".to_owned(), "12,345".to_owned()]);
        table.rule();
        table.row(["longer".to_owned()]);
        let lines = ["name        ns", "--------------", "a       12,345", "--------------", "longer", ""];
        assert_eq!(table.render(), lines.join("\n"));
    }
}
