//! The rules, their tags, and their titles.

/// Makes the enum and its tables from one list, so that they cannot disagree.
macro_rules! rules {
    ($($(#[$more:meta])* $variant:ident $name:literal $title:literal;)*) => {
        /// A rule of chess that move generators get wrong.
        ///
        /// Special rules come before general ones: a move that several rules concern is named by the first of them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
        pub enum Rule {
            $(
                #[doc = concat!("The rule about ", $title, ".")]
                $(#[$more])*
                $variant,
            )*
        }

        impl Rule {
            /// All rules, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The tag of the rule, such as `en-passant-uncovers-rank`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The rule in words, such as "en passant that uncovers a rank".
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }
        }
    };
}

rules! {
    // The list of moves as a whole.
    ///
    /// Counts go on after the fifty moves of the draw. It is named if the clock of the position has reached them.
    FiftyMoves "fifty-moves" "fifty moves without a capture or a pawn move, which end no count";
    ///
    /// There are at most 218. It is named from 100 moves.
    ManyMoves "many-moves" "many queens and up to 218 moves";
    GameOver "game-over" "checkmate and stalemate, where no move is legal";

    // En passant.
    EnPassantUncoversRank "en-passant-uncovers-rank" "en passant that uncovers a rank";
    EnPassantUncoversFile "en-passant-uncovers-file" "en passant that uncovers a file";
    EnPassantUncoversDiagonal "en-passant-uncovers-diagonal" "en passant that uncovers a diagonal, or stays on it";
    EnPassantInCheck "en-passant-in-check" "en passant in check, which must end the check";
    EnPassantByEither "en-passant-by-either" "en passant by either of two pawns";
    EnPassantTooLate "en-passant-too-late" "en passant only directly after the double push";
    EnPassantGivesCheck "en-passant-gives-check" "en passant that discovers a check";
    EnPassant "en-passant" "en passant";

    // Castling rights.
    RightLostByKing "right-lost-by-king" "castling rights lost by the king's move";
    RightLostByKingsideRook "right-lost-by-kingside-rook" "the castling right lost by the move of the kingside rook";
    RightLostByQueensideRook "right-lost-by-queenside-rook" "the castling right lost by the move of the queenside rook";
    PromotionTakesRight "promotion-takes-right" "a promotion that captures a rook and takes a castling right";
    KingsideRookCaptured "kingside-rook-captured" "the castling right lost by the capture of the kingside rook";
    QueensideRookCaptured "queenside-rook-captured" "the castling right lost by the capture of the queenside rook";
    CastlingWithoutRight "castling-without-right" "castling without the right";

    // Castling.
    CastlingBlocked "castling-blocked" "castling with a piece in the way";
    CastlingOutOfCheck "castling-out-of-check" "castling out of check";
    CastlingThroughCheck "castling-through-check" "castling through an attacked square";
    CastlingIntoCheck "castling-into-check" "castling into check";
    Chess960RookUncovers "chess960-rook-uncovers" "Chess960 castling whose rook leaves the king open to an attack";
    Chess960KingStays "chess960-king-stays" "Chess960 castling where the king stays";
    Chess960RookStays "chess960-rook-stays" "Chess960 castling where the rook stays";
    Chess960Passing "chess960-passing" "Chess960 castling where king or rook goes to or over the other's square";
    DoubleChess960 "double-chess960" "castling if the two sides have different files, as in double Chess960";
    Chess960Castling "chess960-castling" "Chess960 castling";
    CastlingRookAttacked "castling-rook-attacked" "castling while only the rook or its way is attacked, which is legal";
    CastlingGivesCheck "castling-gives-check" "castling that gives check";
    CastlingKingside "castling-kingside" "castling kingside";
    CastlingQueenside "castling-queenside" "castling queenside";

    // Promotions.
    UnderPromotion "under-promotion" "promotions to a rook, bishop or knight";
    PromotionToFileA "promotion-to-file-a" "promotions with a capture towards file a";
    PromotionToFileH "promotion-to-file-h" "promotions with a capture towards file h";
    Promotion "promotion" "promotions";

    // Checks and pins.
    DoubleCheck "double-check" "double check, where only the king moves";
    DiscoveredCheckByKing "discovered-check-by-king" "a check that a move of the king discovers";
    DiscoveredCheck "discovered-check" "a check that a move of a pawn, knight, bishop or rook discovers";
    CheckIgnored "check-ignored" "a check, which must be ended";
    CheckCaptured "check-captured" "the capture of a piece that gives check";
    CheckBlocked "check-blocked" "a move between the king and the piece that gives check";
    PinnedPawn "pinned-pawn" "pinned pawns, which push along their file and capture what pins them";
    PinOnFile "pin-on-file" "pins on a file";
    PinOnRank "pin-on-rank" "pins on a rank";
    PinOnDiagonal "pin-on-diagonal" "pins on a diagonal";

    // The king's steps.
    KingStaysOnLine "king-stays-on-line" "the king that steps back on the line of a check";
    KingTakesProtected "king-takes-protected" "the king that captures a protected piece";
    KingsTouch "kings-touch" "kings on neighbouring squares";
    KingIntoAttack "king-into-attack" "the king that steps on an attacked square";
    KingInCorner "king-in-corner" "kings in a corner";

    // The edges of the board, and the general rules.
    PawnAtEdge "pawn-at-edge" "captures of pawns at the edge of the board";
    KnightAtEdge "knight-at-edge" "knights at the edge of the board";
    AcrossBoard "across-board" "moves of sliders across the whole board";
    DoublePush "double-push" "double pushes of pawns";
    PawnPush "pawn-push" "pushes of pawns";
    PawnCapture "pawn-capture" "captures of pawns";
    KnightMoves "knight-moves" "moves of knights";
    BishopMoves "bishop-moves" "moves of bishops";
    RookMoves "rook-moves" "moves of rooks";
    QueenMoves "queen-moves" "moves of queens";
    KingMoves "king-moves" "moves of kings";
    WrongPiece "wrong-piece" "whose turn it is: there is no piece of the side to move on the square";
    Notation "notation" "the notation of moves";
}
