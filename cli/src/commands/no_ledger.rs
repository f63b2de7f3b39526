//! What needs ledgers, in a program without them.

use kogge::Backend;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::root::Tree;

fn missing<T>() -> Result<T, Failure> {
    Err(Failure::Input(format!(
        "This {}",
        kogge::built_without("ledgers, which also share work among devices", "ledger")
    )))
}

impl Job for args::Ledger {
    fn run(&self, _: &mut Context) -> Result<Answer, Failure> {
        missing()
    }
}

impl Job for args::Run {
    fn run(&self, _: &mut Context) -> Result<Answer, Failure> {
        missing()
    }
}

impl args::Perft {
    pub(crate) fn share(
        &self,
        _: &Tree,
        _: bool,
        _: Vec<Box<dyn Backend>>,
        _: &mut Context,
    ) -> Result<Answer, Failure> {
        missing()
    }
}
