//! Deliberate errors in the kernels, one at a time. A self-test must find each of them.

use kogge_board::merge::MergeOptions;
use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, Rules};
use kogge_gpu::{Gpu, Mutation};

use crate::device_suite::{Options, Tested, first_device};

/// The self-test that must find an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfTest {
    /// The self-test of counting, when the device is opened.
    Counting,
    /// The self-test of merging, before the first merge.
    Merging,
    /// The self-test of the kinds of moves, before the first count by kind.
    Categories,
    /// The self-test of minimax, before the first search.
    Minimax,
}

/// An error in the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// A description of the error.
    pub error: &'static str,
    /// The change to the source.
    pub mutation: Mutation,
    /// The self-test that must find it.
    pub found_by: SelfTest,
}

impl Mutant {
    /// Creates a mutant from its description and its change to the source.
    pub const fn new(found_by: SelfTest, error: &'static str, from: &'static str, to: &'static str) -> Self {
        Self { error, mutation: Mutation { from, to }, found_by }
    }

    /// Opens a device with this error and returns the result of the self-test.
    fn verdict<D: Tested>(&self, device: &D, options: &Options<D>) -> Result<(), BackendError> {
        let mut options = options.clone();
        options.as_mut().mutation = Some(self.mutation);
        if self.found_by == SelfTest::Counting {
            return Gpu::untuned(device, &options).map(drop);
        }
        let mut backend = Gpu::untested(device, &options)?;
        let start = [Quad48::from(&Fen::start().position)];
        match self.found_by {
            SelfTest::Counting => Ok(()),
            SelfTest::Merging => backend.merge(&Rules::STANDARD, &MergeOptions::with_memory(256 << 20)).map(drop),
            SelfTest::Categories => backend.categories(&Rules::STANDARD, &start, 1).map(drop),
            SelfTest::Minimax => backend.minimax(&Rules::STANDARD, &start, 1, Leaves::Static).map(drop),
        }
    }
}

/// Checks that the self-tests find each error.
///
/// # Panics
/// If a self-test passes, or if the source does not contain the text or cannot be compiled without it.
pub fn find_each<D: Tested>(options: &Options<D>, mutants: &[Mutant]) {
    let Some(device) = first_device::<D>() else { return };
    let verdicts = mutants.iter().map(|mutant| (mutant, mutant.verdict(&device, options)));
    let missed: Vec<_> =
        verdicts.filter(|(_, verdict)| !matches!(verdict, Err(BackendError::WrongAnswer { .. }))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
