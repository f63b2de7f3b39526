//! The table of all kernels: their names, modules, buffers and scalars.
//!
//! Every interface has the same kernels in its own language. From the table, the macros below make
//! * [`Kernel`], [`Binding`] and [`Scalar`], which name kernels, buffers and scalars;
//! * [`Signature`]s, which interfaces use to bind arguments and tests use to check the kernels' sources;
//! * in `arguments.rs`, a struct of arguments for each kernel, which makes a wrong argument a compilation error.

/// Kernels that are compiled together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Module {
    /// Kernels that count and expand.
    Counting,
    /// Kernels that merge equal positions.
    Merging,
    /// Kernels that distinguish the kinds of moves.
    Categories,
    /// Kernels that expand in any order. [`Unordered`](crate::Unordered) defines when they are used.
    Unordered,
    /// A variant: the kernel that counts the last plies depth first. Not every interface has it.
    DepthFirst,
    /// Kernels that evaluate positions and back up values.
    Minimax,
}

/// A kernel's name, module and arguments.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The kernel.
    pub kernel: Kernel,
    /// Its name in the source.
    pub name: &'static str,
    /// The module that it belongs to.
    pub module: Module,
    /// Its buffers, in order.
    pub buffers: &'static [Binding],
    /// Its scalars, in order.
    pub scalars: &'static [Scalar],
}

impl Kernel {
    /// The kernel's signature.
    pub fn signature(self) -> &'static Signature {
        &SIGNATURES[self as usize]
    }

    /// Returns the kernels of some modules, in the table's order.
    pub fn of(modules: &[Module]) -> impl Iterator<Item = Self> {
        SIGNATURES.iter().filter(|signature| modules.contains(&signature.module)).map(|signature| signature.kernel)
    }
}

/// Defines [`Binding`] and, for each buffer, the type of its elements.
macro_rules! buffers {
    ($($(#[$doc:meta])* $name:ident: $element:ty, $access:ident, $wgsl:literal;)*) => {
        /// A buffer, by its name in the kernels. Its number is its index in the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types, reason = "the names are the kernels' own")]
        pub enum Binding { $($(#[$doc])* $name),* }

        impl Binding {
            /// All buffers, in the table's order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The buffer's name in the kernels.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            /// The type of the buffer's elements in WGSL. Memory holds 32-bit words, the same for both representations of a board.
            pub(crate) const fn element(self) -> &'static str {
                match self { $(Self::$name => $wgsl),* }
            }

            /// Whether kernels write the buffer.
            pub const fn is_written(self) -> bool {
                match self { $(Self::$name => buffers!(@$access)),* }
            }
        }

        /// The type of each buffer's elements.
        #[allow(non_camel_case_types, reason = "the names are the kernels' own")]
        pub(crate) mod element { $(pub(crate) type $name = $element;)* }
    };
    (@read) => { false };
    (@write) => { true };
}

/// Defines [`Scalar`].
macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A 32-bit number, by its name in the kernels. Its own number is its index in the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types, reason = "the names are the kernels' own")]
        pub enum Scalar { $($(#[$doc])* $name),* }

        impl Scalar {
            /// All scalars, in the table's order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The scalar's name in the kernels.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }
    };
}

/// Defines [`Kernel`] and [`SIGNATURES`].
macro_rules! kernels {
    ($($(#[$doc:meta])* $Kernel:ident, $name:literal, $module:ident: $($buffer:ident)* | $($scalar:ident)*;)*) => {
        /// A kernel.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Kernel { $($(#[$doc])* $Kernel),* }

        /// The signatures of all kernels, in the order of the source.
        pub const SIGNATURES: [Signature; [$(Kernel::$Kernel),*].len()] = [$(Signature {
            kernel: Kernel::$Kernel,
            name: $name,
            module: Module::$module,
            buffers: &[$(Binding::$buffer),*],
            scalars: &[$(Scalar::$scalar),*],
        }),*];
    };
}

/// A part of a position in device memory. A position has two parts, or three in a variant.
pub(crate) type Part = [u64; 2];

buffers! {
    /// Positions.
    positions: crate::kernels::Part, read, "vec4<u32>";
    /// Positions that a kernel makes.
    successors: crate::kernels::Part, write, "vec4<u32>";
    /// The index of each position's root.
    roots: u32, read, "u32";
    /// The index of each new position's root.
    successor_roots: u32, write, "u32";
    /// The number of legal moves of each position.
    counts: u32, read, "u32";
    /// `counts`, while it is written.
    new_counts: u32, write, "u32";
    /// The index of each position's first move within its block.
    offsets: u32, read, "u32";
    /// `offsets`, while it is written.
    new_offsets: u32, write, "u32";
    /// The number of moves of each block.
    block_sums: u32, write, "u32";
    /// The index of each block's first move.
    bases: u32, read, "u32";
    /// Moves: the packed move, and the index of its position.
    items: [u32; 2], read, "vec2<u32>";
    /// Moves that a kernel writes.
    new_items: [u32; 2], write, "vec2<u32>";
    /// The number of items; the second word counts successors in `expand_items`.
    item_count: u32, read, "u32";
    /// The number of new items; the second word counts successors, or it is set while searches run.
    new_item_count: u32, write, "atomic<u32>";
    /// Positions as `Quad48`.
    quads: kogge_board::Quad48, read, "vec4<u32>";
    /// Successors as `Quad48`.
    successor_quads: kogge_board::Quad48, write, "vec4<u32>";
    /// A header, whose first word is set if a queue overflowed; then 64 bits for each root, low word first. If moves are counted
    /// by kind, the totals of all roots for one kind are followed by those for the next kind.
    totals: [u32; 2], write, "atomic<u32>";
    /// `totals`, read only.
    known_totals: [u32; 2], read, "vec2<u32>";
    /// The lines through each square and the leaps from it, in pairs of boards; then magic attacks in some variants.
    lines: [u64; 2], read, "vec4<u32>";
    /// The distinct positions of a ply.
    entries: crate::kernels::Part, read, "vec4<u32>";
    /// The multiplicity of each entry: 128 bits, low word first.
    multiplicities: [u32; 4], write, "array<atomic<u32>, 4>";
    /// `multiplicities` while a kernel writes new entries, each by one work-item.
    new_multiplicities: [u32; 4], write, "vec4<u32>";
    /// The multiplicity of each root.
    root_multiplicities: [u32; 4], read, "vec4<u32>";
    /// The multiplicity of each candidate that took a slot.
    candidate_multiplicities: [u32; 4], write, "array<atomic<u32>, 4>";
    /// `candidate_multiplicities` while each is taken by one work-item.
    taken_multiplicities: [u32; 4], write, "vec4<u32>";
    /// The hash table: 0 in a free slot; otherwise the number of an entry, from 1, or the number of a candidate with
    /// the highest bit set.
    slots: u32, write, "atomic<u32>";
    /// The slot that each candidate took; all ones for candidates that took no slot. If there are several shards, candidates
    /// are sorted.
    taken: u32, write, "u32";
    /// The length of the list, the number of fresh candidates or of diagrams, and two flags: the list is full, a multiplicity
    /// overflowed.
    merge_state: u32, write, "atomic<u32>";
    /// A header, whose first word is set if a queue overflowed; then sums of 256 bits, low word first.
    sums: [u32; 8], write, "u32";
    /// The value of each position, as a signed number.
    values: u32, write, "i32";
    /// The value of each successor.
    successor_values: u32, read, "i32";
    /// The positions on the path of each quiescence search.
    nodes: [u64; 8], write, "vec4<u32>";
    /// The state of each quiescence search: the index of its position, and the ply.
    states: [u32; 2], write, "vec2<u32>";
    /// The multiplicity of each entry that was selected.
    selected_multiplicities: [u32; 4], write, "vec4<u32>";
    /// The number of entries that were selected.
    selected_count: u32, write, "atomic<u32>";
    /// For each root, the number of its candidates that pass the filter.
    kept_counts: u32, write, "atomic<u32>";
    /// The shard of each candidate that passes the filter, and all ones for the other candidates.
    candidate_shards: u32, write, "u32";
    /// For each shard, the end of its candidates in the rest of the buffer; then the candidates that pass the filter,
    /// sorted by shard.
    sorted: u32, read, "u32";
    /// `sorted`, while it is written.
    new_sorted: u32, write, "atomic<u32>";
    /// The pieces of the other side that an order ignores: the planes of their codes, low words first.
    reference: u32, read, "u32";
    /// For each part of the hashes of the opponent's pieces, the number of its entries, or the index for the part's next entry.
    opponent_counts: u32, write, "atomic<u32>";
    /// The numbers of the entries, in the order of the other side's pieces.
    order: u32, read, "u32";
    /// `order`, while it is written.
    new_order: u32, write, "u32";
}

scalars! {
    /// The first element to work on.
    first,
    /// The end of the elements to work on.
    end,
    /// The files of the castling rooks, one byte each.
    castling_files,
    /// Whether the halfmove clock is kept.
    halfmove_clock,
    /// The shard of the list.
    shard_index,
    /// The number of shards.
    shard_count,
    /// The bits of the hash that the table uses.
    hash_mask,
    /// The number of slots of the hash table.
    slot_count,
    /// The part of the diagrams.
    part,
    /// The number of parts of the diagrams.
    parts,
    /// Whether the table is searched again after the candidates are appended, so that its slots must refer to the new entries.
    keeps_slots,
    /// The number of lower bits of a hash that an order ignores.
    shift,
    /// Twice the plies from a successor that is kept to the ply of the range, plus one if the keys are reversed; `u32::MAX` if all are kept.
    filter_kind,
    /// The number of entries that each shard contributes while the shards take turns.
    turns,
    /// The index of the shard's first entry after these turns.
    at,
    /// The maximum number of successors, entries or moves.
    capacity,
    /// The maximum number of items.
    item_capacity,
    /// The depth in plies.
    depth,
    /// The index of the kind of moves in [`Categories`](kogge_board::Categories).
    kind,
    /// The distance from one entry to the next, or from the totals of a kind to the totals of the next.
    stride,
    /// The number of work-items that search.
    lanes,
    /// The number of positions that each work-item searches in one launch.
    steps,
    /// The least key of the range: the pawns of the side to move, low word.
    first_own_low,
    /// The same pawns, high word.
    first_own_high,
    /// The pawns of the other side, low word.
    first_theirs_low,
    /// The same pawns, high word.
    first_theirs_high,
    /// The hash.
    first_hash,
    /// The greatest key of the range: the pawns of the side to move, low word.
    last_own_low,
    /// The same pawns, high word.
    last_own_high,
    /// The pawns of the other side, low word.
    last_theirs_low,
    /// The same pawns, high word.
    last_theirs_high,
    /// The hash.
    last_hash,
}

/// Passes the table of kernels to a macro.
macro_rules! with_kernels {
    ($define:ident) => {
        $define! {
            /// Unpacks `Quad48` into level 0; each position becomes a root.
            Upload, "upload", Counting: successors successor_roots quads | end castling_files;
            /// Counts the legal moves of each position.
            Count, "count", Counting: positions new_counts lines | end;
            /// Scans the counts of each block.
            Scan, "scan", Counting: counts new_offsets block_sums | end;
            /// Makes the successor of each item.
            Make, "make", Counting: positions successors roots successor_roots items | end;
            /// Makes the successor of each item as `Quad48`.
            MakeQuads, "make_quads", Counting: items quads successor_quads | end castling_files halfmove_clock;
            /// Writes the moves of positions in generation order.
            WriteMoves, "write_moves", Counting: positions counts offsets bases new_items lines | first end;
            /// Counts the replies to moves in closed form where possible; the other moves become items.
            ClosedForm, "closed_form", Counting: positions roots new_items new_item_count totals lines | first end item_capacity;
            /// Counts the replies to each item.
            CountReplies, "count_replies", Counting: positions roots items item_count totals lines | item_capacity;
            /// Loads entries into level 0; each becomes a root.
            LoadEntries, "load_entries", Merging: successors successor_roots entries | first end;
            /// Loads every `stride`-th entry that may have successors in a range into level 0; each becomes a root.
            SelectEntries, "select_entries", Merging:
                successors successor_roots entries root_multiplicities selected_multiplicities selected_count |
                first end filter_kind capacity stride
                first_own_low first_own_high first_theirs_low first_theirs_high first_hash
                last_own_low last_own_high last_theirs_low last_theirs_high last_hash;
            /// Counts the entries of each part of the hashes of the other side's pieces.
            CountByOpponent, "count_by_opponent", Merging: entries reference opponent_counts | end shift;
            /// Puts the numbers of the entries in the order of these parts.
            OrderByOpponent, "order_by_opponent", Merging: entries reference opponent_counts new_order | end shift;
            /// Loads entries in order into level 0, with their multiplicities; each becomes a root.
            LoadOrdered, "load_ordered", Merging:
                successors successor_roots entries root_multiplicities selected_multiplicities order |
                first end shard_index shard_count turns at;
            /// Takes the root from each candidate from which no moves may lead into a range.
            DropOthers, "drop_others", Merging:
                positions successor_roots | end filter_kind
                first_own_low first_own_high first_theirs_low first_theirs_high first_hash
                last_own_low last_own_high last_theirs_low last_theirs_high last_hash;
            /// Finds the slot of each candidate that passes the filter.
            Insert, "insert", Merging:
                positions roots entries multiplicities root_multiplicities candidate_multiplicities slots taken merge_state
                kept_counts |
                first end hash_mask slot_count filter_kind
                first_own_low first_own_high first_theirs_low first_theirs_high first_hash
                last_own_low last_own_high last_theirs_low last_theirs_high last_hash;
            /// Finds the slot of each candidate of a shard.
            InsertSorted, "insert_sorted", Merging:
                positions roots entries multiplicities root_multiplicities candidate_multiplicities slots taken merge_state
                sorted |
                first shard_index shard_count hash_mask slot_count;
            /// Appends the candidates that took a slot to the list.
            Append, "append", Merging:
                positions successors new_multiplicities taken_multiplicities slots taken merge_state sorted |
                end shard_index shard_count keeps_slots capacity;
            /// Updates the length of the list.
            NoteAppended, "note_appended", Merging: merge_state | capacity;
            /// Adds leaves of a kind, weighted by multiplicity, to sums after the header, one for each kind and work-group.
            WeightedSums, "weighted_sums", Merging:
                counts known_totals root_multiplicities sums | first end depth kind stride;
            /// Counts the diagrams of a shard's entries in one of several parts.
            CountDiagrams, "count_diagrams", Merging:
                entries slots merge_state | end hash_mask slot_count part parts;
            /// Finds the shard of each candidate that passes the filter, and counts the candidates of each shard.
            CountShards, "count_shards", Merging:
                positions roots kept_counts candidate_shards new_sorted |
                end shard_count filter_kind
                first_own_low first_own_high first_theirs_low first_theirs_high first_hash
                last_own_low last_own_high last_theirs_low last_theirs_high last_hash;
            /// Turns the number of each shard's candidates into the index of its first one.
            ScanShards, "scan_shards", Merging: new_sorted | shard_count;
            /// Sorts by shard the candidates that pass the filter.
            SortByShard, "sort_by_shard", Merging: candidate_shards new_sorted | end shard_count;
            /// Counts ordinary moves, and the captures among them. All moves that may be of another kind become items.
            ClassifyMoves, "classify_moves", Categories:
                positions roots new_items new_item_count totals lines | first end item_capacity stride;
            /// Counts the moves of the items by kind.
            ClassifyItems, "classify_items", Categories:
                positions roots items item_count totals lines | item_capacity stride;
            /// Makes the successors of positions in any order, and counts them. Some successors that do not pass the
            /// filter are left out.
            ExpandUnordered, "expand_unordered", Unordered:
                positions successors roots successor_roots new_counts new_items new_item_count lines |
                first end filter_kind capacity item_capacity
                first_own_low first_own_high first_theirs_low first_theirs_high first_hash
                last_own_low last_own_high last_theirs_low last_theirs_high last_hash;
            /// Makes the successors of the items that `expand_unordered` wrote.
            ExpandItems, "expand_items", Unordered:
                positions successors roots successor_roots items new_item_count lines | capacity item_capacity;
            /// Counts the leaves below each position depth first.
            DepthFirst, "depth_first", DepthFirst: positions roots totals lines | first end depth;
            /// Evaluates positions.
            Evaluate, "evaluate", Minimax: positions lines values | first end;
            /// Finds the quiescence value of each leaf.
            Quiesce, "quiesce", Minimax:
                positions new_items new_item_count totals lines values nodes states | end capacity depth lanes steps;
            /// Backs up the values of successors to their positions.
            BackUp, "back_up", Minimax: positions counts offsets bases values successor_values | first end;
        }
    };
}

pub(crate) use with_kernels;

with_kernels!(kernels);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_fits_browsers() {
        for (index, signature) in SIGNATURES.iter().enumerate() {
            assert_eq!(signature.kernel as usize, index);
            assert!(signature.buffers.len() <= 10, "browsers bind at most 10 storage buffers: {}", signature.name);
            let buffers = signature.buffers.iter().map(|&buffer| buffer as usize);
            assert!(buffers.is_sorted(), "{} takes buffers in the table's order", signature.name);
            let scalars = signature.scalars.iter().map(|&scalar| scalar as usize);
            assert!(scalars.is_sorted(), "{} takes scalars in the table's order", signature.name);
        }
    }
}
