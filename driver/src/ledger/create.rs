//! Creation of a ledger with its frontier, or the check that an existing one has the same tree.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use kogge_board::{Backend, Fen};

use super::store::{castling, root_bytes};
use super::{Header, Ledger, LedgerError, Store, count};
use crate::calls::count as count_moves;
use crate::{Error, Frontier, Observer};

/// The least number of entries that a frontier should have, so that several devices can share them.
const ENOUGH: usize = 1_000;
/// The most entries of a frontier, unless a ply is asked for: rows cost time and memory.
const MOST: usize = 1 << 18;
/// The number of leaves that justify a row of their own: fractions of a second on any device.
const WORTH_A_ROW: f64 = 1e9;
/// The least number of plies below the entries, unless a ply is asked for.
const LEAST_BELOW: u32 = 2;
/// The most positions of a frontier before equal ones are merged: 8 GiB.
const LIMIT: u64 = 1 << 26;

/// The tree that a ledger is for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The root of the tree.
    pub root: &'a Fen,
    /// Plies below the root.
    pub depth: u32,
    /// The ply of the frontier; `None` chooses one by the sizes of the plies.
    pub ply: Option<u32>,
}

impl Ledger {
    /// Opens the ledger of a tree, or creates it, and returns whether it was created. An existing ledger keeps its ply.
    ///
    /// The backend makes the frontier; the observer may stop it.
    ///
    /// # Errors
    /// [`LedgerError::Other`] if the ledger has another root, depth or ply; if the tree does not have the ply; if the
    /// backend or the database fails.
    pub fn start(
        mut store: Box<dyn Store>,
        request: &Request<'_>,
        backend: &mut dyn Backend,
        observer: &dyn Observer,
    ) -> Result<(Self, bool), LedgerError> {
        let &Request { root, depth, ply } = request;
        if let Some(ply) = ply.filter(|&ply| ply > depth) {
            return Err(LedgerError::Ply { ply, depth });
        }
        let mut made = false;
        if store.header()?.is_none() {
            let (header, frontier) = begin(request, backend, observer)?;
            store.create(&header, &frontier)?;
            made = true;
        }
        let header = store.header()?.ok_or_else(|| LedgerError::NoLedger { location: store.location().to_owned() })?;
        let same_root = root_bytes(root) == header.root_bytes() && castling(root) == header.castling();
        if !same_root || depth != header.depth || ply.is_some_and(|ply| ply != header.ply) {
            return Err(LedgerError::Other {
                location: store.location().to_owned(),
                found: describe(&header.root, header.depth, ply.map(|_| header.ply)),
                wanted: describe(root, depth, ply),
            });
        }
        Ok((Self { header, store: Mutex::new(store) }, made))
    }
}

/// Describes a tree.
fn describe(root: &Fen, depth: u32, ply: Option<u32>) -> String {
    let ply = ply.map_or(String::new(), |ply| format!(" with its entries at ply {ply}"));
    format!("depth {depth} from {root}{ply}")
}

/// Returns the header and the frontier of a new ledger.
fn begin(
    request: &Request<'_>,
    backend: &mut dyn Backend,
    observer: &dyn Observer,
) -> Result<(Header, Frontier), LedgerError> {
    let &Request { root, depth, .. } = request;
    let frontier = match request.ply {
        Some(ply) => at_ply(root, ply, backend, observer)?,
        None => suggested(root, depth, backend, observer)?,
    };
    let ply = frontier.ply();
    let paths = frontier.total(&vec![1; frontier.len()])?;
    let header = Header {
        root: *root,
        depth,
        ply,
        plan: count::plan(depth - ply),
        entries: frontier.len() as u64,
        paths,
        kogge: env!("CARGO_PKG_VERSION").to_owned(),
        created: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64),
    };
    Ok((header, frontier))
}

/// Counts the positions of the next ply before equal ones are merged.
fn next_size(frontier: &Frontier, backend: &mut dyn Backend, observer: &dyn Observer) -> Result<u64, Error> {
    if observer.is_cancelled() {
        return Err(Error::Cancelled(Default::default()));
    }
    let counts = count_moves(backend, frontier.rules(), frontier.positions())?;
    Ok(counts.iter().copied().map(u64::from).sum())
}

/// Returns the merged frontier at a ply.
fn at_ply(root: &Fen, ply: u32, backend: &mut dyn Backend, observer: &dyn Observer) -> Result<Frontier, LedgerError> {
    let mut frontier = Frontier::of(root);
    while frontier.ply() < ply {
        let next = next_size(&frontier, backend, observer)?;
        if next > LIMIT {
            return Err(LedgerError::TooMany { ply: frontier.ply() + 1, positions: next, limit: LIMIT });
        }
        frontier = frontier.expand(backend)?.merge()?;
    }
    Ok(frontier)
}

/// Returns the merged frontier that divides the work best: thousands of entries, or more if each entry is still much
/// work.
fn suggested(
    root: &Fen,
    depth: u32,
    backend: &mut dyn Backend,
    observer: &dyn Observer,
) -> Result<Frontier, LedgerError> {
    let mut frontier = Frontier::of(root);
    while frontier.ply() + LEAST_BELOW < depth && !frontier.is_empty() {
        let next = next_size(&frontier, backend, observer)?;
        let moves = next as f64 / frontier.len() as f64;
        let below = moves.powi((depth - frontier.ply()).min(1000) as i32);
        // Merging leaves a third of the positions, or fewer.
        if next > 4 * MOST as u64 || frontier.len() >= ENOUGH && below < WORTH_A_ROW {
            break;
        }
        let deeper = frontier.expand(backend)?.merge()?;
        if deeper.len() > MOST {
            break;
        }
        frontier = deeper;
    }
    Ok(frontier)
}
