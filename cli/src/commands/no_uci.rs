//! `kogge uci`, in a program without the search.

use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};

/// Refuses to play.
pub(super) struct Uci;

impl Job for Uci {
    fn run(&self, _: &mut Context) -> Result<Answer, Failure> {
        Err(Failure::Input(format!("This {}", kogge::built_without("the search that plays", "search"))))
    }
}
