//! A backend that behaves like another one, except for the calls that a test replaces.

use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, Watch, host, report,
};

type Result<T> = std::result::Result<T, BackendError>;
type Before<'a> = Box<dyn FnMut(&[Quad48]) -> Result<()> + Send + 'a>;
type Expand<'a, B> = Box<dyn FnMut(&mut B, &Rules, &[Quad48]) -> Result<Successors> + Send + 'a>;
type Perft<'a, B> = Box<dyn FnMut(&mut B, &Rules, &[Quad48], u32) -> Result<Vec<u128>> + Send + 'a>;
type Search<'a, B> = Box<dyn FnMut(&mut B, &Rules, &[Quad48], u32, Leaves) -> Result<Vec<Score>> + Send + 'a>;
type Merging<'a, B> =
    Box<dyn for<'m> FnMut(&'m mut B, &Rules, &MergeOptions) -> Result<Box<dyn Merge + 'm>> + Send + 'a>;

/// A backend that behaves like another one, except for the calls that a test replaces. It merges and searches on the host
/// unless a test replaces that.
pub struct Wrapped<'a, B> {
    backend: B,
    info: DeviceInfo,
    before: Option<Before<'a>>,
    expand: Option<Expand<'a, B>>,
    perft: Option<Perft<'a, B>>,
    minimax: Option<Search<'a, B>>,
    merge: Option<Merging<'a, B>>,
}

impl<'a, B: Backend> Wrapped<'a, B> {
    /// Wraps a backend.
    pub fn new(backend: B) -> Self {
        let info = backend.info().clone();
        Self { backend, info, before: None, expand: None, perft: None, minimax: None, merge: None }
    }

    /// Replaces the description of the device.
    #[must_use]
    pub fn described(self, info: DeviceInfo) -> Self {
        Self { info, ..self }
    }

    /// Calls a function before leaves are counted, also before they are counted by kind.
    #[must_use]
    pub fn before(self, before: impl FnMut(&[Quad48]) -> Result<()> + Send + 'a) -> Self {
        Self { before: Some(Box::new(before)), ..self }
    }

    /// Replaces `expand`; all counts then come from its successors.
    #[must_use]
    pub fn expand(self, expand: impl FnMut(&mut B, &Rules, &[Quad48]) -> Result<Successors> + Send + 'a) -> Self {
        Self { expand: Some(Box::new(expand)), ..self }
    }

    /// Replaces `perft`.
    #[must_use]
    pub fn perft(self, perft: impl FnMut(&mut B, &Rules, &[Quad48], u32) -> Result<Vec<u128>> + Send + 'a) -> Self {
        Self { perft: Some(Box::new(perft)), ..self }
    }

    /// Replaces `minimax`.
    #[must_use]
    pub fn minimax(
        self,
        minimax: impl FnMut(&mut B, &Rules, &[Quad48], u32, Leaves) -> Result<Vec<Score>> + Send + 'a,
    ) -> Self {
        Self { minimax: Some(Box::new(minimax)), ..self }
    }

    /// Replaces `merge`.
    #[must_use]
    pub fn merge(
        self,
        merge: impl for<'m> FnMut(&'m mut B, &Rules, &MergeOptions) -> Result<Box<dyn Merge + 'm>> + Send + 'a,
    ) -> Self {
        Self { merge: Some(Box::new(merge)), ..self }
    }

    fn call_before(&mut self, positions: &[Quad48]) -> Result<()> {
        self.before.as_mut().map_or(Ok(()), |before| before(positions))
    }
}

impl<B: Backend> Backend for Wrapped<'_, B> {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors> {
        match &mut self.expand {
            Some(expand) => expand(&mut self.backend, rules, positions),
            None => self.backend.expand(rules, positions),
        }
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32, watch: &mut Watch<'_>) -> Result<Vec<u128>> {
        self.call_before(positions)?;
        match &mut self.perft {
            Some(perft) => return perft(&mut self.backend, rules, positions, depth),
            None if self.expand.is_none() => return self.backend.perft(rules, positions, depth, watch),
            None if depth == 0 => return Ok(vec![1; positions.len()]),
            None => {}
        }
        let below = |position: &Quad48| {
            let children = Backend::expand(self, rules, &[*position])?.positions;
            Ok(Backend::perft(self, rules, &children, depth - 1, watch)?.into_iter().sum())
        };
        positions.iter().map(below).collect()
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>> {
        self.call_before(positions)?;
        if self.expand.is_some() {
            let reason = "a test has replaced its successors.".to_owned();
            return Err(BackendError::Unavailable { backend: self.info.backend, reason });
        }
        self.backend.categories(rules, positions, depth, watch)
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>> {
        report(watch, 0, 0.0)?;
        match &mut self.minimax {
            Some(minimax) => minimax(&mut self.backend, rules, positions, depth, leaves),
            None => host::minimax(self, rules, positions, depth, leaves, watch),
        }
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>> {
        match &mut self.merge {
            Some(merge) => merge(&mut self.backend, rules, options),
            None => Ok(Box::new(host::HostMerge::new(self, rules, *options))),
        }
    }
}
