//! The code, compiled for several instruction sets.
//!
//! The source is compiled for lane vectors of one, two, four and eight lanes. The choice is made at run time.

use kogge_board::{BackendError, Quad48, Rules, Score};

use super::batch::{self, Batch, Queue};
use super::categories::{self, Numbers};
use super::count;
use super::evaluation::{self, LeafEvaluation};
use super::generate::{self, MoveFilter};

/// Defines [`Code`], its methods, and the macros `compile_single!` and `compile!`, which compile the functions for single positions and
/// for batches for one instruction set. In the paths of the functions, `L` stands for the lane vector.
macro_rules! functions {
    (
        single { $($(#[$single_documentation:meta])* $single_visibility:vis fn $single:ident
            ($($single_argument:ident: $single_type:ty),*) $(-> $single_output:ty)? = $single_function:expr;)* }
        batches { $($(#[$documentation:meta])* $visibility:vis fn $name:ident
            ($($argument:ident: $type:ty),*) $(-> $output:ty)? = $function:expr;)* }
    ) => {
        /// One compilation of the code: the generator and the evaluation for single positions, as searches need them,
        /// and the counter of [`Cpu`](crate::Cpu).
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
            $($single: unsafe fn($($single_type),*) $(-> $single_output)?,)*
            $($name: unsafe fn($($type),*) $(-> $output)?,)*
        }

        methods! {
            $($(#[$single_documentation])* $single_visibility fn $single
                ($($single_argument: $single_type),*) $(-> $single_output)?;)*
            $($(#[$documentation])* $visibility fn $name($($argument: $type),*) $(-> $output)?;)*
        }

        /// Compiles the functions for single positions for one instruction set, in a module of this name.
        macro_rules! compile_single {
            ($module:ident, $attribute:meta) => {
                mod $module {
                    use super::*;

                    $(
                        /// # Safety
                        /// The CPU must have the features of this compilation.
                        #[$attribute]
                        pub(super) unsafe fn $single($($single_argument: $single_type),*) $(-> $single_output)? {
                            $single_function($($single_argument),*)
                        }
                    )*
                }
            };
        }

        /// Compiles the functions for batches for one instruction set, in a module of this name, beside the functions for single positions
        /// of another module.
        macro_rules! compile {
            ($module:ident, $title:literal, $single_module:ident, $lanes:ty, $attribute:meta) => {
                mod $module {
                    use super::*;

                    type L = $lanes;

                    $(
                        /// # Safety
                        /// The CPU must have the features of this compilation.
                        #[$attribute]
                        unsafe fn $name($($argument: $type),*) $(-> $output)? {
                            $function($($argument),*)
                        }
                    )*

                    pub(super) const CODE: Code =
                        Code { name: $title, $($single: $single_module::$single,)* $($name),* };
                }
            };
        }
    };
}

/// Defines the methods of [`Code`].
macro_rules! methods {
    ($($(#[$documentation:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $output:ty)?;)*) => {
        impl Code {$(
            $(#[$documentation])*
            #[inline]
            $visibility fn $name(&self, $($argument: $type),*) $(-> $output)? {
                // SAFETY: `usable` returns only compilations whose features were detected.
                unsafe { (self.$name)($($argument),*) }
            }
        )*}
    };
}

functions! {
    single {
        /// Writes successors of a position to the end of `out`, in generation order. Returns whether the
        /// position is in check.
        pub fn successors(rules: &Rules, position: &Quad48, filter: MoveFilter, out: &mut Vec<Quad48>) -> bool
            = generate::successors;
        /// Counts the legal moves.
        pub fn count(rules: &Rules, position: &Quad48) -> u32 = count::count;
        /// Returns the value of a position to the side to move, as [`evaluate`](kogge_board::evaluate()).
        pub fn evaluate(position: &Quad48) -> Score = kogge_board::evaluate;
    }
    batches {
        /// Appends the evaluation of each position.
        pub(crate) fn evaluate_all(positions: &[Quad48], out: &mut Vec<LeafEvaluation>) = evaluation::evaluate::<L>;
        pub(crate) fn expand_register(parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize
            = batch::expand_register::<L>;
        pub(crate) fn last_ply(batch: &Batch, leaves: &mut [u64]) = batch::last_ply::<L>;
        pub(crate) fn last_two_plies(batch: &Batch, queue: &mut Queue, each: Option<&mut [u64]>) -> u64
            = batch::last_two_plies::<L>;
        pub(crate) fn last_ply_by_kind(batch: &Batch, queue: &mut Queue, each: Option<&mut [Numbers]>) -> Numbers
            = categories::last_ply_by_kind::<L>;
        pub(crate) fn make_canonical(batch: &mut Batch) = batch::make_canonical::<L>;
    }
}

compile_single!(single, inline(never));
compile!(portable, "portable", single, u64, inline(never));
#[cfg(all(x86_variants, not(test)))]
mod x86 {
    use super::*;

    // AVX-512 gained nothing for single positions: searches took as long with functions compiled for it.
    compile_single!(single, target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt"));
    compile!(avx2, "avx2", single, crate::lanes::avx2::Avx2, target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt"));
    compile!(
        avx512,
        "avx512",
        single,
        crate::lanes::avx512::Avx512<false>,
        target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")
    );
    compile!(
        avx512_popcount,
        "avx512-popcount",
        single,
        crate::lanes::avx512::Avx512<true>,
        target_feature(enable = "avx512vpopcntdq,avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt,bmi1,bmi2,lzcnt")
    );

    /// Returns the compilations that this CPU can run, the best one last.
    ///
    /// Every CPU with BMI2 has AVX2, so nothing is compiled for BMI2 alone.
    pub(super) fn usable() -> impl Iterator<Item = Code> {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        let popcount = avx512 && is_x86_feature_detected!("avx512vpopcntdq");
        let codes = [(avx2, avx2::CODE), (avx512, avx512::CODE), (popcount, avx512_popcount::CODE)];
        codes.into_iter().filter_map(|(is_usable, code)| is_usable.then_some(code))
    }
}
#[cfg(all(target_arch = "aarch64", not(test)))]
compile!(neon, "neon", single, crate::lanes::neon::Neon, inline(never));
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
compile!(simd128, "simd128", single, crate::lanes::wasm::Simd128, inline(never));

impl Code {
    /// Returns every compilation that this CPU can run, the best one last.
    pub(crate) fn usable() -> Vec<Self> {
        #[allow(unused_mut, reason = "some targets have no other variant")]
        let mut usable = vec![portable::CODE];
        #[cfg(all(x86_variants, not(test)))]
        usable.extend(x86::usable());
        #[cfg(all(target_arch = "aarch64", not(test)))]
        usable.push(neon::CODE);
        // A module of WebAssembly either has these instructions everywhere or cannot be loaded.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        usable.push(simd128::CODE);
        usable
    }

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
}
