//! Deliberate errors in the kernels, one at a time. A self-test must find each of them.

mod list;

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use kogge_board::merge::MergeOptions;
use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, Rules, unwatched};
use kogge_gpu::kernels::Module;
use kogge_gpu::source::{Form, MODULES, source};
use kogge_gpu::{Gpu, GpuOptions, Mutation};

pub use self::list::{ANY_ORDER, CARRY, EMULATED, FILL, MUTANTS, SUBGROUPS};
use crate::device_suite::{TestDevice, first_device};

/// The maximum number of devices that search for errors at the same time; each has its own buffers.
const MOST_DEVICES: usize = 4;

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

impl SelfTest {
    /// The modules that the self-test compiles; the modules of merging are always among them. Counting needs further modules
    /// if successors are always made in any order.
    pub const fn modules(self) -> &'static [Module] {
        match self {
            Self::Counting => &[Module::Counting],
            Self::Merging => &[Module::Counting, Module::Merging, Module::Unordered],
            Self::Categories => &[Module::Counting, Module::Categories, Module::Merging, Module::Unordered],
            Self::Minimax => &[Module::Counting, Module::Minimax],
        }
    }

    /// Compiles what the self-test needs, and runs it; counting is tested when a device is opened.
    fn run<D: TestDevice>(self, backend: &mut Gpu<D>) -> Result<(), BackendError> {
        let start = [Quad48::from(&Fen::start().position)];
        match self {
            Self::Counting => Ok(()),
            Self::Merging => backend.merge(&Rules::STANDARD, &MergeOptions::with_memory(256 << 20)).map(drop),
            Self::Categories => backend.categories(&Rules::STANDARD, &start, 1, &mut unwatched).map(drop),
            Self::Minimax => backend.minimax(&Rules::STANDARD, &start, 1, Leaves::Static, &mut unwatched).map(drop),
        }
    }
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
    ///
    /// To compile the kernels of counting takes long. If they have no error, they are compiled once, for `right`, which is opened when it is
    /// needed first.
    fn verdict<D: TestDevice>(
        &self,
        device: &D,
        options: &GpuOptions,
        right: &mut Option<Gpu<D>>,
    ) -> Result<(), BackendError> {
        let mutated = GpuOptions { mutation: Some(self.mutation), ..options.clone() };
        if self.found_by == SelfTest::Counting {
            return Gpu::untuned(device, &mutated).map(drop);
        }
        let mut opened;
        let backend = if self.is_in(&[Module::Counting]) {
            opened = Gpu::untested(device, &mutated)?;
            &mut opened
        } else {
            let backend = match right {
                Some(backend) => backend,
                None => right.insert(Gpu::untested(device, options)?),
            };
            backend.mutate(self.mutation);
            backend
        };
        self.found_by.run(backend)
    }

    /// Whether the text to replace occurs in any form of these modules' sources.
    fn is_in(&self, modules: &[Module]) -> bool {
        let mut sources = modules.iter().flat_map(|&module| Form::ALL.map(|form| source(module, form)));
        sources.any(|source| source.contains(self.mutation.from))
    }

    /// Returns the reason why the self-test has not found this error, or `None` if `verdict` shows that it has.
    fn missed(&self, verdict: Result<(), BackendError>) -> Option<String> {
        let Self { error, mutation: Mutation { from, .. }, found_by } = self;
        let reason = match verdict {
            Err(BackendError::WrongAnswer { .. }) => return None,
            _ if !self.is_in(&MODULES) => format!("no source contains the text {from:?}"),
            Ok(()) => format!("the self-test of {found_by:?} passes"),
            Err(failure) => failure.to_string(),
        };
        Some(format!("{error}: {reason}"))
    }
}

/// Checks that the self-tests find each error. Compilers of kernels mostly use one thread, so each core tests some of the errors.
///
/// # Panics
/// If a self-test passes, or if no source contains the text, or if the source cannot be compiled with the replacement.
pub fn find_each<D: TestDevice>(options: &GpuOptions, mutants: &[Mutant]) {
    let next = AtomicUsize::new(0);
    let search = || {
        let Some(device) = first_device::<D>() else { return Vec::new() };
        let mut right = None;
        let claimed = iter::from_fn(|| mutants.get(next.fetch_add(1, Ordering::Relaxed)));
        let mut missed: Vec<_> =
            claimed.filter_map(|mutant| mutant.missed(mutant.verdict(&device, options, &mut right))).collect();
        missed.extend(right.as_mut().and_then(wrong_without_error));
        missed
    };
    let missed: Vec<_> = thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let searches: Vec<_> = (0..cores.min(MOST_DEVICES)).map(|_| scope.spawn(search)).collect();
        searches.into_iter().flat_map(|search| search.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    assert!(missed.is_empty(), "{} errors are not found:\n{}", missed.len(), missed.join("\n"));
}

/// Runs the self-tests without an error in the kernels, and returns the reason if one fails: then what they found before proves nothing.
fn wrong_without_error<D: TestDevice>(right: &mut Gpu<D>) -> Option<String> {
    right.mutate(Mutation { from: "", to: "" });
    let tests = [SelfTest::Merging, SelfTest::Categories, SelfTest::Minimax];
    let failure = tests.into_iter().find_map(|test| test.run(right).err())?;
    Some(format!("no error: {failure}"))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use kogge_gpu::source::Word;

    use super::*;

    type List = (&'static [Mutant], fn(Form) -> bool, &'static [Module]);

    /// The lists, each with a condition for the forms of the source that have its errors, and with further modules.
    const LISTS: [List; 6] = [
        (MUTANTS, |_| true, &[]),
        (CARRY, |_| true, &[]),
        (FILL, |_| true, &[]),
        (EMULATED, |form| form.word == Word::Emulated, &[]),
        (SUBGROUPS, |form| form.subgroups, &[]),
        (ANY_ORDER, |_| true, &[Module::Unordered]),
    ];

    #[test]
    fn each_text_occurs_once_in_the_sources_that_its_self_test_compiles() {
        let mut sources = HashMap::new();
        for (mutants, has_errors, further) in LISTS {
            for form in Form::ALL.into_iter().filter(|&form| has_errors(form)) {
                for Mutant { error, mutation, found_by } in mutants {
                    let occurs = found_by.modules().iter().chain(further).map(|&module| {
                        let text = sources.entry((module, form)).or_insert_with(|| source(module, form));
                        text.matches(mutation.from).count()
                    });
                    assert_eq!(occurs.max(), Some(1), "{error} in {form:?}: {:?}", mutation.from);
                }
            }
        }
    }

    #[test]
    fn all_errors_are_different() {
        let mut known = HashSet::new();
        for Mutant { error, mutation: Mutation { from, to }, found_by } in
            LISTS.iter().flat_map(|(mutants, ..)| *mutants)
        {
            assert_ne!(from, to, "{error}");
            assert!(known.insert((format!("{found_by:?}"), *from, *to)), "{error}");
        }
    }

    #[test]
    fn a_text_that_is_in_no_source_is_named() {
        let missed = |from| Mutant::new(SelfTest::Counting, "an error", from, "").missed(Ok(()));
        assert_eq!(missed("no such text").unwrap(), "an error: no source contains the text \"no such text\"");
        assert_eq!(missed("fn count").unwrap(), "an error: the self-test of Counting passes");
        let device = || "a device".to_owned();
        let wrong = BackendError::WrongAnswer { device: device(), reason: device() };
        assert_eq!(Mutant::new(SelfTest::Counting, "an error", "fn count", "").missed(Err(wrong)), None);
    }
}
