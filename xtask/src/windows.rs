//! Tests the program for Windows in Wine, as people use it.
//!
//! The machine has no GPU, the program lies in a folder whose name has a space and an umlaut, and its output goes to files. Neither
//! Windows itself nor GPUs on Windows are tested.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    Result, archive, bundle, metadata,
    platform::{Platform, WINDOWS as TARGET},
    root, shipped,
    steps::{cargo, command, step},
    system::{self, WINE},
};

const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// The name of the program, which calls itself as an engine.
const PROGRAM: &str = "kogge.exe";

/// The libraries of Wine that are hidden: the loaders of OpenCL, Vulkan and DX12, and what asks to install .NET and a browser.
const HIDDEN: &str = "opencl,vulkan-1,winevulkan,d3d12,mscoree,mshtml=";

/// The time for a call. The longest one takes a tenth of it on two cores.
const PATIENCE: Duration = Duration::from_secs(300);

/// The maximum number of leaves of a count in a suite.
const MOST: &str = "20000000";

/// How often a call is repeated if Wine kills it. In Wine 8, a thread that Wine ends while the C library holds its lock for loading
/// leaves the lock held, and the end of the process waits for it, until the server of Wine kills the process after half a second. One
/// in fifteen calls with threads ends like this. In a process with PoCL, which replaces Wine's handler of SIGQUIT, Wine ends the process
/// with that signal. On Windows there are no signals.
const REPETITIONS: usize = 5;

/// Calls: the arguments, the input, the exit code, and texts in what the program prints.
const CALLS: &[(&[&str], &str, i32, &[&str])] = &[
    (&["devices"], "", 0, &["cpu            0", "mailbox        0"]),
    (&["perft", "3", "--device", "opencl:0"], "", 3, &["error: The opencl backend cannot be used", DRIVER]),
    (&["perft", "3", "--device", "wgpu:0"], "", 3, &["error: The wgpu backend cannot be used", DRIVER]),
    (&["perft", "5", "--raw"], "", 0, &["Nodes searched: 4865609"]),
    (&["perft", "6", "--hash", "64M"], "", 0, &["Nodes searched: 119060324"]),
    (&["divide", "3"], "", 0, &["e2e4: 600", "Nodes searched: 8902"]),
    (
        &["stats", "4"],
        "",
        0,
        &["    4  197281      1576     0        0           0     469           0       0      8"],
    ),
    (&["unique", "4"], "", 0, &["  4               72078          9825"]),
    (&["best", "4", "--fen", MATE], "", 0, &["Score: mate in 1", "Line: h5f7", "Nodes searched: 1290383"]),
    (&["estimate", "9", "--lines", "1000", "--seed", "1"], "", 0, &["2.4"]),
    (&["position", "show", "kiwipete"], "", 0, &["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R"]),
    (&["perft", "5", "--fen", "nonsense"], "", 2, &["error: The text \"nonsense\" is neither a FEN nor the name"]),
    (&["ledger", "fehlt.ledger"], "", 2, &["error: There is no ledger in fehlt.ledger"]),
    (&["suite", "fehlt.epd"], "", 2, &["error: "]),
    (&["suite", "-", "--quiet"], WRONG, 1, &["expected 401, found 400", "0 passed, 1 failed"]),
    (&["suite", "-", "--quiet"], RIGHT, 0, &["1 passed, 0 failed"]),
    (&["diff", "4", "--against", "mailbox"], "", 0, &["No difference down to depth 4", "197281"]),
    (&["diff", "2", "--against", "engine:fehlt.exe"], "", 3, &["error: ", "fehlt.exe"]),
    (&["uci"], "uci\nisready\nposition startpos moves e2e4\ngo depth 5\n", 0, &["uciok", "readyok", "bestmove "]),
    (&["uci"], "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\ngo perft 1\nquit\n", 0, &["e1g1: 1", "searched: 15"]),
    (&["uci"], "go infinite\nquit\n", 0, &["bestmove "]),
    (&["selfcheck", "--seconds", "2", "--seed", "1"], "", 0, &["system     windows x86_64", "Everything agrees."]),
    (&["man", "--dir", "."], "", 0, &[]),
    (&["completions", "powershell"], "", 0, &["Register-ArgumentCompleter"]),
];

const DRIVER: &str = "Install or update your GPU's driver";
const MATE: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
const RIGHT: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D2 400\r\n";
const WRONG: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D2 401\r\n";

/// Builds the program and runs all checks.
pub(crate) fn test() -> Result {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("The program for Windows is tested in Wine only on x86-64 Linux.".into());
    }
    step("tools for Windows", || {
        Platform::new(Some(TARGET.to_owned()))?.provide()?;
        system::provide(&[WINE])
    })?;
    let program = step("program for Windows", || {
        let build = cargo("build").args(["--release", "--package", "kogge-cli", "--bin", "kogge", "--target", TARGET]);
        build.run().and_then(|()| Ok(metadata::target()?.join(TARGET).join("release").join(PROGRAM)))
    })?;
    let wine = step("Wine", || Wine::new(&program))?;
    step("calls", || CALLS.iter().try_for_each(|&(words, input, code, says)| wine.says(words, input, code, says)))?;
    step("variants of the CPU code", || wine.variants())?;
    step("merged counts", || shipped::merged(|| wine.kogge(&[])))?;
    step("engines", || wine.engines())?;
    step("ledgers", || wine.ledgers())?;
    step("Ctrl-C", || wine.interrupts())?;
    step("memory and cache", || wine.memory().and_then(|()| wine.cache()))
}

/// The folder with the program, in which all calls run, and a Wine of its own.
struct Wine {
    folder: PathBuf,
    prefix: PathBuf,
}

/// What a call answers: its exit code, and its output before its messages.
struct Answer {
    code: Option<i32>,
    text: String,
}

impl Wine {
    fn new(program: &Path) -> Result<Self> {
        let place = metadata::target()?.join("windows");
        let folder = archive::folder(&place, "Programme für Schach")?;
        let wine = Self { folder, prefix: place.join("wine") };
        fs::copy(program, wine.folder.join(PROGRAM))?;
        let library = wine.folder.join("bcryptprimitives.dll");
        let compiler = command(COMPILER).args(["-shared", "-O1", "xtask/src/windows/bcryptprimitives.c", "-o"]);
        compiler.arg(library).arg("-ladvapi32").run()?;
        // The first call makes the files of a new prefix, which takes twenty seconds.
        wine.says(&["--version"], "", 0, &["kogge "]).map(|()| wine)
    }

    /// Returns a call of a program in the folder.
    fn command(&self, program: &str) -> Command {
        let mut call = Command::new(program);
        call.current_dir(&self.folder).stdin(Stdio::null());
        for variable in ["DISPLAY", "KOGGE_CACHE_DIR", "KOGGE_CPU", "KOGGE_OPENCL_LIBRARY"] {
            call.env_remove(variable);
        }
        // Without a locale for Unicode, Wine cannot open files whose names have umlauts.
        call.envs([("LC_ALL", "C.UTF-8"), ("WINEDEBUG", "-all"), ("WINEDLLOVERRIDES", HIDDEN)]);
        call.env("WINEPREFIX", &self.prefix);
        call
    }

    fn kogge(&self, words: &[&str]) -> Command {
        let mut call = self.command("wine");
        call.arg(PROGRAM).args(words);
        call
    }

    /// Runs a call to its end; its output and its messages go to files.
    fn answer(&self, call: &mut Command, input: &str) -> Result<Answer> {
        let files = ["Ausgabe.txt", "Meldungen.txt"].map(|name| self.folder.join(name));
        call.stdout(File::create(&files[0])?).stderr(File::create(&files[1])?).stdin(Stdio::piped());
        let mut child = call.spawn()?;
        // A program that refuses its arguments may end before it reads its input.
        let _ = child.stdin.take().map(|mut to| to.write_all(input.as_bytes()));
        let is_over = within(PATIENCE, || Ok(child.try_wait()?.is_some()))?;
        if !is_over {
            end(child)?;
            return Err(format!("{call:?} did not end within {PATIENCE:?}.").into());
        }
        let code = child.wait()?.code();
        Ok(Answer { code, text: fs::read_to_string(&files[0])? + &fs::read_to_string(&files[1])? })
    }

    /// Checks the exit code of a call, and that its output or its messages have all these texts.
    fn says(&self, words: &[&str], input: &str, code: i32, texts: &[&str]) -> Result {
        self.expect(&mut self.kogge(words), input, code, texts).map(drop)
    }

    fn expect(&self, call: &mut Command, input: &str, code: i32, texts: &[&str]) -> Result<String> {
        let words: Vec<_> = call.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        eprintln!("$ wine {}", words.join(" "));
        let mut answer = self.answer(call, input)?;
        for _ in 0..REPETITIONS {
            if answer.code.is_some() {
                break;
            }
            eprintln!("Wine killed the program; again:");
            answer = self.answer(call, input)?;
        }
        if answer.code == Some(code) && texts.iter().all(|wanted| answer.text.contains(wanted)) {
            return Ok(answer.text);
        }
        let Answer { code: found, text } = answer;
        let should = format!("`{}` should end with exit code {code} and print {texts:?}", words.join(" "));
        Err(format!("{should}. Its exit code was {found:?}, and it printed: {text}").into())
    }

    /// Checks published counts by all variants that this CPU can run.
    fn variants(&self) -> Result {
        let names = self.expect(self.kogge(&["perft", "1"]).env("KOGGE_CPU", "none"), "", 3, &["choose one of "])?;
        let (_, names) = names.split_once("choose one of ").ok_or("The variants are not named.")?;
        let (names, _) = names.split_once('.').ok_or("The variants are not named.")?;
        fs::write(self.folder.join("bekannte Zählungen.epd"), bundle::suite())?;
        for data in ["random.epd", "chess960.epd"] {
            fs::copy(root().join("board/data").join(data), self.folder.join(data))?;
        }
        for variant in names.split(", ") {
            for (file, most) in [("bekannte Zählungen.epd", MOST), ("random.epd", MOST), ("chess960.epd", "300000")] {
                let mut suite = self.kogge(&["suite", file, "--quiet", "--max-nodes", most]);
                self.expect(suite.env("KOGGE_CPU", variant), "", 0, &[" 0 failed", " 0 broken"])?;
            }
            let mut merged = self.kogge(&["perft", "7", "--memory", "1G"]);
            self.expect(merged.env("KOGGE_CPU", variant), "", 0, &["Nodes searched: 3195901860"])?;
            eprintln!("The variant {variant} is right.");
        }
        Ok(())
    }

    /// Compares the program with itself as an engine, and checks that an engine ends with the program that started it.
    fn engines(&self) -> Result {
        let engine = format!("engine:\"Z:{}\" uci", self.folder.join(PROGRAM).display()).replace('/', "\\");
        self.says(&["diff", "4", "--against", &engine], "", 0, &["No difference down to depth 4", "197281"])?;
        let check = ["check", &engine, "--seconds", "10", "--seed", "1"];
        self.says(&check, "", 0, &["No fault was found", "rules without a fault"])?;
        // The program has its own counts within seconds, and then waits minutes for the engine, which does not notice its end.
        let slow = engine + " --backend mailbox";
        let mut call = self.kogge(&["diff", "7", "--against", &slow, "--backend", "cpu"]);
        let child = call.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        if !within(PATIENCE, || Ok(self.running()? == 2))? {
            return Err("`kogge diff` did not start the engine.".into());
        }
        sleep(Duration::from_secs(5));
        end(child)?;
        match within(Duration::from_secs(10), || Ok(self.running()? == 0))? {
            true => Ok(()),
            false => Err("An engine went on when the program that had started it was killed.".into()),
        }
    }

    /// Returns how many copies of the program run.
    fn running(&self) -> Result<usize> {
        let here = |process: &fs::DirEntry| fs::read_link(process.path().join("cwd")).is_ok_and(|at| at == self.folder);
        let is_program = |process: &fs::DirEntry| {
            fs::read(process.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(PROGRAM))
        };
        Ok(fs::read_dir("/proc")?.flatten().filter(|process| here(process) && is_program(process)).count())
    }

    /// Kills runs in the middle, resumes them, exports the ledger, and counts it again.
    fn ledgers(&self) -> Result {
        let ledger = "Zählung 5.ledger";
        let run = ["run", "5", "--fen", "kiwipete", "--ledger", ledger, "--raw", "--lease", "1", "--quiet"];
        let mut before = 0;
        for _ in 0..3 {
            let child = self.kogge(&[&run[..], &["--backend", "mailbox"]].concat()).spawn()?;
            let goes_on = within(PATIENCE, || Ok(self.done(ledger).is_ok_and(|done| done > before)))?;
            end(child)?;
            if !goes_on {
                return Err(format!("No entry of {ledger} was counted after {before}.").into());
            }
            before = self.done(ledger)?;
            eprintln!("Killed when {before} entries were counted.");
        }
        self.says(&run, "", 0, &["Nodes searched: 193690690"])?;
        self.says(&["ledger", ledger, "--check"], "", 0, &["Every checksum is right."])?;
        self.says(&["ledger", ledger, "--verify", "1%"], "", 0, &["All have the count that is in the ledger."])?;
        self.says(&["ledger", ledger, "--export", "Einträge.csv"], "", 0, &["entries are in Einträge.csv."])?;
        self.says(&["run", "6", "--ledger", "6.ledger", "--plies", "4"], "", 0, &["Nodes searched: 119060324"])
    }

    /// Returns the number of counted entries of a ledger.
    fn done(&self, ledger: &str) -> Result<u64> {
        let answer = self.answer(&mut self.kogge(&["ledger", ledger, "--json"]), "")?;
        let shown: Value = serde_json::from_str(answer.text.lines().next().unwrap_or_default())?;
        Ok(shown["done"].as_u64().ok_or("The ledger does not say how many entries are counted.")?)
    }

    /// Presses Ctrl-C in a console. The program `script` makes the terminal, and Wine the console in it.
    fn interrupts(&self) -> Result {
        let mut call = self.command("script");
        let line = format!("wine {PROGRAM} perft 13 --raw --backend mailbox > Ausgabe.txt 2> Meldungen.txt");
        let mut child = call.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        within(PATIENCE, || Ok(self.running()? > 0))?;
        sleep(Duration::from_secs(3));
        child.stdin.as_mut().ok_or("There is no input.")?.write_all(b"\x03")?;
        if !within(Duration::from_secs(10), || Ok(child.try_wait()?.is_some()))? {
            end(child)?;
            return Err("Ctrl-C does not stop the program.".into());
        }
        let (code, said) = (child.wait()?.code(), fs::read_to_string(self.folder.join("Meldungen.txt"))?);
        eprintln!("Ctrl-C: {}", said.trim());
        match code {
            // 137: Wine killed it at its end.
            Some(130 | 137) if said.contains("Stopped on request") => Ok(()),
            code => Err(format!("After Ctrl-C, the exit code is {code:?}, and the program says: {said}").into()),
        }
    }

    /// Compares the memory for merged plies with what Linux reports. Wine's drive C has no /proc that the program could read.
    fn memory(&self) -> Result {
        let mut call = self.command("wine");
        call.arg(self.folder.join(PROGRAM)).current_dir(self.prefix.join("drive_c"));
        let plan = self.answer(call.args(["perft", "12", "--plan", "--json"]), "")?;
        let plan: Value = serde_json::from_str(&plan.text)?;
        let given = plan["plan"]["memory"].as_u64().ok_or("The plan does not name its memory.")?;
        let system = fs::read_to_string("/proc/meminfo")?;
        let line = system.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap_or_default();
        let available: u64 = line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024;
        eprintln!("Merged plies may take {} MiB of {} MiB.", given >> 20, available >> 20);
        match (available / 4..available / 4 * 3).contains(&given) {
            true => Ok(()),
            false => Err("The memory for merged plies is not half of the available memory.".into()),
        }
    }

    /// Checks that a long merged count leaves its costs in the user's cache folder.
    fn cache(&self) -> Result {
        let users = fs::read_dir(self.prefix.join("drive_c/users"))?.flatten();
        let files: Vec<_> = users.map(|user| user.path().join("AppData/Local/kogge/costs.json")).collect();
        for file in files.iter().filter(|file| file.exists()) {
            fs::remove_file(file)?;
        }
        self.says(&["perft", "8", "--backend", "cpu"], "", 0, &["Nodes searched: 84998978956"])?;
        match files.iter().any(|file| file.exists()) {
            true => Ok(()),
            false => Err("There is no costs.json in the folder kogge of %LOCALAPPDATA%.".into()),
        }
    }
}

/// Waits until `is_true`, at most for this time.
fn within(wait: Duration, mut is_true: impl FnMut() -> Result<bool>) -> Result<bool> {
    let start = Instant::now();
    while !is_true()? {
        if start.elapsed() > wait {
            return Ok(false);
        }
        sleep(Duration::from_millis(20));
    }
    Ok(true)
}

/// Kills a call.
fn end(mut child: Child) -> Result {
    child.kill()?;
    Ok(child.wait().map(drop)?)
}
