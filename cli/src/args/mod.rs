//! Defines every flag once, for parsing, help, man page and completions.

mod values;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use kogge::{BackendName, Format};

pub(crate) use self::values::{CastlingFiles, Chess960, Devices, LedgerLocation, Opponent, Quiescence, sensible};
use self::values::{castling_files, depth, format, share, size, threads, uci_option};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the answer is no: a suite line failed, or a difference or a fault was found
  2    the call or the input was wrong
  3    a device, an engine, or the output failed
  130  stopped with Ctrl-C, SIGTERM or SIGHUP; standard error says how far the work was";

// As texts below the options, these leave the help short: one above them would put an empty line between any two options.
const KINDS: &str = "\
Captures include en passant. Checks include mates. A check is discovered if exactly one piece gives it and this piece has not moved; in \
castling, king and rook have moved. A check is double if two pieces give it; then it is not counted as discovered. A mate counts as a \
check, too, discovered or double if it is.";
const ESTIMATING: &str = "\
The first plies are merged and exact. Below them, random lines are followed, and the last three plies of each are counted. The estimate \
is unbiased. Equal seeds give equal estimates on every device, for equal numbers of lines from the same ply.";

const CHECK_HELP: &str = "\
About two thousand positions come first, which test every rule of chess; random positions follow until the time is over. Depths grow with \
the program's speed. At a wrong answer, kogge walks down to the first wrong position, makes it smaller, names the rule, and goes on.";

/// Counts chess trees, exactly, on CPUs and GPUs.
#[derive(Debug, Parser)]
#[command(name = "kogge", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// The backend: cpu, opencl or wgpu (GPUs), mailbox (a plain generator, to check the others), or auto, the best one that works
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", hide_possible_values = true, help_heading = COMPUTE)]
    pub(crate) backend: BackendName,
    /// The device, such as opencl:1 or cpu, or with --backend its number; `kogge devices` lists them
    #[arg(long, global = true, value_name = "DEVICE", help_heading = COMPUTE)]
    pub(crate) device: Option<Devices>,
    /// The maximum number of CPU threads [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = threads, help_heading = COMPUTE)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print JSON; cli/JSON.md describes it
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print only the answer: no progress, no times, no notes
    #[arg(long, short, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print everything about devices and the way of counting
    #[arg(long, short, global = true, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count the leaves of a tree
    Perft(Perft),
    /// Count the leaves below each move, without merging positions
    Divide(Count),
    /// Count the leaves by the kind of move that leads to them: captures, castlings, checks, mates and so on
    #[command(after_help = KINDS)]
    Stats(Stats),
    /// Count the distinct positions of each ply, and those that exactly one line of moves reaches
    Unique(Unique),
    /// Estimate the leaves of a tree that is too large to count, with a standard error
    #[command(after_help = ESTIMATING)]
    Estimate(Estimate),
    /// Recompute the counts of a file of positions (`FEN ;D1 20 ;D2 400`)
    Suite(Suite),
    /// Find the wrong moves of a chess program, and the rules that they break
    #[command(after_help = CHECK_HELP)]
    Check(Check),
    /// Compare a backend with another one, with a UCI engine or with a script, and find the first position where their moves differ
    Diff(Diff),
    /// Find the best move by exhaustive minimax
    Best(Best),
    /// Count a large tree in a ledger: the run can be killed and resumed, and any number of devices and machines can share
    /// the work
    Run(Run),
    /// Show the progress of a ledger, check it, settle its disputes, or export it
    Ledger(Ledger),
    /// Play chess: speak UCI on standard input and output
    Uci,
    /// Show, pack or unpack a position
    Position {
        #[command(subcommand)]
        command: Position,
    },
    /// List every device of every backend
    Devices,
    /// Find the fastest options of an opencl or wgpu device, and save them for later runs; takes about a minute
    Tune(Tune),
    /// Measure how fast devices count the six standard positions, raw and merged, and how long packing takes; without
    /// --backend and --device, measure every usable device except emulated GPUs
    Bench(Bench),
    /// Check every device: self-tests, published counts, and random positions against the mailbox; print a report to paste
    ///
    /// Checks all variants of the CPU code and every OpenCL and wgpu device, or what --backend and --device name. The exit code
    /// is 1 if anything differs, and 3 if a device fails.
    Selfcheck(Selfcheck),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page
    Man {
        /// Write one page per command into this folder instead
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// A tree: a root and a depth.
#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// Number of plies, 0 to 128
    #[arg(value_parser = depth)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) root: Root,
}

#[derive(Debug, Args)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) count: Count,
    /// Count every leaf, without merging equal positions
    #[arg(long, conflicts_with_all = ["plan", "memory", "plies", "ranges"], help_heading = HOW)]
    pub(crate) raw: bool,
    /// Print the plan for counting the tree, without counting it; only the first plies are merged, to estimate the
    /// others
    #[arg(long, conflicts_with = "bytes", help_heading = HOW)]
    pub(crate) plan: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Merge equal positions down to this ply, or further, until at most seven plies are left [default: the plan
    /// chooses]
    #[arg(long, value_name = "N", value_parser = depth, conflicts_with = "bytes", help_heading = HOW)]
    pub(crate) plies: Option<u32>,
    /// Split the last merged ply into at least N parts, counted one after the other, or into about N parts that several devices
    /// share [default: as many as the memory requires, or at least 16 for each device]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), conflicts_with = "bytes",
          help_heading = HOW)]
    pub(crate) ranges: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Make every leaf's parent, without merging equal positions
    #[arg(long, conflicts_with = "memory", help_heading = HOW)]
    pub(crate) raw: bool,
    /// Count this depth only, not the depths before
    #[arg(long, help_heading = HOW)]
    pub(crate) only: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

#[derive(Debug, Args)]
pub(crate) struct Unique {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Count the diagrams of each ply, too: its positions without castling rights and en passant
    #[arg(long, help_heading = HOW)]
    pub(crate) diagrams: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

#[derive(Debug, Args)]
pub(crate) struct Estimate {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Estimate for this many seconds [default: 10, or without end if --lines or --error is given]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = HOW)]
    pub(crate) seconds: Option<u32>,
    /// End when the standard error is at most this share of the estimate, such as 1e-4
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = HOW)]
    pub(crate) error: Option<f64>,
    /// End after this many lines, rounded up to whole batches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = HOW)]
    pub(crate) lines: Option<u64>,
    /// The seed of the random lines
    #[arg(long, value_name = "N", default_value = "0", help_heading = HOW)]
    pub(crate) seed: u64,
    /// Merge equal positions down to this ply [default: the time and the number of lines decide]
    #[arg(long, value_name = "N", value_parser = depth, help_heading = HOW)]
    pub(crate) plies: Option<u32>,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// The help heading of the options of devices.
const COMPUTE: &str = "Where to compute";

/// The commands that take no device from these options, and the help on `--device` of those that work with several devices.
const NO_DEVICES: [&str; 6] = ["check", "position", "devices", "completions", "man", "help"];
const COUNTING: [&str; 2] = ["perft", "run"];
const CHECKING: [&str; 2] = ["bench", "selfcheck"];
const LIST: &str =
    "The device, such as opencl:1 or cpu, or with --backend its number; or a list such as cpu,opencl:0; or all: ";

/// The options of `kogge suite` that need `--against`.
const OF_AGAINST: [&str; 7] = ["ask", "options", "chess960", "patience", "jobs", "save", "junit"];

impl Cli {
    /// Returns the definition of the command line, in which each command shows the options of devices that it uses.
    pub(crate) fn definition() -> clap::Command {
        let definition = <Self as CommandFactory>::command();
        let shared: Vec<_> =
            definition.get_arguments().filter(|it| it.get_help_heading() == Some(COMPUTE)).cloned().collect();
        let device = shared.iter().find(|it| it.get_id() == "device").cloned();
        let definition = definition.mut_subcommand("suite", |suite| {
            OF_AGAINST.iter().fold(suite, |suite, option| suite.mut_arg(option, |it| it.requires("against")))
        });
        definition.mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            let list = match &*name {
                _ if COUNTING.contains(&&*name) => {
                    "every GPU once, with the CPU if there is no GPU or nothing is merged"
                }
                _ if CHECKING.contains(&&*name) => "every device of every backend",
                _ if NO_DEVICES.contains(&&*name) => {
                    return command.args(shared.iter().map(|it| it.clone().global(false).hide(true)));
                }
                _ => return command,
            };
            let help = format!("{LIST}{list}, or with --backend all of its devices");
            command.args(device.clone().map(|it| it.global(false).help(help)))
        })
    }
}

/// The help heading of the options for counting.
const HOW: &str = "How to count";

/// The memory for merged plies.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Memory {
    /// Memory for merged positions, such as 6G (of 1024^3 bytes); plies that do not fit are counted in parts [default:
    /// nine tenths of a GPU's own memory, or half of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = HOW)]
    pub(crate) memory: Option<NonZeroUsize>,
}

/// A tree to count.
#[derive(Debug, Args)]
pub(crate) struct Count {
    #[command(flatten)]
    pub(crate) tree: Tree,
    #[command(flatten)]
    pub(crate) hash: Hash,
}

/// The hash table for counts of positions that several paths reach.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Hash {
    /// Keep counts in a hash table of this size, such as 256M or 1G (of 1024^3 bytes), so that a position reached by
    /// several paths is counted once; counts stay exact. Only the cpu backend has a hash table: `auto` then means cpu,
    /// and perft merges no plies
    #[arg(long = "hash", value_name = "SIZE", value_parser = size, help_heading = COMPUTE)]
    pub(crate) bytes: Option<NonZeroUsize>,
}

/// The root of a tree.
#[derive(Debug, Args)]
pub(crate) struct Root {
    /// Root position, in FEN (the last two fields may be missing), X-FEN or Shredder-FEN, or by name: startpos, kiwipete, pos3,
    /// pos4, pos5, pos6 [default: the start position]
    #[arg(long, value_name = "FEN", conflicts_with = "pgn")]
    pub(crate) fen: Option<String>,
    #[command(flatten)]
    pub(crate) game: PgnPly,
    /// Moves to play from that position, in UCI notation or SAN; move numbers are skipped
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub(crate) moves: Vec<String>,
}

/// A position in a game of a file.
#[derive(Debug, Args)]
pub(crate) struct PgnPly {
    /// Take the position from a game in this PGN file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) pgn: Option<PathBuf>,
    /// The number of the game in that file [default: 1]
    #[arg(long, value_name = "N", requires = "pgn", default_value = "1", hide_default_value = true)]
    pub(crate) game: NonZeroUsize,
    /// The number of plies to play from the game's start [default: to its end]
    #[arg(long, value_name = "N", requires = "pgn")]
    pub(crate) ply: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Best {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Follow captures and promotions beyond the last ply until the position is quiet
    #[arg(long, value_enum, value_name = "ON|OFF", default_value = "on")]
    pub(crate) quiescence: Quiescence,
}

#[derive(Debug, Args)]
pub(crate) struct Suite {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE.epd")]
    pub(crate) file: PathBuf,
    /// Skip counts of more than N leaves
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<u128>,
    /// Skip depths greater than D
    #[arg(long, value_name = "D", value_parser = depth)]
    pub(crate) max_depth: Option<u32>,
    /// Count positions that no game reaches, too, with the mailbox: those with more than 16 pieces or 8 pawns of a side, with more than
    /// two checkers, or with a double push out of check [default: they are skipped]
    #[arg(long)]
    pub(crate) allow_unreachable: bool,
    /// Ask this program about the positions, as `kogge check` does, and compare it with our counts: `engine:COMMAND`,
    /// `script:COMMAND`, a backend or a device
    #[arg(long, value_name = "NAME")]
    pub(crate) against: Option<Opponent>,
    #[command(flatten)]
    pub(crate) checking: Checking,
    #[command(flatten)]
    pub(crate) hash: Hash,
}

/// The help heading of the options about another program.
const PROGRAM: &str = "Another program";

/// The way to ask another program.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// The line that asks an engine for its moves with counts; {depth} stands for the depth, and {fen} for the position if the engine
    /// does not know `position fen`. Repeat it for several lines [default: `go perft {depth}`, or what else it answers]
    #[arg(long, value_name = "LINE", help_heading = PROGRAM)]
    pub(crate) ask: Vec<String>,
    /// Set an option of a UCI engine; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = uci_option, help_heading = PROGRAM)]
    pub(crate) options: Vec<(String, String)>,
    /// Whether the engine knows Chess960; auto: if it has the option UCI_Chess960
    #[arg(long, value_enum, value_name = "auto|on|off", default_value = "auto", hide_possible_values = true, help_heading = PROGRAM)]
    pub(crate) chess960: Chess960,
}

/// The check of a program.
#[derive(Debug, Args)]
pub(crate) struct Checking {
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Seconds that a program may be silent before it counts as hanging
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u32).range(1..), help_heading = PROGRAM)]
    pub(crate) patience: u32,
    /// Run N copies of the program
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = PROGRAM)]
    pub(crate) jobs: u16,
    /// Write the smallest positions with their counts to this file, as a suite
    #[arg(long, value_name = "FILE.epd", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Write the result of each rule to this file, as JUnit's XML
    #[arg(long, value_name = "FILE.xml", help_heading = "Output")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The program: `engine:COMMAND` for one that speaks UCI or similar, `script:COMMAND` for one that takes the depth, the FEN and the
    /// moves played as arguments, or a backend, or a device such as `opencl:1`
    #[arg(value_name = "NAME")]
    pub(crate) target: Opponent,
    /// Check for this many seconds
    #[arg(long, value_name = "N", default_value = "60", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seconds: u32,
    /// The seed of the random positions [default: the time]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) checking: Checking,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// The generator to compare with: a backend, a device such as `opencl:1`, `engine:COMMAND` for a UCI engine, or `script:COMMAND` for a program that takes the depth, the FEN and the moves played as arguments, and
    /// prints a line such as `e2e4 20` for each legal move
    #[arg(long, value_name = "NAME")]
    pub(crate) against: Opponent,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Seconds that an engine or a script may be silent while it counts
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..), help_heading = PROGRAM)]
    pub(crate) patience: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// The ledger: a file, or a PostgreSQL database as postgres://USER@HOST/NAME?sslmode=verify-full, with the password in
    /// PGPASSWORD or ~/.pgpass. An existing ledger is resumed, a missing one is created
    #[arg(long, value_name = "LOCATION")]
    pub(crate) ledger: LedgerLocation,
    /// The last ply whose equal positions are merged; its ranges become the ledger's entries [default: the plan of the first device
    /// chooses]. With --raw, the ply whose positions become the entries [default: a ply with thousands of positions]
    #[arg(long, value_name = "N", value_parser = depth)]
    pub(crate) plies: Option<u32>,
    /// Count every leaf below the entries, without merging equal positions. Trees of fewer than five plies are always counted
    /// in this way, unless --plies or --entries is given
    #[arg(long, conflicts_with_all = ["entries", "memory"], help_heading = HOW)]
    pub(crate) raw: bool,
    /// Count the leaves by kinds of moves, too: captures, checks, mates and so on, as `kogge stats` does. An existing ledger must have
    /// been made in this way
    #[arg(long, conflicts_with = "raw", help_heading = HOW)]
    pub(crate) stats: bool,
    /// Divide the last merged ply into about N ranges, when the ledger is made [default: one for each 64 Mi positions, but at
    /// least 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), help_heading = HOW)]
    pub(crate) entries: Option<u32>,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Seconds until the entries of a killed process go to other processes [default: 10 for files, 60 for databases]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) lease: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Ledger {
    /// The ledger: a file, or a PostgreSQL database as postgres://USER@HOST/NAME
    #[arg(value_name = "LOCATION")]
    pub(crate) ledger: LedgerLocation,
    /// Check that every count is as it was written, and print a hash of all counts; nothing is counted again
    #[arg(long, group = "action", conflicts_with = "memory")]
    pub(crate) check: bool,
    /// Recount a random share of the finished entries, such as 0.01 or 1%, on a backend other than the first, or on
    /// the one that --backend names. Merged entries may also be checked by the same backend if another --memory leads to another plan
    #[arg(long, value_name = "P", value_parser = share, group = "action")]
    pub(crate) verify: Option<f64>,
    /// Recount the entries with different answers, on a third backend or on the one that --backend names, and accept an
    /// answer on which two backends agree
    #[arg(long, group = "action")]
    pub(crate) settle: bool,
    /// End all leases, so that entries of processes that have ended are counted at once; processes that still count go on
    #[arg(long, group = "action", conflicts_with = "memory")]
    pub(crate) release: bool,
    /// Write all entries and their counts to a .csv or .parquet file, or to a folder in both formats
    #[arg(long, value_name = "FILE", group = "action")]
    pub(crate) export: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// Try no new value after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) seconds: u32,
    /// Forget the device's tuned options, and return to the defaults
    #[arg(long)]
    pub(crate) forget: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Approximate seconds for the whole measurement, which determine the depths [default: 160]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) seconds: Option<u32>,
    /// Measure quickly, as with --seconds 15
    #[arg(long, conflicts_with = "seconds")]
    pub(crate) quick: bool,
    /// The number of times that each count is timed, more often if its times differ; a single time says nothing about noise
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// The variants of the CPU code to measure, such as `portable,avx2`, or `all` [default: the best]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) variant: Vec<String>,
    /// For developers: measure GPUs with these options, such as `group_size=64,sliders=fill`, the fields of the libraries' options;
    /// can be repeated to measure several side by side, also `default`
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub(crate) option: Vec<String>,
    /// For developers: measure the time of each kernel of one GPU
    #[arg(long, conflicts_with_all = ["seconds", "quick", "repetitions", "variant", "compare"])]
    pub(crate) kernels: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Compare with an earlier JSON file, or with the result file of a bundle's script, at the depths of that file,
    /// regardless of --seconds
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Selfcheck {
    /// Seconds for the comparison on random positions, all devices together; 0 compares until Ctrl-C or the first difference, and
    /// also with a hash table. Published counts take up to a tenth of this time on each device, or 6 seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(..=86400))]
    pub(crate) seconds: u32,
    /// The seed of the random positions, as a report shows it [default: from the clock]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Position {
    /// Show the board, its FEN, its legal moves and its packed formats
    Show {
        /// The position, in FEN or by name as for `kogge perft` [default: the start position]
        #[arg(value_name = "FEN", conflicts_with = "pgn")]
        fen: Option<String>,
        #[command(flatten)]
        game: PgnPly,
        /// Moves to play from that position, in UCI notation or SAN; move numbers are skipped
        #[arg(long, value_name = "MOVE", num_args = 1..)]
        moves: Vec<String>,
    },
    /// Print a position's packed bytes as hex, in memory order
    Pack {
        /// The packed format
        #[arg(long, value_parser = format())]
        format: Format,
        /// The position, in FEN or by name as for `kogge perft`
        #[arg(value_name = "FEN")]
        fen: String,
    },
    /// Print the FEN of packed bytes
    Unpack {
        /// The packed format
        #[arg(long, value_parser = format())]
        format: Format,
        /// The bytes, as `pack` prints them
        #[arg(value_name = "HEX")]
        hex: String,
        /// For Chess960: the files of the rooks that may castle, in the order K, Q, k, q
        #[arg(long, value_name = "FILES", default_value = "HAha", value_parser = castling_files)]
        castling: CastlingFiles,
    },
}
