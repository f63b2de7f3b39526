//! Every flag, defined once: parsing, help, man page and completions come from here.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use kogge_board::{Format, Leaves};
use kogge_driver::MAX_DEPTH;

use crate::commands::diff::Opponent;
use crate::many::Devices;
use crate::place::Place;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the answer is no: a suite line failed, or a difference was found
  2    the call or the input was wrong
  3    a device failed: a backend's, an engine, or what the output was written to
  130  stopped with Ctrl-C; how far the work was is said on standard error";

/// More threads than any machine has cores for.
const MAX_THREADS: usize = 4096;

/// Smaller hash tables would hold nothing.
const LEAST_HASH: usize = 1024;

/// Counts chess trees, exactly, on CPUs and GPUs.
#[derive(Debug, Parser)]
#[command(name = "kogge", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// What computes; `auto` takes the best that works
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", help_heading = "Where to compute")]
    pub(crate) backend: BackendName,
    /// Which of the backend's devices, as `kogge devices` numbers them. `kogge run` and `kogge bench` also take a list of
    /// backends and devices, such as `cpu,opencl:0`, and `all`: for `run` every GPU once and the CPU, for `bench` every
    /// backend on every device, or, with --backend, all devices of that
    #[arg(long, global = true, value_name = "N", help_heading = "Where to compute")]
    pub(crate) device: Option<Devices>,
    /// CPU threads at most [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = threads, help_heading = "Where to compute")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print JSON, as cli/JSON.md describes it
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print the answer alone: no progress, no times, no notes
    #[arg(long, short, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl Common {
    /// The same, but for the CPU.
    pub(crate) fn for_cpu(&self) -> Self {
        Self { backend: BackendName::Cpu, device: None, ..self.clone() }
    }
}

/// A backend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub(crate) enum BackendName {
    /// The best that works
    Auto,
    /// All cores of the CPU
    Cpu,
    /// A plain generator on one thread, to check the others against
    Mailbox,
    /// GPUs through OpenCL
    Opencl,
    /// GPUs through Vulkan, Metal or DX12
    Wgpu,
}

impl BackendName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Mailbox => "mailbox",
            Self::Opencl => "opencl",
            Self::Wgpu => "wgpu",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count the leaves of a tree
    Perft(Perft),
    /// Count the leaves below each move, every one of them
    Divide(Count),
    /// Count captures, castlings, checks, mates and so on among the moves to the leaves
    Stats(Tree),
    /// Count the distinct positions of each ply
    Unique(Unique),
    /// Recompute the counts of a file of positions (`FEN ;D1 20 ;D2 400`)
    Suite(Suite),
    /// Find the first position where another backend or a UCI engine makes other moves
    Diff(Diff),
    /// Find the best move by exhaustive minimax
    Best(Best),
    /// Count a tree that takes long, in a ledger: it can be killed and resumed, and shared by any number of devices and
    /// machines
    Run(Run),
    /// Show how far a ledger is, check it, settle its disputes, or export it
    Ledger(Ledger),
    /// Play: speak UCI with a chess program, on standard input and output
    Uci,
    /// Show, pack or unpack a position
    Position {
        #[command(subcommand)]
        command: Position,
    },
    /// List every device of every backend
    Devices,
    /// Find the fastest options for a device of opencl or wgpu, which takes about a minute, and keep them for all later runs
    Tune(Tune),
    /// Measure how fast devices count the six standard positions, leaf by leaf and by merged plies, and what packing costs;
    /// without --backend and --device, all that can be used but emulated GPUs
    Bench(Bench),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page
    Man {
        /// Write the pages of all commands into this folder instead
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// A tree: a root and a depth.
#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// Plies, 0 to 128
    #[arg(value_parser = depth)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) root: Root,
}

#[derive(Debug, Args)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) count: Count,
    /// Count every leaf: merge no equal positions
    #[arg(long, conflicts_with_all = ["plan", "memory", "plies", "partitions"], help_heading = HOW)]
    pub(crate) raw: bool,
    /// Say how the tree would be counted, and count nothing; only the first plies are merged to find out
    #[arg(long, conflicts_with = "bytes", help_heading = HOW)]
    pub(crate) plan: bool,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Merge equal positions down to this ply, at least seven above the leaves [default: as the plan says]
    #[arg(long, value_name = "N", value_parser = depth, conflicts_with = "bytes", help_heading = HOW)]
    pub(crate) plies: Option<u32>,
    /// Do the last merged ply in so many parts, one after the other [default: as many as memory demands]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with = "bytes",
          help_heading = HOW)]
    pub(crate) partitions: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Unique {
    #[command(flatten)]
    pub(crate) tree: Tree,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// Heading of what says how a tree is counted.
const HOW: &str = "How to count";

/// Memory for merged plies.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Memory {
    /// Memory for merged positions, such as 6G; what does not fit is done in parts [default: three quarters of what
    /// a backend uses of a GPU's own memory, else half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = HOW)]
    pub(crate) memory: Option<NonZeroUsize>,
}

/// A tree to be counted.
#[derive(Debug, Args)]
pub(crate) struct Count {
    #[command(flatten)]
    pub(crate) tree: Tree,
    #[command(flatten)]
    pub(crate) hash: Hash,
}

/// Memory for counts of positions that are reached in several ways.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Hash {
    /// Keep counts in a hash table of this many bytes, such as 256M or 1G, so that positions reached in several ways are
    /// counted once; counts stay exact. Only the cpu backend has one: `auto` then means cpu, and perft merges nothing else
    #[arg(long = "hash", value_name = "SIZE", value_parser = size, help_heading = "Where to compute")]
    pub(crate) bytes: Option<NonZeroUsize>,
}

/// Where a tree begins.
#[derive(Debug, Args)]
pub(crate) struct Root {
    /// Root position, in FEN, X-FEN or Shredder-FEN [default: the start position]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// Moves to play first, in UCI notation or SAN
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub(crate) moves: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Best {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Whether captures and promotions are looked at beyond the last ply, until the position is quiet
    #[arg(long, value_enum, value_name = "ON|OFF", default_value = "on")]
    pub(crate) quiescence: Quiescence,
}

/// Whether leaves are judged by their quiescence value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Quiescence {
    /// By their quiescence value
    On,
    /// By their evaluation alone
    Off,
}

impl From<Quiescence> for Leaves {
    fn from(quiescence: Quiescence) -> Self {
        match quiescence {
            Quiescence::On => Self::Quiescent,
            Quiescence::Off => Self::Static,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Suite {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE.epd")]
    pub(crate) file: PathBuf,
    /// Leave out counts of more leaves than this
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<u128>,
    /// Leave out greater depths than this
    #[arg(long, value_name = "D", value_parser = depth)]
    pub(crate) max_depth: Option<u32>,
    #[command(flatten)]
    pub(crate) hash: Hash,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// A backend, with `:N` after it for its device number N, or `engine:COMMAND` for a UCI engine that
    /// knows `go perft`
    #[arg(long, value_name = "NAME")]
    pub(crate) against: Opponent,
    /// Seconds that an engine may say nothing while it counts
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) patience: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) tree: Tree,
    /// Where the ledger is kept: a file, or a PostgreSQL database as postgres://USER@HOST/NAME. It is made if there is
    /// none, and resumed if there is one
    #[arg(long, value_name = "PLACE")]
    pub(crate) ledger: Place,
    /// The ply whose positions are the ledger's entries [default: chosen so that there are thousands]
    #[arg(long, value_name = "N", value_parser = depth)]
    pub(crate) ply: Option<u32>,
    /// Seconds until the entries of a process that was killed are given to others [default: 10 for files, 60 for
    /// databases]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) lease: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Ledger {
    /// Where the ledger is kept: a file, or a PostgreSQL database as postgres://USER@HOST/NAME
    #[arg(value_name = "PLACE")]
    pub(crate) ledger: Place,
    /// Count a random share of the finished entries again, such as 0.01 or 1%, on another backend than the one that
    /// counted them, or on the one of --backend
    #[arg(long, value_name = "P", value_parser = share, group = "action")]
    pub(crate) verify: Option<f64>,
    /// Count the entries that have different answers again, on a third backend or on the one of --backend, and let an
    /// answer stand if two different ones gave it
    #[arg(long, group = "action")]
    pub(crate) settle: bool,
    /// Write all entries and their counts into a file.csv or file.parquet, or into a folder as both
    #[arg(long, value_name = "FILE", group = "action")]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// Seconds after which nothing more is tried
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) seconds: u32,
    /// Forget what was found on the device before, and go back to the defaults
    #[arg(long)]
    pub(crate) forget: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Seconds for everything, about: depths are chosen so that it fits [default: 160]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) seconds: Option<u32>,
    /// A quick look, the same as --seconds 15
    #[arg(long, conflicts_with = "seconds")]
    pub(crate) quick: bool,
    /// How often everything is timed; from one time, nothing is known about noise
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Variants of the CPU backend to measure, such as `portable,avx2`, or `all` [default: the best]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) variant: Vec<String>,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Show how many times as fast everything is as in this earlier JSON, or in what a bundle's script left; depths are
    /// those of then, whatever --seconds says
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Position {
    /// The board, its FEN, legal moves, and packed forms
    Show {
        /// The position [default: the start position]
        #[arg(value_name = "FEN")]
        fen: Option<String>,
        /// Moves to play first, in UCI notation or SAN
        #[arg(long, value_name = "MOVE", num_args = 1..)]
        moves: Vec<String>,
    },
    /// A packed form's bytes as hex, in memory order
    Pack {
        /// The packed form
        #[arg(long, value_parser = format())]
        format: Format,
        /// The position
        #[arg(value_name = "FEN")]
        fen: String,
    },
    /// The FEN of packed bytes
    Unpack {
        /// The packed form
        #[arg(long, value_parser = format())]
        format: Format,
        /// The bytes, as `pack` prints them
        #[arg(value_name = "HEX")]
        hex: String,
        /// Files of the rooks that the castling rights K Q k q speak of, in Chess960
        #[arg(long, value_name = "FILES", default_value = "HAha", value_parser = castling_files)]
        castling: CastlingFiles,
    },
}

/// Files of the castling rooks, as [`kogge_board::Rules`] has them.
pub(crate) type CastlingFiles = [u8; 4];

fn depth(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(depth) if depth <= MAX_DEPTH && !text.starts_with('+') => Ok(depth),
        _ => Err(format!("expected a number of plies from 0 to {MAX_DEPTH}")),
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= MAX_THREADS && !text.starts_with('+') => Ok(threads),
        _ => Err(format!("expected a number of threads from 1 to {MAX_THREADS}")),
    }
}

/// Bytes, with K, M, G or T after them for powers of 1024.
fn size(text: &str) -> Result<NonZeroUsize, String> {
    let (digits, shift) = match text.as_bytes() {
        [.., b'K' | b'k'] => (&text[..text.len() - 1], 10),
        [.., b'M' | b'm'] => (&text[..text.len() - 1], 20),
        [.., b'G' | b'g'] => (&text[..text.len() - 1], 30),
        [.., b'T' | b't'] => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number = digits.parse::<usize>().ok().filter(|_| !digits.starts_with('+'));
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    match bytes.and_then(NonZeroUsize::new) {
        Some(bytes) if bytes.get() >= LEAST_HASH => Ok(bytes),
        _ => Err(format!("expected a size of at least {LEAST_HASH} bytes, such as 256M or 1G")),
    }
}

/// A share of a whole.
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= unit && number.is_finite() => Ok(number / unit),
        _ => Err("expected a share greater than 0 and at most 1, such as 0.01 or 1%".to_owned()),
    }
}

/// The names of all formats, which completions offer too.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

fn castling_files(text: &str) -> Result<CastlingFiles, String> {
    match *text.as_bytes() {
        [k @ b'A'..=b'H', q @ b'A'..=b'H', black_k @ b'a'..=b'h', black_q @ b'a'..=b'h'] => {
            Ok([k - b'A', q - b'A', black_k - b'a', black_q - b'a'])
        }
        _ => Err("expected four files, two from A to H and two from a to h, such as HAha".to_owned()),
    }
}
