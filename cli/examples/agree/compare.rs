//! Compares minimax values.

use std::fmt;
use std::ops::AddAssign;
use std::time::Instant;

use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, Rules, Score, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_search::alpha_beta;
use kogge_testkit::soak::Soak;
use rayon::prelude::*;

/// The greatest depth that is compared.
pub(crate) const DEEPEST: u32 = 4;
const LEAVES: [Leaves; 2] = [Leaves::Static, Leaves::Quiescent];

/// Limits of a comparison. Arrays of two are indexed by the way of evaluating leaves, unless noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Positions with more leaves are left out.
    pub(crate) leaves: [u64; 2],
    /// The slow mailbox leaves out positions with more leaves.
    pub(crate) by_mailbox: [u64; 2],
    /// The most positions of games, and of each batch of random placements, by depth.
    pub(crate) positions: [[usize; DEEPEST as usize]; 2],
    /// Positions of games and random placements with more men are compared only without quiescence, since many captures take
    /// long.
    pub(crate) men: [u32; 2],
    /// No comparison begins after this time.
    pub(crate) end: Option<Instant>,
}

/// The numbers of compared positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Compared {
    /// Positions by the way of evaluating leaves, and by depth from 1.
    pub(crate) positions: [[u64; DEEPEST as usize]; 2],
    /// The positions that the mailbox evaluated too.
    pub(crate) by_mailbox: [[u64; DEEPEST as usize]; 2],
    /// The leaves below all of them.
    pub(crate) leaves: u64,
    /// The number of mate scores.
    pub(crate) mates: u64,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        let add = |all: &mut [[u64; DEEPEST as usize]; 2], others: [[u64; DEEPEST as usize]; 2]| {
            all.iter_mut().flatten().zip(others.iter().flatten()).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.positions, other.positions);
        add(&mut self.by_mailbox, other.by_mailbox);
        self.leaves += other.leaves;
        self.mates += other.mates;
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, by_mailbox, leaves, mates } = self;
        let sum = |all: &[[u64; DEEPEST as usize]; 2]| all.iter().flatten().sum::<u64>();
        write!(
            f,
            "{} positions by depth {:?} by the evaluation and {:?} with quiescence, {leaves} leaves, {mates} mates; {} of \
             the positions by the mailbox too",
            sum(positions),
            positions[0],
            positions[1],
            sum(by_mailbox)
        )
    }
}

/// Compares the CPU backend with alpha-beta, the mailbox and these backends, on a round of random positions.
///
/// # Errors
/// A sentence about the first difference, or about a failure.
pub(crate) fn round(soak: &mut Soak, limits: &Limits, others: &mut [Box<dyn Backend>]) -> Result<Compared, String> {
    let mut cpu = Cpu::new(None).map_err(sentence)?;
    let mut compared = Compared::default();
    for (number, (rules, positions)) in soak.positions(&mut cpu).map_err(sentence)?.into_iter().enumerate() {
        // In half of the batches, the fifty-move rule is near.
        let near = |(index, position): (usize, Quad48)| position.with_halfmove_clock(95 + index as u8 % 6);
        let (rules, positions) = match number % 2 {
            0 => (rules.with_halfmove_clock(true), positions.into_iter().enumerate().map(near).collect()),
            _ => (rules, positions),
        };
        for (kind, leaves) in LEAVES.into_iter().enumerate() {
            let men = |position: &Quad48| position.unpack_unchecked().occupied().count_ones();
            let origin = usize::from(number > 0);
            let most_men = limits.men[origin];
            let mut fitting = positions.clone();
            fitting.retain(|position| leaves == Leaves::Static || men(position) <= most_men);
            for depth in 1..=DEEPEST {
                if limits.end.is_some_and(|end| Instant::now() > end) {
                    return Ok(compared);
                }
                let step = fitting.len().div_ceil(limits.positions[origin][depth as usize - 1]).max(1);
                let some: Vec<_> = fitting.into_iter().step_by(step).collect();
                let counts = cpu.perft(&rules, &some, depth, &mut unwatched).map_err(sentence)?;
                let mut counted: Vec<_> = some.into_iter().zip(counts).collect();
                counted.retain(|(_, count)| *count <= limits.leaves[kind]);
                compared += Case { rules, depth, kind, leaves }.compare(&counted, limits, &mut cpu, others)?;
                // A position with too many leaves has even more a ply deeper.
                fitting = counted.into_iter().map(|(position, _)| position).collect();
            }
        }
    }
    Ok(compared)
}

fn sentence(error: BackendError) -> String {
    error.to_string()
}

/// One question to all generators.
#[derive(Clone, Copy)]
struct Case {
    rules: Rules,
    depth: u32,
    /// The index into [`LEAVES`].
    kind: usize,
    leaves: Leaves,
}

impl Case {
    /// Compares all generators on these positions, each with its number of leaves.
    fn compare(
        self,
        counted: &[(Quad48, u64)],
        limits: &Limits,
        cpu: &mut Cpu,
        others: &mut [Box<dyn Backend>],
    ) -> Result<Compared, String> {
        let Self { rules, depth, kind, leaves } = self;
        let positions: Vec<_> = counted.iter().map(|(position, _)| *position).collect();
        let values = cpu.minimax(&rules, &positions, depth, leaves, &mut unwatched).map_err(sentence)?;
        let alone = |position: &Quad48| Ok(alpha_beta(&rules, position, depth, leaves)?.0);
        let found: Result<Vec<_>, _> = positions.par_iter().map(alone).collect();
        self.hold("alpha-beta", &positions, &found.map_err(sentence)?, &values)?;
        for backend in others {
            let found = backend.minimax(&rules, &positions, depth, leaves, &mut unwatched).map_err(sentence)?;
            self.hold(backend.info().backend, &positions, &found, &values)?;
        }
        let few = |((_, count), value): (&(Quad48, u64), &Score)| (*count <= limits.by_mailbox[kind]).then_some(*value);
        let few: Vec<_> = counted.iter().zip(&values).map(few).collect();
        let slowly = |(position, value): (&Quad48, &Option<Score>)| {
            value.map(|value| {
                let found =
                    Mailbox::new().minimax(&rules, &[*position], depth, leaves, &mut unwatched).map_err(sentence)?;
                self.hold("mailbox", &[*position], &found, &[value])
            })
        };
        let checked: Result<Vec<()>, String> = positions.par_iter().zip(&few).filter_map(slowly).collect();
        let mut compared = Compared {
            leaves: counted.iter().map(|(_, count)| count).sum(),
            mates: values.iter().filter(|value| value.mate_plies().is_some()).count() as u64,
            ..Compared::default()
        };
        compared.positions[kind][depth as usize - 1] = positions.len() as u64;
        compared.by_mailbox[kind][depth as usize - 1] = checked?.len() as u64;
        Ok(compared)
    }

    /// Checks that a backend found these values.
    fn hold(self, name: &str, positions: &[Quad48], found: &[Score], values: &[Score]) -> Result<(), String> {
        let Self { rules, depth, leaves, .. } = self;
        match (0..positions.len()).find(|&index| found.get(index) != values.get(index)) {
            None => Ok(()),
            Some(index) => Err(format!(
                "{depth} plies below {}\nunder {rules:?}, {:?}, the CPU backend says {:?} and {name} {:?}",
                Fen::new(positions[index].unpack_unchecked(), rules),
                leaves,
                values.get(index),
                found.get(index)
            )),
        }
    }
}
