//! The file that a command reads, or standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, stdin};
use std::path::Path;

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// Returns the name of an input for messages.
pub(crate) fn name(file: &Path) -> String {
    if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() }
}

/// Opens a file, or standard input if it is `-`.
pub(crate) fn open(file: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(if is_stdin(file) { Box::new(stdin().lock()) } else { Box::new(BufReader::new(File::open(file)?)) })
}
