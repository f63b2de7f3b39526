//! Watches processes of kogge while they run, and interrupts them.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Run, without_devices};

/// Returns how long a process has computed, in whole seconds: the sum over its threads.
pub fn seconds_computed(process: u32) -> u64 {
    /// Linux reports times in hundredths of a second.
    const UNITS: u64 = 100;
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name in parentheses may have spaces. Fields 14 and 15 are the times in user and system mode.
    let (_, fields) = text.rsplit_once(')').expect("a name");
    let times = fields.split_whitespace().skip(11).take(2);
    times.map(|time| time.parse::<u64>().unwrap()).sum::<u64>() / UNITS
}

/// Before the handler is installed, while devices are opened, an interrupt ends a process without a message.
fn wait_until_interrupts_are_caught(process: u32) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        if u64::from_str_radix(caught.unwrap_or_default().trim(), 16).is_ok_and(|signals| signals & 1 << 1 != 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no interrupt is caught");
}

/// Interrupts a command a while after it began to work. Returns how long it took to stop, too.
pub fn interrupted(arguments: &[&str], after: Duration) -> (Run, Duration) {
    // A GPU driver may install its own handler before kogge does.
    let mut child = without_devices(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_interrupts_are_caught(child.id());
    std::thread::sleep(after);
    let start = Instant::now();
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap();
    let took = start.elapsed();
    let run = Run::from(child.wait_with_output().unwrap());
    // Notes say how long the work will take, and that it is about to stop.
    let stderr = run.stderr.split_inclusive('\n').filter(|line| !line.starts_with("note: ")).collect();
    (Run { stderr, ..run }, took)
}
