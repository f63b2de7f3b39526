//! Tests bad input, missing devices and interruptions: one clear sentence, the right exit code, no panic.

use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::support::processes::{interrupted, seconds_computed};
use crate::support::{Run, command, kogge, without_devices, words};

#[test]
fn bad_input_is_named_in_one_sentence() {
    let long = "8".repeat(10_000);
    for (line, reason) in [
        // FENs.
        ("perft 1 --fen \"\"", "The FEN is empty"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKKNR w KQkq - 0 1\"", "2 white kings"),
        ("perft 1 --fen \"rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\"", "0 black kings"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNP w Qkq - 0 1\"", "pawn on h1"),
        ("perft 1 --fen \"rnbqkbnP/ppppppp1/8/8/8/8/PPPPPPP1/RNBQKBNR w KQq - 0 1\"", "pawn on h8"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"", "There are 17 white pieces"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKB1R w KQkq - 0 1\"", "There are 9 white pawns"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/4R3/4K3 w - - 0 1\"", "black king is in check"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/4K3 w K - 0 1\"", "there is no rook for K on rank 1"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/4K3 w - e6 0 1\"", "e6 is impossible"),
        (&format!("perft 1 --fen {long}"), "has 1 field; expected six"),
        ("perft 1 --fen \"\u{1}\u{2}\u{fffd}/8 w - - 0 1\"", "ranks"),
        ("position show \"nonsense\"", "the names are startpos, kiwipete, pos3, pos4, pos5, pos6"),
        ("perft 1 --fen pos7", "\"pos7\" is neither a FEN nor the name of a position"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq\"", "3 fields"),
        ("perft 1 --fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0\"", "5 fields"),
        ("perft 1 --quiet --verbose", "cannot be used with"),
        // Depths.
        ("perft 300", "from 0 to 128"),
        ("perft 129", "from 0 to 128"),
        ("perft -1", "unexpected argument"),
        ("perft five", "from 0 to 128"),
        ("perft +5", "from 0 to 128"),
        ("perft 99999999999999999999", "from 0 to 128"),
        ("perft", "<DEPTH>"),
        // Moves.
        ("perft 1 --moves e2e4 e7e5 e1e3", "Move number 3"),
        ("perft 1 --moves \"1. e2e4 e7e5 2. e1e3\"", "Move number 3"),
        ("perft 1 --moves 1.", "--moves has no move"),
        ("position show --moves \" \"", "--moves has no move"),
        ("perft 1 --moves 1", "\"1\" is not a move"),
        ("perft 1 --moves e2e5", "\"e2e5\" is not legal"),
        ("perft 1 --moves Ke2", "\"Ke2\" is not legal"),
        ("perft 1 --moves hello", "\"hello\" is not a move"),
        ("perft 1 --fen \"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1\" --moves e1h2", "\"e1h2\" is not legal"),
        ("perft 1 --moves", "a value is required"),
        // Games.
        ("perft 1 --pgn /nowhere/x.pgn", "/nowhere/x.pgn cannot be read"),
        ("perft 1 --game 2", "--pgn <FILE>"),
        ("perft 1 --fen kiwipete --pgn x.pgn", "cannot be used with"),
        ("position show kiwipete --pgn x.pgn", "cannot be used with"),
        // Packed positions.
        ("position unpack --format circle32 00", "exactly 32 bytes; 1 were given"),
        ("position unpack --format circle32 0", "1 hex digits"),
        ("position unpack --format circle32 xyz", "Character 1 of the bytes is 'x'"),
        ("position unpack --format circle33 00", "circle32"),
        (&format!("position unpack --format quad48 {}", "0".repeat(96)), "0 white kings"),
        (&format!("position unpack --format quad48 {}", "f".repeat(96)), "contradict"),
        (&format!("position unpack --format pieces38 {long}"), "5000 were given"),
        ("position unpack --format circle32 00 --castling xx", "four files"),
        // Everything else.
        ("perft 1 --backend gpu", "[possible values: auto, cpu, mailbox, opencl, wgpu]"),
        ("perft 1 --threads 0", "from 1 to 4096"),
        ("perft 1 --hash 0", "at least 1024 bytes, such as 256M or 1G"),
        ("perft 1 --hash 12X", "such as 256M or 1G"),
        ("perft 1 --hash +1G", "such as 256M or 1G"),
        ("perft 1 --hash 99999999999999T", "at most 18446744073709551615 bytes, such as 256M or 1G"),
        ("perft 1 --hash 1G --backend mailbox", "The mailbox backend has no hash table"),
        ("perft 1 --hash 1G --backend opencl", "The opencl backend has no hash table"),
        ("divide 1 --hash 1G --backend wgpu", "The wgpu backend has no hash table"),
        ("stats 1 --hash 1G", "unexpected argument"),
        (
            "perft 12 --memory 1K",
            "do not fit in 1024 bytes, not even in parts; give more memory, such as --memory 256M",
        ),
        ("unique 5 --memory 1K", "do not fit in 1024 bytes"),
        ("estimate 9 --plies 5 --memory 1M", "do not fit in 1048576 bytes"),
        ("estimate 9 --error 0", "expected a share"),
        ("estimate 9 --lines 0", "0 is not in 1.."),
        ("perft 5 --memory 1", "at least 1024 bytes, such as 256M or 1G"),
        ("perft 5 --memory 100MX", "expected a size such as 256M or 1G"),
        ("perft 5 --memory 1G --hash 1G", "no plies are merged"),
        ("perft 5 --plies 2 --hash 1G", "cannot be used with"),
        ("perft 5 --raw --plan", "cannot be used with"),
        ("perft 5 --raw --memory 1G", "cannot be used with"),
        ("perft 5 --ranges 0", "1..=65536"),
        ("perft 5 --plies 129", "from 0 to 128"),
        ("perft 60 --fen \"8/8/8/4k3/8/8/8/4K3 w - - 0 1\"", "exceeds 2^128"),
        ("perft 1 --threads 1000000", "from 1 to 4096"),
        ("perft 1 --backend cpu --device 7", "no device 7 of the cpu backend"),
        ("perft 1 --device 0", "such as --device opencl:1"),
        ("tune --backend cpu", "The cpu backend has nothing to tune"),
        ("tune --seconds 0", "1..=86400"),
        ("diff 1 --against nobody", "expected a backend"),
        ("diff 1 --against cpu:x", "expected a backend"),
        ("diff 1 --against engine:", "expected a command"),
        ("diff 1 --against \"script: \"", "expected a command"),
        ("diff 1", "--against"),
        ("suite no-such-file.epd", "The suite in no-such-file.epd could not be read"),
        ("suite .", "could not be read"),
        ("suite x.epd --max-nodes -1", "unexpected argument"),
        ("man --dir no-such-folder/at/all", "could not be written to"),
        ("completions tcsh", "possible values"),
    ] {
        let Run { code, stdout, stderr } = kogge(&words(line));
        assert_eq!(code, 2, "kogge {line:.200}: {stderr}");
        assert!(stderr.contains(reason), "kogge {line:.200}: {stderr}");
        assert_eq!(stdout, "", "kogge {line:.200}");
        assert!(stderr.len() < 1500 && !stderr.contains("panicked"), "kogge {line:.200}: {stderr}");
    }
}

#[test]
fn no_command_at_all_shows_the_usage() {
    let Run { code, stdout, stderr } = kogge(&[]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("Usage: kogge") && stderr.contains("perft"), "{stderr}");
}

#[test]
fn our_own_complaints_are_one_line() {
    for line in ["perft 1 --fen x", "perft 1 --moves x", "position unpack --format quad48 x", "perft 1 --device 1"] {
        let stderr = kogge(&words(line)).stderr;
        let sentence = stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("{stderr}"));
        assert!(sentence.ends_with(".\n") && sentence.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn missing_devices_are_device_failures() {
    for (line, reason) in [
        ("perft 1 --hash 8000000T", "ran out of memory making a hash table of"),
        ("perft 1 --backend opencl", "The opencl backend cannot be used: "),
        ("diff 1 --against opencl:2", "The opencl backend cannot be used: "),
        #[cfg(target_os = "linux")]
        ("perft 1 --backend wgpu", "The wgpu backend cannot be used: there is no Vulkan device. Install "),
        #[cfg(target_os = "linux")]
        ("diff 1 --against wgpu:0", "The wgpu backend cannot be used: "),
        ("diff 1 --against engine:no-such-engine-anywhere", "could not be started"),
        ("diff 1 --against script:no-such-script-anywhere", "could not be started"),
    ] {
        let run = without_devices(&words(line)).output();
        let Run { code, stdout, stderr } = run.expect("kogge starts").into();
        assert_eq!((code, stdout.as_str()), (3, ""), "kogge {line}: {stderr}");
        assert!(stderr.contains(reason) && stderr.lines().count() == 1, "kogge {line}: {stderr}");
    }
}

#[test]
fn a_program_that_is_no_engine_is_an_error_in_time() {
    // Without arguments, kogge prints its usage and exits, so it is not a UCI engine.
    let engine = format!("engine:\"{}\"", env!("CARGO_BIN_EXE_kogge"));
    let Run { code, stderr, .. } = kogge(&["diff", "1", "--against", &engine, "--patience", "5"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("ended when it was greeted"), "{stderr}");
}

/// Closes the pipe before kogge has printed everything.
#[test]
fn a_closed_pipe_is_no_error() {
    for line in ["divide 4", "position show", "completions bash", "suite ../board/data/random.epd --max-nodes 10000"] {
        let mut child = command(&words(line))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "kogge {line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = Run::from(command(&["perft", "3"]).stdout(full).stderr(Stdio::piped()).output().unwrap());
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("output could not be written"), "{}", run.stderr);
}

/// Counting every leaf needs a frontier and one slice for each ply below it, as documented.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_depth() {
    for depth in ["9", "128"] {
        let mut child = command(&["perft", depth, "--raw", "--backend", "cpu", "--threads", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Both times are CPU times of the process, so they do not depend on the machine's load; the peak covers the
        // whole run so far.
        let mut peaks = Vec::new();
        for seconds in [1, 2] {
            while seconds_computed(child.id()) < seconds {
                assert_eq!(child.try_wait().unwrap(), None, "perft {depth} ended");
                std::thread::sleep(Duration::from_millis(20));
            }
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
            peaks.push(peak.trim().strip_suffix(" kB").expect("kB").parse::<u64>().unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(peaks.iter().all(|&kibibytes| kibibytes < 64 << 10), "perft {depth} took {peaks:?} KiB");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_estimate_is_told() {
    let (Run { code, stdout, stderr }, _) =
        interrupted(&words("estimate 7 --plies 4 --error 1e-9 --json"), Duration::from_secs(5));
    assert_eq!(code, 130, "{stderr}");
    assert!(
        stderr.starts_with("Stopped on request; the estimate comes from ") && stderr.ends_with(" lines.\n"),
        "{stderr}"
    );
    assert!(stdout.starts_with("{\"command\":\"estimate\"") && stdout.contains("\"stopped\":true"), "{stdout}");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_work_says_how_far_it_was() {
    // `bench` stops only after a count, and counts are longer with a longer time limit.
    for line in [
        "perft 12",
        "divide 12",
        "stats 12",
        "diff 12 --against mailbox",
        "perft 12 --backend mailbox",
        "bench --backend cpu --seconds 60",
    ] {
        // On a busy machine, a call of a device may last longer than the program waits for it. Then the program is interrupted again, later.
        let in_a_call = |run: &Run| run.stderr.contains("while a device call was still running");
        let mut runs =
            [500, 2_000, 8_000].map(Duration::from_millis).into_iter().map(|after| interrupted(&words(line), after));
        let run = runs.find(|(run, _)| !in_a_call(run));
        let (Run { code, stdout, stderr }, took) =
            run.unwrap_or_else(|| panic!("kogge {line} never says how far it was"));
        assert_eq!((code, stdout.as_str()), (130, ""), "kogge {line}: {stderr}");
        assert!(stderr.starts_with("Stopped on request: ") && stderr.ends_with("; there is no result.\n"), "{stderr}");
        assert_eq!(line.starts_with("bench"), stderr.contains(" % of the measurement was done; "), "{stderr}");
        assert!(took < Duration::from_secs(10), "kogge {line} took {took:?} to stop");
    }
}
