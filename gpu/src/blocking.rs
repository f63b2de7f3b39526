//! Opening a device, and the operations of a [`Backend`], for callers that can wait for the device. Browsers cannot wait, so a
//! build for browsers leaves this file out.

use kogge_board::host::HostMerge;
use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, Watch, host, self_test,
};
use pollster::block_on;

use crate::categories::categories;
use crate::counting;
use crate::device::{Device, Gpu};
use crate::interface::Interface as _;
use crate::kernels::Module;
use crate::lists::sums;
use crate::merging::DeviceMerge;
use crate::minimax::is_near_fifty_moves;
use crate::session::Session;
use crate::settings::{GpuOptions, GpuSettings, Mutation, Runs};
use crate::tuning::{Cache, complete};
use crate::watching::Watching;

/// The maximum number of entries in a shard during the self-test of merging. The self-test has lists with fewer entries
/// and lists with more.
const SELF_TEST_SHARD_ENTRIES: u64 = 500;

/// The runs of this self-test: some plies have successors that fit in one such run, and others need several runs. Most runs take
/// several positions from each shard.
const SELF_TEST_RUNS: Runs = Runs { from: 8, depth: 2, entries: 8000 };

impl<D: Device> Gpu<D>
where
    Self: Send,
{
    /// Opens the device with this index in [`Gpu::devices`], compiles the kernels, and runs the self-test.
    ///
    /// # Errors
    /// If there is no such device or it cannot be used; if the options do not fit; if the kernels cannot be compiled, with
    /// the compiler's log; or if the device gives wrong answers.
    pub fn open(index: usize, options: &GpuOptions) -> Result<Self, BackendError> {
        let devices = D::list()?;
        let device = devices.get(index).ok_or_else(|| {
            let (backend, count) = (D::BACKEND, devices.len());
            BackendError::Unavailable {
                backend,
                reason: format!("there is no device {index}; {backend} has {count}, counted from 0."),
            }
        })?;
        Self::on(device, options)
    }

    /// Opens a listed device. Unset options take the device's tuned values, if there are any.
    ///
    /// # Errors
    /// As for [`Gpu::open`].
    pub fn on(device: &D, options: &GpuOptions) -> Result<Self, BackendError> {
        Self::with_cache(device, options, Cache::of_user().as_ref())
    }

    /// Opens a device. Unset options take the tuned values from this cache.
    ///
    /// # Errors
    /// As for [`Gpu::open`].
    pub fn with_cache(device: &D, options: &GpuOptions, cache: Option<&Cache>) -> Result<Self, BackendError> {
        let (options, origin) = complete(device, options, cache);
        let mut backend = Self::untuned(device, &options)?;
        backend.info.variant += origin;
        Ok(backend)
    }

    /// Opens a device with these options and ignores tuned values.
    ///
    /// # Errors
    /// As for [`Gpu::open`].
    pub fn untuned(device: &D, options: &GpuOptions) -> Result<Self, BackendError> {
        let mut gpu = block_on(Self::open_async(device, options))?;
        // The self-test must not appear in a measurement.
        gpu.profile();
        Ok(gpu)
    }

    /// Opens a device without the self-test, for tests that put errors into the kernels.
    ///
    /// # Errors
    /// As for [`Gpu::open`], without the self-test.
    pub fn untested(device: &D, options: &GpuOptions) -> Result<Self, BackendError> {
        block_on(Self::connect(device, options))
    }

    /// Puts an error into all kernels but the kernels of counting, in place of any earlier error, for tests. The kernels are compiled and tested
    /// again before their next use.
    pub fn mutate(&mut self, mutation: Mutation) {
        self.session.runner.interface.mutate(mutation);
        (self.merging_tested, self.categories_tested, self.minimax_tested) = (false, false, false);
    }

    /// Tests merging on the device. The larger lists of the test have several shards, as large lists have when buffers are small.
    fn test_merging(&mut self) -> Result<(), BackendError> {
        let GpuSettings { shard_entries, runs, .. } = self.session.runner.settings;
        let settings = &mut self.session.runner.settings;
        (settings.shard_entries, settings.keeps_levels) = (u64::MAX, true);
        let tested = block_on(sums::self_test(&mut self.session)).and_then(|()| {
            let settings = &mut self.session.runner.settings;
            (settings.shard_entries, settings.runs) = (SELF_TEST_SHARD_ENTRIES, SELF_TEST_RUNS);
            self_test::merging(self)
        });
        let settings = &mut self.session.runner.settings;
        (settings.shard_entries, settings.runs, settings.keeps_levels) = (shard_entries, runs, false);
        tested
    }

    /// Whether the device merges, rather than the host. The device that stores positions as six bitboards only counts.
    fn merges_on_device(&self) -> bool {
        !self.session.runner.settings.variants.boards48
    }

    /// Compiles and tests the kernels that distinguish the kinds of moves, unless this has been done already.
    fn prepare_categories(&mut self) -> Result<(), BackendError> {
        if self.categories_tested {
            return Ok(());
        }
        block_on(self.compile(&[Module::Categories]))?;
        self.categories_tested = true;
        self_test::categories(self).inspect_err(|_| {
            self.session.runner.interface.forget(Module::Categories);
            self.categories_tested = false;
        })
    }
}

impl<D: Device> Backend for Gpu<D>
where
    Self: Send,
{
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        block_on(counting::expand(&mut self.session, rules, positions))
    }

    fn perft(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u128>, BackendError> {
        let watching = Watching::new(watch, &mut self.pace);
        block_on(counting::perft(&mut self.session, rules, positions, depth, watching))
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError> {
        self.prepare_categories()?;
        let watching = Watching::new(watch, &mut self.kinds_pace);
        block_on(categories(&mut self.session, rules, positions, depth, watching))
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        if !self.merges_on_device() {
            return Ok(Box::new(HostMerge::new(self, rules, *options)));
        }
        if !self.merging_tested {
            let modules = Session::<D::Interface>::merging_modules(&self.session.runner.settings);
            block_on(self.compile(modules))?;
            self.merging_tested = true;
            let tested = self.test_merging();
            tested.inspect_err(|_| {
                modules.iter().for_each(|&module| self.session.runner.interface.forget(module));
                self.merging_tested = false;
            })?;
        }
        if options.categories {
            self.prepare_categories()?;
        }
        let merge = block_on(DeviceMerge::begin(&mut self.session, rules, options))?;
        Ok(Box::new(merge))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError> {
        if !self.minimax_tested {
            block_on(self.compile(&[Module::Minimax]))?;
            self.minimax_tested = true;
            self_test::minimax(self).inspect_err(|_| {
                self.session.runner.interface.forget(Module::Minimax);
                self.minimax_tested = false;
            })?;
        }
        let (near, far): (Vec<_>, Vec<_>) =
            positions.iter().partition(|position| is_near_fifty_moves(rules, position, depth));
        if near.is_empty() {
            return block_on(self.minimax.search(&mut self.session, rules, positions, depth, leaves, watch));
        }
        // The kernels do not know the fifty-move rule.
        let mut near = host::minimax(self, rules, &near, depth, leaves, watch)?.into_iter();
        let mut far = block_on(self.minimax.search(&mut self.session, rules, &far, depth, leaves, watch))?.into_iter();
        let scores = positions
            .iter()
            .map(|position| if is_near_fifty_moves(rules, position, depth) { near.next() } else { far.next() });
        Ok(scores.map(Option::unwrap_or_default).collect())
    }
}
