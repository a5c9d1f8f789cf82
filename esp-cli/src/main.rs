//! The `esp` program: all of it is in the library beside it, where fuzz targets reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    esp_cli::run()
}
