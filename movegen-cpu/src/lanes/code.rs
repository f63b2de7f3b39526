//! The code, compiled for several instruction sets.
//!
//! The source is compiled for lane vectors of one, two, four and eight lanes. The choice is made at run time.

use kogge_board::{BackendError, Quad48, Rules, Score, evaluate};

use super::batch::{Batch, Queue};
use super::categories::Numbers;
use super::evaluation::Evaluated;
use super::generate::MoveFilter;

/// One compilation of the code: the generator and the evaluation for single positions, for searches, and the
/// counter of [`Cpu`](crate::Cpu).
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// use kogge_movegen_cpu::{Code, MoveFilter};
/// let fen = Fen::start();
/// let mut successors = Vec::new();
/// let code = Code::chosen()?;
/// let is_check = code.successors(&fen.rules, &Quad48::from(&fen.position), MoveFilter::All, &mut successors);
/// assert_eq!((is_check, successors.len()), (false, 20));
/// # Ok::<(), kogge_board::BackendError>(())
/// ```
// The functions may be called only on a CPU with the features that `Code::usable` has detected.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The name, for display and for `KOGGE_CPU`.
    pub(crate) name: &'static str,
    successors: unsafe fn(&Rules, &Quad48, MoveFilter, &mut Vec<Quad48>) -> bool,
    count: unsafe fn(&Rules, &Quad48) -> u32,
    evaluate: unsafe fn(&Quad48) -> Score,
    evaluate_all: unsafe fn(&[Quad48], &mut Vec<Evaluated>),
    expand_register: unsafe fn(&mut Batch, &mut Batch, &mut Queue) -> usize,
    last_ply: unsafe fn(&Batch, &mut [u64]),
    last_two_plies: unsafe fn(&Batch, &mut Queue, Option<&mut [u64]>) -> u64,
    last_ply_by_kind: unsafe fn(&Batch, &mut Queue, Option<&mut [Numbers]>) -> Numbers,
    make_canonical: unsafe fn(&mut Batch),
}

macro_rules! compile {
    ($module:ident, $name:literal, $lanes:ty $(, #[$attribute:meta])?) => {
        mod $module {
            use super::{Batch, Evaluated, Numbers, Quad48, Queue, Rules, Score, MoveFilter};
            use crate::lanes::{batch, canonical, categories, evaluation, generate};

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn successors(rules: &Rules, position: &Quad48, wanted: MoveFilter, out: &mut Vec<Quad48>) -> bool {
                generate::successors(rules, position, wanted, out)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn count(rules: &Rules, position: &Quad48) -> u32 {
                crate::lanes::count::count(rules, position)
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
            unsafe fn evaluate_all(positions: &[Quad48], out: &mut Vec<Evaluated>) {
                evaluation::evaluate::<$lanes>(positions, out);
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn expand_register(parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
                batch::expand_register::<$lanes>(parents, children, queue)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn last_ply(batch: &Batch, leaves: &mut [u64]) {
                batch::last_ply::<$lanes>(batch, leaves);
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn last_two_plies(batch: &Batch, queue: &mut Queue, each: Option<&mut [u64]>) -> u64 {
                batch::last_two_plies::<$lanes>(batch, queue, each)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn last_ply_by_kind(batch: &Batch, queue: &mut Queue, each: Option<&mut [Numbers]>) -> Numbers {
                categories::last_ply_by_kind::<$lanes>(batch, queue, each)
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            unsafe fn make_canonical(batch: &mut Batch) {
                canonical::make_canonical::<$lanes>(batch);
            }

            pub(super) const CODE: super::Code = super::Code {
                name: $name,
                successors,
                count,
                evaluate,
                evaluate_all,
                expand_register,
                last_ply,
                last_two_plies,
                last_ply_by_kind,
                make_canonical,
            };
        }
    };
}

compile!(portable, "portable", u64);
#[cfg(target_arch = "x86_64")]
compile!(bmi, "bmi", u64, #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]);
#[cfg(target_arch = "x86_64")]
compile!(avx2, "avx2", crate::lanes::avx2::Avx2, #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]);
#[cfg(target_arch = "x86_64")]
compile!(
    avx512,
    "avx512",
    crate::lanes::avx512::Avx512<false>,
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")]
);
#[cfg(target_arch = "x86_64")]
compile!(
    avx512_popcount,
    "avx512-popcount",
    crate::lanes::avx512::Avx512<true>,
    #[target_feature(enable = "avx512vpopcntdq,avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")]
);
#[cfg(target_arch = "aarch64")]
compile!(neon, "neon", crate::lanes::neon::Neon);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
compile!(simd128, "simd128", crate::lanes::wasm::Simd128);

impl Code {
    /// Returns every compilation that this CPU can run, the best one last.
    pub(crate) fn usable() -> Vec<Self> {
        #[cfg_attr(all(target_arch = "wasm32", not(target_feature = "simd128")), allow(unused_mut))]
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
        // A module of WebAssembly either has these instructions everywhere or cannot be loaded.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        usable.push(simd128::CODE);
        usable
    }

    /// Returns the compilation of this name.
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

    /// Returns the best compilation for this CPU, or the one that the environment variable `KOGGE_CPU` names.
    ///
    /// # Errors
    /// If this CPU cannot run the named compilation.
    pub fn chosen() -> Result<Self, BackendError> {
        match std::env::var_os("KOGGE_CPU") {
            Some(name) => Self::named(&name.to_string_lossy()),
            // The best compilation is the last one, and the list is never empty.
            None => Ok(*Self::usable().last().unwrap_or(&portable::CODE)),
        }
    }

    /// Writes the successors of a position to the end of `out`, in generation order.
    pub(crate) fn expand(&self, rules: &Rules, position: &Quad48, out: &mut Vec<Quad48>) {
        self.successors(rules, position, MoveFilter::All, out);
    }

    /// Writes successors of a position to the end of `out`, in generation order. Returns whether the
    /// position is in check.
    #[inline]
    pub fn successors(&self, rules: &Rules, position: &Quad48, wanted: MoveFilter, out: &mut Vec<Quad48>) -> bool {
        // SAFETY: `usable` gives only compilations whose features were detected.
        unsafe { (self.successors)(rules, position, wanted, out) }
    }

    /// Counts the legal moves.
    #[inline]
    pub fn count(&self, rules: &Rules, position: &Quad48) -> u32 {
        // SAFETY: as in `successors`.
        unsafe { (self.count)(rules, position) }
    }

    /// Returns the value of a position to the side to move, as [`evaluate`].
    #[inline]
    pub fn evaluate(&self, position: &Quad48) -> Score {
        // SAFETY: as in `successors`.
        unsafe { (self.evaluate)(position) }
    }

    /// Appends the evaluation of each position.
    pub(crate) fn evaluate_all(&self, positions: &[Quad48], out: &mut Vec<Evaluated>) {
        // SAFETY: as in `successors`.
        unsafe { (self.evaluate_all)(positions, out) }
    }

    /// See [`batch::expand_register`].
    pub(crate) fn expand_register(&self, parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
        // SAFETY: as in `successors`.
        unsafe { (self.expand_register)(parents, children, queue) }
    }

    /// See [`batch::last_ply`].
    pub(crate) fn last_ply(&self, batch: &Batch, leaves: &mut [u64]) {
        // SAFETY: as in `successors`.
        unsafe { (self.last_ply)(batch, leaves) }
    }

    /// See [`batch::last_two_plies`].
    pub(crate) fn last_two_plies(&self, batch: &Batch, queue: &mut Queue, each: Option<&mut [u64]>) -> u64 {
        // SAFETY: as in `successors`.
        unsafe { (self.last_two_plies)(batch, queue, each) }
    }

    /// See [`categories::last_ply_by_kind`].
    pub(crate) fn last_ply_by_kind(&self, batch: &Batch, queue: &mut Queue, each: Option<&mut [Numbers]>) -> Numbers {
        // SAFETY: as in `successors`.
        unsafe { (self.last_ply_by_kind)(batch, queue, each) }
    }

    /// See [`canonical::make_canonical`].
    pub(crate) fn make_canonical(&self, batch: &mut Batch) {
        // SAFETY: as in `successors`.
        unsafe { (self.make_canonical)(batch) }
    }
}
