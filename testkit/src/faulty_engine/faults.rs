//! The faults that can be planted.

/// The part of an engine in which a fault lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The list of a position's moves is wrong.
    Moves,
    /// A move leads to a wrong position.
    Make,
    /// Undoing a move leads to a wrong position, so a position's moves are right when it is asked alone.
    Undo,
    /// The hash table gives the count of another position or depth.
    Hash,
    /// The moves are counted rightly, and the answer is wrong.
    Sums,
    /// The engine does not answer, or prints what no engine should print.
    Process,
}

/// A fault that can be planted in the engine.
#[derive(Clone, Copy, Debug)]
pub struct PlantedFault {
    /// The name, for [`speak`](super::speak).
    pub name: &'static str,
    /// The part of the engine that is wrong.
    pub part: Part,
    /// What the engine does wrong: a sentence.
    pub sentence: &'static str,
    /// Positions and depths. If a new engine is asked for all of them in this order, its last answer is wrong.
    pub shown_by: &'static [(&'static str, u32)],
    /// The fault itself.
    pub(super) fault: Fault,
}

macro_rules! faults {
    ($($part:ident { $($fault:ident $name:literal $sentence:literal $shown_by:expr;)* })*) => {
        /// A fault; its meaning is in [`FAULTS`].
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Fault {
            $($($fault,)*)*
        }

        /// All faults.
        pub const FAULTS: &[PlantedFault] = &[$($(PlantedFault {
            name: $name,
            part: Part::$part,
            sentence: $sentence,
            shown_by: &$shown_by,
            fault: Fault::$fault,
        },)*)*];
    };
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const PROMOTION: &str = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";

faults! {
    Moves {
        EnPassantUncoversRank "en-passant-uncovers-rank"
            "En passant is allowed even if the king is then attacked along the rank that both pawns have left."
            [("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", 1)];
        EnPassantUncoversFile "en-passant-uncovers-file"
            "En passant is allowed even if the capturing pawn is pinned on its file."
            [("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 1)];
        EnPassantUncoversDiagonal "en-passant-uncovers-diagonal"
            "En passant is allowed even if the capturing pawn is pinned on a diagonal."
            [("4k2b/8/8/3pP3/8/2K5/8/8 w - d6 0 1", 1)];
        EnPassantEvasionMissing "en-passant-evasion-missing"
            "En passant is missing if the pawn that it captures gives check."
            [("4k3/8/8/2pP4/3K4/8/8/8 w - c6 0 1", 1)];
        SecondEnPassantMissing "second-en-passant-missing"
            "If two pawns can capture en passant, the right-hand pawn's capture is missing."
            [("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", 1)];
        CastlesThroughCheck "castles-through-check"
            "The king may castle over an attacked square."
            [("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", 1)];
        CastlesOutOfCheck "castles-out-of-check"
            "The king may castle while it is in check."
            [("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", 1)];
        CastlesIntoCheck "castles-into-check"
            "The king may castle to an attacked square."
            [("3k2r1/8/8/8/8/8/8/4K2R w K - 0 1", 1)];
        CastlingFearsB "castling-fears-b"
            "Castling queenside is missing if the square on file b is attacked."
            [("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 1)];
        CastlesOverB "castles-over-b"
            "Castling queenside is allowed even if a piece stands on file b."
            [("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", 1)];
        KnightPromotionMissing "knight-promotion-missing"
            "Promotions to a knight are missing."
            [(PROMOTION, 1)];
        RookPromotionMissing "rook-promotion-missing"
            "Promotions to a rook are missing."
            [(PROMOTION, 1)];
        PromotionToLeftMissing "promotion-to-left-missing"
            "Promotions by a capture towards file a are missing."
            [("1n5k/2P5/8/8/8/8/8/4K3 w - - 0 1", 1)];
        LeavesDiagonalPin "leaves-diagonal-pin"
            "A piece other than a pawn may leave a pin on a diagonal."
            [("4k3/8/8/8/7b/8/5N2/4K3 w - - 0 1", 1)];
        PinnedPawnCaptures "pinned-pawn-captures"
            "A pinned pawn may capture off the line of its pin."
            [("4r2k/8/8/8/8/3b4/4P3/4K3 w - - 0 1", 1)];
        DoubleCheckIgnored "double-check-ignored"
            "In double check, a piece other than the king may end one of the checks."
            [("4r2k/8/8/8/7b/8/R7/4K3 w - - 0 1", 1)];
        KingStepsBack "king-steps-back"
            "The king may step back along the ray of the piece that gives check."
            [("4r2k/8/8/8/8/8/4K3/8 w - - 0 1", 1)];
        KingCapturesProtected "king-captures-protected"
            "The king may capture a protected piece."
            [("4k3/8/8/8/8/5b2/4n3/4K3 w - - 0 1", 1)];
        KingsMayTouch "kings-may-touch"
            "The king may step beside the other king."
            [("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 1)];
        KnightWraps "knight-wraps"
            "A knight that leaves the board on one side comes back on the other side."
            [("4k3/8/8/8/7N/8/8/4K3 w - - 0 1", 1)];
        PawnWraps "pawn-wraps"
            "A pawn on file a captures on file h."
            [("4k3/8/8/8/P6n/8/8/4K3 w - - 0 1", 1)];
        DoublePushJumps "double-push-jumps"
            "A double push jumps over a piece."
            [("4k3/8/8/8/8/n7/P7/4K3 w - - 0 1", 1)];
        DoublePushFromSixth "double-push-from-sixth"
            "A black pawn may push twice from the sixth rank, too."
            [("4k3/8/p7/8/8/8/8/4K3 b - - 0 1", 1)];
        BishopStopsShort "bishop-stops-short"
            "A bishop goes at most six squares far."
            [("4k3/8/8/8/8/8/8/B3K3 w - - 0 1", 1)];
        KingMissesCorner "king-misses-corner"
            "The black king never goes to h8."
            [("6k1/8/8/8/8/8/8/4K3 b - - 0 1", 1)];
        ShortQueenList "short-queen-list"
            "Only eight queens of a side move."
            [(MOST_MOVES, 1)];
        ShortMoveList "short-move-list"
            "A position has at most 200 moves."
            [(MOST_MOVES, 1)];
    }
    Make {
        CapturedRookKeepsRight "captured-rook-keeps-right"
            "A capture on h8 leaves the castling right of the captured rook."
            [("r3k2r/8/8/8/8/8/1B6/4K3 w kq - 0 1", 2)];
        PromotionKeepsRight "promotion-keeps-right"
            "A promotion that captures a rook leaves the rook's castling right."
            [("r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1", 2)];
        RookKeepsRight "rook-keeps-right"
            "A rook that leaves a1 keeps its castling right."
            [("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3)];
        KingKeepsRights "king-keeps-rights"
            "The black king keeps its castling rights when it moves, so it may castle after its return."
            [("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", 5)];
        PassedSquareStays "passed-square-stays"
            "The en-passant square stays after other moves than double pushes."
            [("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", 4)];
        SinglePushIsPassed "single-push-is-passed"
            "A pawn can be captured en passant after a single push, on the square that it left."
            [("4k3/8/8/8/8/3p4/4P3/4K3 w - - 0 1", 2)];
    }
    Undo {
        UndoMisplacesPawn "undo-misplaces-pawn"
            "Undoing black's en passant puts the white pawn on the square that it passed."
            [("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", 2)];
        UndoForgetsRight "undo-forgets-right"
            "Undoing castling does not give its right back."
            [("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 3)];
        UndoLeavesQueen "undo-leaves-queen"
            "Undoing a promotion leaves a queen in place of the pawn."
            [(PROMOTION, 2)];
        UndoForgetsPassedSquare "undo-forgets-passed-square"
            "Undoing a move does not give the en-passant square back, so a later en passant captures nothing."
            [("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 2)];
    }
    Hash {
        KeyLacksEnPassant "key-lacks-en-passant"
            "The key of the hash table lacks the en-passant square."
            [("4k3/8/8/8/3p4/8/4P3/4K1N1 w - - 0 1", 5)];
        KeyLacksCastling "key-lacks-castling"
            "The key of the hash table lacks the castling rights."
            [("4k3/8/8/8/8/8/R7/R3K3 w Q - 0 1", 5)];
        TableIgnoresDepth "table-ignores-depth"
            "The hash table gives counts of another depth."
            [(START, 3), (START, 4)];
        TableCollides "table-collides"
            "The hash table compares 12 bits of the key, so answers differ between repetitions."
            [(KIWIPETE, 4)];
    }
    Sums {
        SumAddsOne "sum-adds-one"
            "The sum is one too large."
            [(START, 2)];
        ShortCounts "short-counts"
            "Counts have 16 bits."
            [(KIWIPETE, 4)];
        PrintsTwice "prints-twice"
            "The first move is printed twice."
            [(START, 2)];
        PromotionsLackLetter "promotions-lack-letter"
            "Promotions are printed without the letter of the new piece."
            [(PROMOTION, 1)];
    }
    Process {
        CrashesAtPromotion "crashes-at-promotion"
            "The engine crashes when it makes a promotion."
            [(PROMOTION, 2)];
        HangsAtEnPassant "hangs-at-en-passant"
            "The engine hangs at a position whose moves are all en passant."
            [("7k/8/5n2/r5pP/7K/r7/8/8 w - g6 0 1", 1)];
        SilentAtMate "silent-at-mate"
            "The engine prints nothing for a checkmate."
            [(MATE, 1)];
        PrintsGarbage "prints-garbage"
            "The first king's move that is no castling is printed with the target e9."
            [("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1)];
        ClosesOutput "closes-output"
            "The engine ends in the middle of an answer with more than ten moves."
            [(START, 2)];
    }
}

/// A set of faults.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Faults(u64);

impl Faults {
    pub(super) const fn with(self, fault: Fault) -> Self {
        Self(self.0 | 1 << fault as u32)
    }

    pub(super) const fn has(self, fault: Fault) -> bool {
        self.0 >> fault as u32 & 1 != 0
    }

    /// Returns whether a fault needs the hash table.
    pub(super) const fn need_table(self) -> bool {
        self.has(Fault::KeyLacksEnPassant)
            || self.has(Fault::KeyLacksCastling)
            || self.has(Fault::TableIgnoresDepth)
            || self.has(Fault::TableCollides)
    }
}
