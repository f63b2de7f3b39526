//! Creates a ledger with its entries, or checks that an existing ledger has the same tree.

use std::time::{SystemTime, UNIX_EPOCH};

use kogge_board::{Backend, Fen};

use crate::store::{castling, packed, root_bytes};
use crate::{Header, Item, Kind, Ledger, LedgerError, LedgerStore, checksum, count};
use kogge_driver::{
    Division, DivisionRequest, Driver, Error, Frontier, LEAST_MERGED_DEPTH, MergeDevice, Observer, Quantity,
};

/// The minimum number of entries that a frontier should have, so that several devices can share them.
const ENOUGH: usize = 1_000;
/// The maximum number of entries of a frontier, unless a ply is requested: rows cost time and memory.
const MOST: usize = 1 << 18;
/// The number of leaves that justify a separate row: fractions of a second on any device.
const WORTH_A_ROW: f64 = 1e9;
/// The minimum number of plies below the entries, unless a ply is requested.
const LEAST_BELOW: u32 = 2;
/// The maximum number of positions of a frontier before equal ones are merged: 8 GiB.
const LIMIT: u64 = 1 << 26;

/// The tree of a ledger to open or create.
#[derive(Clone, Copy, Debug)]
pub struct LedgerRequest<'a> {
    /// The root of the tree.
    pub root: &'a Fen,
    /// The depth of the tree in plies.
    pub depth: u32,
    /// The kind of the entries. `None` accepts an existing ledger of any kind, and makes a merged ledger if the tree is deep
    /// enough. [`Kind::ReversedRanges`] makes ranges of reversed keys only if they are better for the device.
    pub kind: Option<Kind>,
    /// The quantity that is counted below the entries. `None` accepts any quantity in an existing ledger, and counts all leaves
    /// in a new one. Leaves can be counted by kind only below ranges.
    pub counted: Option<Quantity>,
    /// The ply of the entries; with `None`, the sizes of the plies decide.
    pub ply: Option<u32>,
    /// The approximate number of ranges of a new merged ledger; with `None`, the size of the ply decides.
    pub entries: Option<u32>,
    /// Whether every path to a position of a new frontier gets its own entry, so that every leaf is counted.
    pub every_path: bool,
}

impl LedgerRequest<'_> {
    fn new_kind(&self) -> Kind {
        let asks_for_ranges =
            self.ply.is_some() || self.entries.is_some() || self.counted == Some(Quantity::Categories);
        let is_merged = self.depth >= LEAST_MERGED_DEPTH || asks_for_ranges && self.depth > 0;
        self.kind.unwrap_or(if is_merged { Kind::Ranges } else { Kind::Positions })
    }

    fn new_counted(&self) -> Quantity {
        self.counted.unwrap_or_default()
    }

    /// Describes the tree. The text names the kind, the ply and the quantity if they were requested.
    fn describe(&self, root: &Fen, depth: u32, (kind, counted): (Kind, Quantity), ply: u32) -> String {
        let counted = match counted {
            _ if self.counted.is_none() => "",
            Quantity::Leaves => ", counting leaves",
            Quantity::Categories => ", counting leaves by kinds of moves",
        };
        let kind = match kind {
            _ if self.kind.is_none() => "",
            Kind::Positions => " without merging",
            Kind::Ranges | Kind::ReversedRanges => " with merging",
        };
        let ply = self.ply.map_or(String::new(), |_| format!(" with its entries at ply {ply}"));
        format!("depth {depth} from {root}{kind}{ply}{counted}")
    }
}

impl Ledger {
    /// Opens the ledger of a tree, or creates it, and returns whether it was created. An existing ledger keeps its entries.
    ///
    /// The first device makes the entries, for all of them and for others that join later; the observer may stop it.
    ///
    /// # Errors
    /// [`LedgerError::Other`] if the ledger has another root, depth, kind or ply; if the tree cannot have such entries; if the device
    /// or the database fails.
    pub fn start(
        mut store: Box<dyn LedgerStore>,
        request: &LedgerRequest<'_>,
        devices: &mut [MergeDevice],
        observer: &dyn Observer,
    ) -> Result<(Self, bool), LedgerError> {
        let &LedgerRequest { root, depth, kind, counted, ply, .. } = request;
        if let Some(ply) = ply.filter(|&ply| ply > depth) {
            return Err(LedgerError::Ply { ply, depth });
        }
        let mut made = false;
        if store.header()?.is_none() {
            let (header, items) = begin(request, devices, observer)?;
            store.create(&header, &items)?;
            made = true;
        }
        let ledger = Self::open(store)?;
        let header = ledger.header();
        let same_root = root_bytes(root) == header.root_bytes() && castling(root) == header.castling();
        let same_entries = kind.is_none_or(|kind| kind.is_ranges() == header.kind.is_ranges())
            && counted.is_none_or(|counted| counted == header.counted)
            && ply.is_none_or(|ply| ply == header.ply);
        if !same_root || depth != header.depth || !same_entries {
            return Err(LedgerError::Other {
                location: ledger.location(),
                found: request.describe(&header.root, header.depth, (header.kind, header.counted), header.ply),
                wanted: request.describe(
                    root,
                    depth,
                    (kind.unwrap_or(header.kind), counted.unwrap_or(header.counted)),
                    ply.unwrap_or(header.ply),
                ),
            });
        }
        Ok((ledger, made))
    }
}

fn begin(
    request: &LedgerRequest<'_>,
    devices: &mut [MergeDevice],
    observer: &dyn Observer,
) -> Result<(Header, Vec<Item>), LedgerError> {
    let &LedgerRequest { root, depth, .. } = request;
    let (kind, counted) = (request.new_kind(), request.new_counted());
    if kind == Kind::Positions && counted == Quantity::Categories {
        return Err(LedgerError::KindsOfPositions);
    }
    let several = devices.len() as u32;
    let kind_of = |device: &MergeDevice| (device.backend.info().backend, device.backend.info().name.clone());
    let are_alike = devices.windows(2).all(|pair| kind_of(&pair[0]) == kind_of(&pair[1]));
    let first = devices.first_mut().ok_or(LedgerError::NoDevices)?;
    let (kind, ply, paths, items) = match kind {
        Kind::Positions => positions(request, &mut *first.backend, observer)?,
        Kind::Ranges => ranges(request, first, None, are_alike, observer)?,
        Kind::ReversedRanges => ranges(request, first, Some(several), are_alike, observer)?,
    };
    let mut header = Header {
        kind,
        counted,
        root: *root,
        depth,
        ply,
        plan: count::plan(kind, counted, ply, depth),
        entries: items.len() as u64,
        paths,
        kogge: env!("CARGO_PKG_VERSION").to_owned(),
        created: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64),
        checksum: 0,
    };
    header.checksum = checksum::of_new(&header, &items);
    Ok((header, items))
}

/// Entries: their kind and ply, the number of paths to them, and the positions or ranges.
type Entries = (Kind, u32, u128, Vec<Item>);

fn positions(
    request: &LedgerRequest<'_>,
    backend: &mut dyn Backend,
    observer: &dyn Observer,
) -> Result<Entries, LedgerError> {
    let &LedgerRequest { root, depth, .. } = request;
    let frontier = match request.ply {
        _ if request.every_path => Driver::new(backend, observer).frontier(root, depth)?,
        Some(ply) => at_ply(root, ply, backend, observer)?,
        None => suggested(root, depth, backend, observer)?,
    };
    let paths = frontier.total(&vec![1; frontier.len()])?;
    let positions = frontier.positions().iter().zip(frontier.multiplicities());
    let item = |(position, &multiplicity)| Item::Position { packed: packed(&Into::into(position)), multiplicity };
    Ok((Kind::Positions, frontier.ply(), paths, positions.map(item).collect()))
}

fn ranges(
    request: &LedgerRequest<'_>,
    device: &mut MergeDevice,
    devices: Option<u32>,
    are_alike: bool,
    observer: &dyn Observer,
) -> Result<Entries, LedgerError> {
    let &LedgerRequest { root, depth, ply, entries, .. } = request;
    let counted = request.new_counted();
    let possible = Division::plies(depth, counted);
    if let Some(ply) = ply.filter(|ply| !possible.contains(ply)) {
        return Err(LedgerError::MergedPly { ply, depth, least: *possible.start(), most: *possible.end() });
    }
    let wanted = DivisionRequest { ply, ranges: entries, counted, devices, are_alike };
    let Division { ply, ranges, is_reversed, paths } = Division::of(device, root, depth, &wanted, observer)?;
    let kind = if is_reversed { Kind::ReversedRanges } else { Kind::Ranges };
    Ok((kind, ply, paths, ranges.into_iter().map(Item::Range).collect()))
}

/// Counts the positions of the next ply before equal ones are merged.
fn next_size(frontier: &Frontier, backend: &mut dyn Backend, observer: &dyn Observer) -> Result<u64, Error> {
    let counts = Driver::new(backend, observer).count_below(frontier, 1)?;
    // No position has 2^32 moves, and no memory holds 2^32 positions.
    Ok(counts.iter().map(|&count: &u128| count as u64).sum())
}

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

/// Returns the merged frontier that divides the work best: thousands of entries, or more entries if each is still much work.
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
        // Merging leaves at most a third of the positions.
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
