//! Leaves below the entries of a list, weighted by multiplicity.

use std::ops::Range;

use super::list::List;
use super::sums::{Sums, needs_roots};
use crate::categories::KindsWalk;
use crate::counting::Walk;
use crate::interface::Interface;
use crate::runner::Retry;
use crate::session::Session;
use crate::watching::Span;

/// Adds the leaves below these entries to the sums, in all if `kinds` is one, else by kind. At depths up to two, no step waits
/// for the device.
pub(crate) async fn add_leaves<I: Interface>(
    session: &mut Session<I>,
    list: &List<I>,
    sums: &Sums<I>,
    entries: Range<u64>,
    depth: u32,
    kinds: usize,
) -> Result<(), Retry> {
    let mut rest = entries;
    while !rest.is_empty() {
        let sizes = session.sizes();
        let most = match kinds {
            // Only multiplicities are needed, so a batch is a whole shard.
            1 if !needs_roots(depth) => usize::MAX,
            1 => sizes.roots,
            _ => sizes.roots_by_kind(),
        };
        let batch = list.batch(&session.runner, &rest, most)?;
        let weights = batch.weights();
        if needs_roots(depth) {
            batch.load(session).await?;
        }
        if kinds > 1 {
            KindsWalk { session: &mut *session, watching: None }.count(weights.len, depth).await?;
            sums.add_by_kind(session, &weights).await?;
        } else if depth < 2 || !needs_roots(depth) {
            if depth == 1 {
                session.count_moves(0, weights.len).await?;
            }
            sums.add(session, &weights, depth).await?;
        } else {
            let collect = async |session: &mut Session<I>| {
                sums.add(session, &weights, depth).await?;
                session.clear_totals(weights.len)?;
                Ok(0)
            };
            let mut walk = Walk::new(session, collect, None);
            walk.descend(0, weights.len, depth, Span::WHOLE).await?;
            walk.collect().await?;
        }
        rest.start = batch.end;
    }
    Ok(())
}
