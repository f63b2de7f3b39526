//! The code, compiled for what the CPU has.
//!
//! The source is one; the compiler makes it several times, for registers of one, two, four and eight
//! lanes. The choice is made at run time.

use kogge_board::{BackendError, Quad48, Rules, Score, evaluate};

use crate::generate::Wanted;
use crate::judge::Judgement;
use crate::tree::{Batch, Queue, Source, Tree};
#[cfg(doc)]
use crate::{settle, tree};

/// One compilation of the code: the generator and the evaluation for one position at a time, as a
/// search needs them, and the counter that [`Cpu`](crate::Cpu) runs.
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// use kogge_movegen_cpu::{Code, Wanted};
/// let fen = Fen::start();
/// let mut successors = Vec::new();
/// let code = Code::chosen()?;
/// let is_check = code.successors(&fen.rules, &Quad48::from(&fen.position), Wanted::All, &mut successors);
/// assert_eq!((is_check, successors.len()), (false, 20));
/// # Ok::<(), kogge_board::BackendError>(())
/// ```
// The functions may be called only on a CPU that has what `Code::usable` asked for.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Its name, for people and for `KOGGE_CPU`.
    pub(crate) name: &'static str,
    successors: unsafe fn(&Rules, &Quad48, Wanted, &mut Vec<Quad48>) -> bool,
    count: unsafe fn(&Rules, &Quad48) -> u32,
    evaluate: unsafe fn(&Quad48) -> Score,
    judge: unsafe fn(&[Quad48], &mut Vec<Judgement>),
    expand_register: unsafe fn(&mut Batch, &mut Batch, &mut Queue) -> usize,
    last_ply: unsafe fn(&Batch, &mut [u64]),
    last_two_plies: unsafe fn(&Batch, &mut Queue, Option<&mut [u64]>) -> u64,
    settle: unsafe fn(&mut Batch, &mut Vec<u64>),
}

macro_rules! compile {
    ($module:ident, $name:literal, $word:ty $(, #[$attribute:meta])?) => {
        mod $module {
            use super::{Batch, Judgement, Quad48, Queue, Rules, Score, Wanted};
            use crate::{generate, judge, settle, tree};

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn successors(rules: &Rules, position: &Quad48, wanted: Wanted, out: &mut Vec<Quad48>) -> bool {
                generate::successors(rules, position, wanted, out)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn count(rules: &Rules, position: &Quad48) -> u32 {
                crate::count::count(rules, position)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn evaluate(position: &Quad48) -> Score {
                super::evaluate(position)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn judge(positions: &[Quad48], out: &mut Vec<Judgement>) {
                judge::judge::<$word>(positions, out);
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn expand_register(parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
                tree::expand_register::<$word>(parents, children, queue)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn last_ply(batch: &Batch, leaves: &mut [u64]) {
                tree::last_ply::<$word>(batch, leaves);
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn last_two_plies(batch: &Batch, queue: &mut Queue, each: Option<&mut [u64]>) -> u64 {
                tree::last_two_plies::<$word>(batch, queue, each)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn settle(batch: &mut Batch, hashes: &mut Vec<u64>) {
                settle::settle::<$word>(batch, hashes);
            }

            pub(super) const CODE: super::Code = super::Code {
                name: $name,
                successors,
                count,
                evaluate,
                judge,
                expand_register,
                last_ply,
                last_two_plies,
                settle,
            };
        }
    };
}

compile!(portable, "portable", u64);
#[cfg(target_arch = "x86_64")]
compile!(bmi, "bmi", u64, #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]);
#[cfg(target_arch = "x86_64")]
compile!(avx2, "avx2", crate::word::avx2::Avx2, #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]);
#[cfg(target_arch = "x86_64")]
compile!(
    avx512,
    "avx512",
    crate::word::avx512::Avx512<false>,
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")]
);
#[cfg(target_arch = "x86_64")]
compile!(
    avx512_popcount,
    "avx512-popcount",
    crate::word::avx512::Avx512<true>,
    #[target_feature(enable = "avx512vpopcntdq,avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")]
);
#[cfg(target_arch = "aarch64")]
compile!(neon, "neon", crate::word::neon::Neon);

impl Code {
    /// Every compilation that this CPU can run, the best one last.
    pub(crate) fn usable() -> Vec<Self> {
        let mut usable = vec![portable::CODE];
        #[cfg(target_arch = "x86_64")]
        {
            let bmi = is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            let avx2 = bmi && is_x86_feature_detected!("avx2");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            let popcount = avx512 && is_x86_feature_detected!("avx512vpopcntdq");
            for (has, code) in
                [(bmi, bmi::CODE), (avx2, avx2::CODE), (avx512, avx512::CODE), (popcount, avx512_popcount::CODE)]
            {
                if has {
                    usable.push(code);
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        usable.push(neon::CODE);
        usable
    }

    /// The compilation of this name.
    pub(crate) fn named(name: &str) -> Result<Self, BackendError> {
        let usable = Self::usable();
        usable.iter().find(|code| code.name == name).copied().ok_or_else(|| BackendError::Unavailable {
            backend: "cpu",
            reason: format!(
                "there is no variant {name:?} that this CPU can run; choose one of {}.",
                usable.iter().map(|code| code.name).collect::<Vec<_>>().join(", ")
            ),
        })
    }

    /// The best compilation for this CPU, or the one that the environment variable `KOGGE_CPU` names.
    ///
    /// # Errors
    /// If this CPU cannot run the one named.
    pub fn chosen() -> Result<Self, BackendError> {
        match std::env::var_os("KOGGE_CPU") {
            Some(name) => Self::named(&name.to_string_lossy()),
            // The list ends with the best, and it is never empty.
            None => Ok(*Self::usable().last().unwrap_or(&portable::CODE)),
        }
    }

    /// Writes the successors of a position to the end of `out`, in generation order.
    pub(crate) fn expand(&self, rules: &Rules, position: &Quad48, out: &mut Vec<Quad48>) {
        self.successors(rules, position, Wanted::All, out);
    }

    /// Writes successors of a position to the end of `out`, in generation order. Gives whether the
    /// position is in check.
    #[inline]
    pub fn successors(&self, rules: &Rules, position: &Quad48, wanted: Wanted, out: &mut Vec<Quad48>) -> bool {
        // SAFETY: `usable` gives only compilations whose features were detected.
        unsafe { (self.successors)(rules, position, wanted, out) }
    }

    /// The number of legal moves.
    #[inline]
    pub fn count(&self, rules: &Rules, position: &Quad48) -> u32 {
        // SAFETY: as in `successors`.
        unsafe { (self.count)(rules, position) }
    }

    /// What the position is worth to the side to move, without looking ahead: [`evaluate`].
    #[inline]
    pub fn evaluate(&self, position: &Quad48) -> Score {
        // SAFETY: as in `successors`.
        unsafe { (self.evaluate)(position) }
    }

    /// Appends what is known of each position without looking ahead.
    pub(crate) fn judge(&self, positions: &[Quad48], out: &mut Vec<Judgement>) {
        // SAFETY: as in `successors`.
        unsafe { (self.judge)(positions, out) }
    }

    /// See [`tree::expand_register`].
    pub(crate) fn expand_register(&self, parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
        // SAFETY: as in `successors`.
        unsafe { (self.expand_register)(parents, children, queue) }
    }

    /// See [`tree::last_ply`].
    pub(crate) fn last_ply(&self, batch: &Batch, leaves: &mut [u64]) {
        // SAFETY: as in `successors`.
        unsafe { (self.last_ply)(batch, leaves) }
    }

    /// See [`tree::last_two_plies`].
    pub(crate) fn last_two_plies(&self, batch: &Batch, queue: &mut Queue, each: Option<&mut [u64]>) -> u64 {
        // SAFETY: as in `successors`.
        unsafe { (self.last_two_plies)(batch, queue, each) }
    }

    /// See [`settle::settle`].
    pub(crate) fn settle(&self, batch: &mut Batch, hashes: &mut Vec<u64>) {
        // SAFETY: as in `expand`.
        unsafe { (self.settle)(batch, hashes) }
    }

    /// Leaves `depth` plies below each position, to `leaves`; `None` if one does not fit in 64 bits.
    ///
    /// # Panics
    /// If there are fewer `leaves` than positions.
    pub(crate) fn perft(
        &self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: &mut [u64],
        tree: &mut Tree,
    ) -> Option<()> {
        self.perft_of(&(rules, positions), depth, leaves, tree)
    }

    /// The same of positions kept in any way.
    pub(crate) fn perft_of(
        &self,
        positions: &(impl Source + ?Sized),
        depth: u32,
        leaves: &mut [u64],
        tree: &mut Tree,
    ) -> Option<()> {
        tree.count_each(self, positions, depth, leaves)
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::Fen;

    use super::*;

    #[test]
    fn every_compilation_counts_the_same() {
        let fen: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let root = Quad48::from(&fen.position);
        for code in Code::usable() {
            let mut successors = Vec::new();
            code.expand(&fen.rules, &root, &mut successors);
            let mut tree = Tree::default();
            let mut leaves = vec![0; successors.len()];
            code.perft(&fen.rules, &successors, 1, &mut leaves, &mut tree);
            assert_eq!(leaves.iter().sum::<u64>(), 2039, "{}", code.name);
            code.perft(&fen.rules, &successors, 2, &mut leaves, &mut tree);
            assert_eq!(leaves.iter().sum::<u64>(), 97_862, "{}", code.name);
            code.perft(&fen.rules, &successors, 3, &mut leaves, &mut tree);
            assert_eq!(leaves.iter().sum::<u64>(), 4_085_603, "{}", code.name);
        }
    }
}
