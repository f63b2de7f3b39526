//! The page of measurements, docs/report. A script makes and checks it.

use std::path::{PathBuf, absolute};

use crate::{Result, python, steps::command};

const SCRIPT: &str = "xtask/report/report.py";
const FOLDER: &str = "docs/report";

/// Makes the page from the files in its folder, after copying new files into it.
pub(crate) fn run(files: &[PathBuf]) -> Result {
    let files = files.iter().map(absolute).collect::<std::io::Result<Vec<_>>>()?;
    let python = python::environment("report", &["matplotlib>=3.8,<4"])?;
    command(python).args([SCRIPT, FOLDER]).args(files).run()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::{archive, metadata, root};

    fn check(folder: &Path, new: &[&Path]) -> std::result::Result<(), String> {
        let script = command(python::interpreter()).args([SCRIPT, "--check"]).arg(folder).args(new);
        script.output().map(drop).map_err(|error| error.to_string())
    }

    /// Copies the page to an empty folder of this name.
    fn page(name: &str) -> PathBuf {
        let folder = metadata::target().expect("metadata").join("tmp").join(name);
        let _ = fs::remove_dir_all(&folder);
        archive::copy_folder(&root().join(FOLDER), &folder).expect("it can be copied");
        folder
    }

    #[test]
    fn the_page_and_its_pictures_are_those_of_their_data() {
        assert_eq!(check(Path::new(FOLDER), &[]), Ok(()));
        for (file, old, new, reason) in [
            ("README.md", "2.00 T (8;", "3.00 T (8;", "README.md is not that of its data"),
            ("raw-gpu.svg", "2.00 T (depth 8)", "3.00 T (depth 8)", "raw-gpu.svg lacks `2.00 T (depth 8)`"),
            ("deep.tsv", "\t108.7", "", "Line 4 of"),
            ("several.tsv", "\t4\t", "\tfour\t", "Line 5 of"),
            ("rivals.tsv", "https://", "", "Line 4 of"),
            ("rivals.tsv", "\traw\t", "\tcooked\t", "Line 4 of"),
            ("h100.json", "\"packing\"", "\"parking\"", "h100.json is not an answer of kogge bench --json"),
            ("h100.json", "\"bench\"", "\"perft\"", "h100.json is not an answer of kogge bench --json"),
            ("h100.json", "\"subject\":0", "\"subject\":9", "h100.json is not an answer of kogge bench --json"),
        ] {
            let folder = page("report-changed");
            let text = fs::read_to_string(folder.join(file)).expect("a file");
            assert!(text.contains(old), "{file} has no {old}");
            fs::write(folder.join(file), text.replacen(old, new, 1)).expect("it can be written");
            let error = check(&folder, &[]).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_measurement_has_a_name_of_its_own_and_a_note_is_on_a_measurement() {
        let folder = page("report-new");
        let [new, old] = ["new", "old"].map(|name| archive::folder(&folder, name).expect("a folder"));
        let refused = |files: &[&Path], reason: &str| {
            let error = check(&folder, files).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        };
        for file in ["h100.json", "core.json", "bench.txt"] {
            fs::copy(folder.join("h100.json"), new.join(file)).expect("it can be copied");
            fs::write(old.join(file), "{}").expect("it can be written");
        }
        assert!(check(&folder, &[&new.join("h100.json"), &new.join("h100.json")]).is_ok(), "it is there already");
        refused(&[&new.join("core.json")], "README.md is not that of its data");
        refused(&[&new.join("bench.txt")], "the name of a measurement ends in .json");
        refused(&[&old.join("h100.json")], "have the same name and differ");
        refused(&[&new.join("core.json"), &old.join("core.json")], "have the same name and differ");
        refused(&[&old.join("core.json")], "is not an answer of kogge bench --json");
        refused(&[&old.join("none.json")], "could not be read");
        fs::write(folder.join("h100.txt"), "One row is wrong.").expect("it can be written");
        refused(&[], "README.md is not that of its data");
        fs::rename(folder.join("h100.txt"), folder.join("other.txt")).expect("it can be renamed");
        refused(&[], "is a note on a missing measurement");
    }
}
