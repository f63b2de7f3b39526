//! All variants of the CPU backend that this CPU can run, as one backend that returns their common answer.

use std::fmt::Debug;

use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, Fen, Leaves, Quad48, Rules, Score, Successors, Watch, host,
};
use kogge_movegen_cpu::Cpu;

type Result<T> = std::result::Result<T, BackendError>;

/// All variants. If their answers differ, it panics and names the position.
pub(crate) struct Variants(Vec<Cpu>);

impl Variants {
    /// Opens each variant with this number of threads, or with one per core.
    pub(crate) fn new(threads: Option<usize>) -> Self {
        let open = |name| Cpu::with_variant(threads, name).unwrap_or_else(|error| panic!("{error}"));
        Self(Cpu::variants().into_iter().map(open).collect())
    }

    /// Returns the common answer of all variants about each position.
    fn agreed<T: PartialEq + Debug>(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        mut ask: impl FnMut(&mut Cpu) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let [first, rest @ ..] = &mut self.0[..] else { panic!("there is always the portable variant") };
        let expected = ask(first)?;
        assert_eq!(expected.len(), positions.len());
        for cpu in rest {
            let found = ask(cpu)?;
            if found != expected {
                let index = found.iter().zip(&expected).position(|(a, b)| a != b).expect("they differ somewhere");
                panic!(
                    "{} says {:?} and {} says {:?} of {} under {rules:?}",
                    first.info().variant,
                    expected[index],
                    cpu.info().variant,
                    found[index],
                    Fen::new(positions[index].unpack_unchecked(), *rules),
                );
            }
        }
        Ok(expected)
    }
}

impl Backend for Variants {
    fn info(&self) -> &DeviceInfo {
        self.0[0].info()
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors> {
        let each = self.agreed(rules, positions, |cpu| {
            Ok(cpu.expand(rules, positions)?.iter().map(<[Quad48]>::to_vec).collect())
        })?;
        let mut all = Successors::default();
        for successors in each {
            all.positions.extend(successors);
            all.ends.push(all.positions.len());
        }
        Ok(all)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32, watch: &mut Watch<'_>) -> Result<Vec<u128>> {
        self.agreed(rules, positions, |cpu| cpu.perft(rules, positions, depth, watch))
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>> {
        self.agreed(rules, positions, |cpu| cpu.categories(rules, positions, depth, watch))
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>> {
        Ok(Box::new(host::HostMerge::new(self, rules, *options)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>> {
        self.agreed(rules, positions, |cpu| cpu.minimax(rules, positions, depth, leaves, watch))
    }
}
