//! The generator and the counter, compiled for what the CPU has.
//!
//! The source is one; the compiler makes it twice, once for any CPU and once with the bit
//! instructions that every x86-64 CPU since 2013 has (popcnt, andn, blsi). The choice is made at run
//! time.

use kogge_board::{Quad48, Rules};

/// One compilation of the code.
///
/// The functions may be called only on a CPU that has what [`Code::best`] asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// Its name, for people.
    pub(crate) name: &'static str,
    count: unsafe fn(&Rules, &[Quad48], &mut [u32]),
    expand: unsafe fn(&Rules, &Quad48, &mut Vec<Quad48>),
    perft: unsafe fn(&Rules, &Quad48, u32, &mut Vec<Quad48>) -> Option<u64>,
}

macro_rules! compile {
    ($module:ident, $(#[$attribute:meta])?) => {
        mod $module {
            use super::{Quad48, Rules};

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            pub(super) unsafe fn count(rules: &Rules, positions: &[Quad48], counts: &mut [u32]) {
                for (position, count) in positions.iter().zip(counts) {
                    *count = crate::count::count(rules, position);
                }
            }

            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            pub(super) unsafe fn expand(rules: &Rules, position: &Quad48, out: &mut Vec<Quad48>) {
                crate::generate::expand(rules, position, out);
            }

            /// Leaves `depth` plies below a position, or `None` if they do not fit in 64 bits; the
            /// last ply is counted, not made.
            ///
            /// `stack` is scratch memory: it holds the successors of the positions on the way down,
            /// at most a few hundred a ply, and keeps its capacity, so that no node allocates.
            ///
            /// # Safety
            /// The CPU must have the features of this compilation.
            $(#[$attribute])?
            pub(super) unsafe fn perft(
                rules: &Rules,
                position: &Quad48,
                depth: u32,
                stack: &mut Vec<Quad48>,
            ) -> Option<u64> {
                match depth {
                    0 => return Some(1),
                    1 => return Some(crate::count::count(rules, position).into()),
                    _ => {}
                }
                let start = stack.len();
                crate::generate::expand(rules, position, stack);
                let mut leaves = 0_u64;
                for index in start..stack.len() {
                    let successor = stack[index];
                    let below = if depth == 2 {
                        crate::count::count(rules, &successor).into()
                    } else {
                        // SAFETY: the caller vouches for the CPU.
                        unsafe { perft(rules, &successor, depth - 1, stack)? }
                    };
                    leaves = leaves.checked_add(below)?;
                }
                stack.truncate(start);
                Some(leaves)
            }

            pub(super) const CODE: super::Code =
                super::Code { name: stringify!($module), count, expand, perft };
        }
    };
}

compile!(portable,);
#[cfg(target_arch = "x86_64")]
compile!(bmi, #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]);

impl Code {
    /// The best compilation for this CPU.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
        {
            return bmi::CODE;
        }
        portable::CODE
    }

    /// Every compilation that this CPU can run, the portable one first.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let best = Self::best();
        if best.name == portable::CODE.name { vec![best] } else { vec![portable::CODE, best] }
    }

    /// The number of legal moves of each position.
    pub(crate) fn count(&self, rules: &Rules, positions: &[Quad48], counts: &mut [u32]) {
        // SAFETY: `best` and `all` give only compilations whose features were detected.
        unsafe { (self.count)(rules, positions, counts) }
    }

    /// Writes the successors of a position to the end of `out`.
    pub(crate) fn expand(&self, rules: &Rules, position: &Quad48, out: &mut Vec<Quad48>) {
        // SAFETY: as in `count`.
        unsafe { (self.expand)(rules, position, out) }
    }

    /// Leaves `depth` plies below a position; `None` if they do not fit in 64 bits.
    pub(crate) fn perft(&self, rules: &Rules, position: &Quad48, depth: u32, stack: &mut Vec<Quad48>) -> Option<u64> {
        // SAFETY: as in `count`.
        unsafe { (self.perft)(rules, position, depth, stack) }
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
        for code in Code::all() {
            let mut successors = Vec::new();
            code.expand(&fen.rules, &root, &mut successors);
            let mut counts = vec![0; successors.len()];
            code.count(&fen.rules, &successors, &mut counts);
            assert_eq!(counts.iter().sum::<u32>(), 2039, "{}", code.name);
            assert_eq!(code.perft(&fen.rules, &root, 4, &mut Vec::new()), Some(4_085_603), "{}", code.name);
        }
    }
}
