//! Runs the real binary.

#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(unreachable_pub, reason = "each test file is a crate of its own")]

#[cfg(unix)]
pub mod kills;
#[cfg(target_os = "linux")]
pub mod processes;

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
pub const CHESS960: &str = "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9";

/// The result of running kogge.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("kogge writes UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        // Whether work takes more than two seconds, or half a second to stop, depends on what else the machine does.
        let is_report = |line: &&str| {
            ["note: After ", "note: Stopping as soon as "].iter().any(|start| line.starts_with(start))
                || line.ends_with(" so far.\n")
        };
        let stderr = stderr.split_inclusive('\n').filter(|line| !is_report(line)).collect();
        Self { code: output.status.code().unwrap_or(-1), stdout, stderr }
    }
}

/// Removes the time to open the device from a line. Only on a busy machine does it take so long that kogge names it.
pub fn without_opening(line: &str) -> String {
    match line.split_once(", after ").map(|(before, rest)| (before, rest.split_once(" s to open the device"))) {
        Some((before, Some((_, after)))) => format!("{before}{after}"),
        _ => line.to_owned(),
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kogge"));
    // The user's tuned options are neither used nor changed.
    command.args(arguments).env("KOGGE_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Returns a command that finds no GPUs: the paths of the OpenCL library and of the Vulkan drivers name no files.
pub fn without_devices(arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    hide_devices(&mut command);
    command
}

/// Hides all GPUs from a process.
pub fn hide_devices(command: &mut Command) {
    for variable in ["KOGGE_OPENCL_LIBRARY", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/no/such/file");
    }
}

pub fn kogge(arguments: &[&str]) -> Run {
    command(arguments).stdin(Stdio::null()).output().expect("kogge starts").into()
}

/// Runs kogge with this standard input.
pub fn kogge_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kogge starts");
    if let Err(error) = child.stdin.take().expect("a pipe").write_all(input) {
        // A program that refuses its arguments may end before it reads its input.
        assert_eq!(error.kind(), ErrorKind::BrokenPipe, "{error}");
    }
    child.wait_with_output().expect("kogge ends").into()
}

/// Splits a line into arguments; quotes keep spaces.
pub fn words(line: &str) -> Vec<&str> {
    let pieces = line.split('"').enumerate();
    pieces
        .flat_map(|(index, piece)| if index % 2 == 1 { vec![piece] } else { piece.split_whitespace().collect() })
        .collect()
}

impl Run {
    /// Returns the standard output of a run without errors.
    #[track_caller]
    pub fn answer(self, line: &str) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "kogge {line}: {}", self.stdout);
        self.stdout
    }

    /// Returns the JSON objects of the standard output, one per line.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
    }
}
