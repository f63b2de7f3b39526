//! Counting for callers that cannot make a thread wait, such as a page in a browser.

use kogge_board::self_test::{KindsQuestion, Question, Way, questions, questions_by_kind};
use kogge_board::{BackendError, Categories, DeviceInfo, Quad48, Rules, Watch, unwatched};
use web_time::Instant;

use crate::categories::categories;
use crate::counting;
use crate::device::{Device, Gpu};
use crate::interface::Interface;
use crate::kernels::Module;
use crate::settings::GpuOptions;
use crate::watching::Watching;

impl<D: Device> Gpu<D> {
    /// Opens a device with these options, compiles the kernels that count, and runs the self-test of counting. Tuned values are
    /// ignored.
    ///
    /// # Errors
    /// If the device cannot be used; if the options do not fit; if the kernels cannot be compiled; or if the device gives wrong
    /// answers.
    pub async fn open_async(device: &D, options: &GpuOptions) -> Result<Self, BackendError> {
        let mut gpu = Self::connect(device, options).await?;
        let start = Instant::now();
        for question in questions() {
            let Question { rules, positions, way, .. } = &question;
            let answers = match *way {
                Way::Perft(depth) => gpu.perft_async(rules, positions, depth, &mut unwatched).await?,
                Way::Expand => {
                    let successors = counting::expand(&mut gpu.session, rules, positions).await?;
                    let counts = gpu.perft_async(rules, &successors.positions, 1, &mut unwatched).await?;
                    Question::sums(&successors, &counts)
                }
            };
            question.check(&gpu.info.name, &answers)?;
        }
        gpu.opening.self_test = start.elapsed();
        Ok(gpu)
    }

    /// Describes the device, as [`Backend::info`](kogge_board::Backend::info).
    pub fn device_info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Counts the leaves `depth` plies below each position, as [`Backend::perft`](kogge_board::Backend::perft).
    ///
    /// # Errors
    /// If the device fails, or if `watch` breaks.
    pub async fn perft_async(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u128>, BackendError> {
        let watching = Watching::new(watch, &mut self.pace);
        counting::perft(&mut self.session, rules, positions, depth, watching).await
    }

    /// Counts the leaves `depth` plies below each position by the kinds of moves that lead to them, as
    /// [`Backend::categories`](kogge_board::Backend::categories). The first call compiles the kernels and runs their
    /// self-test.
    ///
    /// # Errors
    /// If the device fails or gives wrong answers in the self-test, or if `watch` breaks.
    pub async fn categories_async(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError> {
        if !self.categories_tested {
            self.compile(&[Module::Categories]).await?;
            let tested = self.test_categories().await;
            self.categories_tested = tested.is_ok();
            tested.inspect_err(|_| self.session.runner.interface.forget(Module::Categories))?;
        }
        let watching = Watching::new(watch, &mut self.kinds_pace);
        categories(&mut self.session, rules, positions, depth, watching).await
    }

    /// Runs the self-test of the kinds of moves. Nothing is merged.
    async fn test_categories(&mut self) -> Result<(), BackendError> {
        for question in questions_by_kind() {
            let KindsQuestion { rules, positions, .. } = &question;
            let mut watch = unwatched;
            let watching = Watching::new(&mut watch, &mut self.kinds_pace);
            let found = categories(&mut self.session, rules, positions, KindsQuestion::DEPTH, watching).await?;
            question.check(&self.info.name, &found)?;
        }
        Ok(())
    }
}
