//! Tests of internals: unmaking restores every byte, and moves update the keys.

use kogge_board::{Backend, Color, Fen, Piece, Position, Quad48, Rules, State, unwatched};
use kogge_testkit::placement;

use super::list_move::ListMove;
use proptest::prelude::*;

use super::board::Board;
use super::{Mailbox, legal_moves, order, outcomes};

/// Makes and unmakes every pseudo-legal move and plays the next of `choices`, ply by ply; finally takes all moves back.
fn check_make_and_unmake(rules: &Rules, position: &Position, choices: &[usize]) {
    let mut board = Board::new(rules, position);
    let root = board.clone();
    assert_eq!(board.position(), *position);
    let mut moves = Vec::new();
    for choice in choices {
        let before = board.clone();
        moves.clear();
        board.generate(&mut moves);
        for &played in &moves {
            if board.make(played) {
                assert_eq!(board.key, board.position().zobrist_key(), "{played:?}");
                assert_ne!(board.key, before.key, "{played:?}");
                board.unmake();
            }
            assert!(board == before, "{played:?} is not taken back completely");
        }
        board.legal_moves(&mut moves);
        let Some(&played) = moves.get(choice % moves.len().max(1)) else { break };
        assert!(board.make(played));
    }
    while !board.history.is_empty() {
        board.unmake();
    }
    assert!(board == root);
}

proptest! {
    #[test]
    fn unmaking_restores_every_byte(
        (rules, position) in placement(),
        choices in proptest::collection::vec(any::<usize>(), 30),
    ) {
        check_make_and_unmake(&rules, &position, &choices);
    }

    /// For arbitrary words the answer is meaningless, but the calls return.
    #[test]
    fn positions_that_are_not_legal_do_no_harm(words in any::<[u64; 6]>(), masks in any::<[u64; 6]>()) {
        let word = |index: usize| words[index] & masks[index];
        let packed = Quad48 {
            white: word(0),
            pawns: word(1),
            knights: word(2),
            bishops_queens: word(3),
            rooks_queens: word(4),
            kings: word(5),
        };
        let mut mailbox = Mailbox::new();
        let count = mailbox.perft(&Rules::STANDARD, &[packed], 1, &mut unwatched).unwrap()[0];
        prop_assert_eq!(mailbox.expand(&Rules::STANDARD, &[packed]).unwrap().positions.len(), count as usize);
        prop_assert!(mailbox.perft(&Rules::STANDARD, &[packed], 2, &mut unwatched).is_ok());
        // A position built by hand can have pawns on any rank.
        let position = Position { pawns: word(1), state: State(word(1) as u16), ..packed.unpack_unchecked() };
        prop_assert_eq!(legal_moves(&Rules::STANDARD, &position).len(), outcomes(&Rules::STANDARD, &position).len());
    }
}

#[test]
fn along_games_of_orthodox_chess_too() {
    let Fen { position, rules, .. } = Fen::start();
    for game in 1..50 {
        let choices: Vec<usize> = (0..120).map(|ply| game * 7919 * (ply + 1) / 13).collect();
        check_make_and_unmake(&rules.with_halfmove_clock(true), &position, &choices);
    }
}

#[test]
fn orders_are_distinct_and_ascend_with_the_documented_order() {
    let victims = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight, Piece::Pawn];
    let captures = victims.iter().flat_map(|&victim| Piece::ALL.map(|attacker| order::capture(victim, attacker)));
    let mut orders: Vec<u8> = captures.collect();
    orders.insert(25, order::EN_PASSANT);
    orders.extend([order::PROMOTION, order::SINGLE_PUSH, order::DOUBLE_PUSH]);
    orders.extend([order::KNIGHT, order::DIAGONAL, order::ORTHOGONAL, order::KING]);
    orders.extend([ListMove::CASTLE_KINGSIDE, ListMove::CASTLE_QUEENSIDE].map(order::castling));
    assert_eq!(orders, (0..40).collect::<Vec<u8>>());
}

#[test]
fn the_order_is_that_of_the_documentation() {
    for (fen, expected) in [
        // Victims, attackers, directions; promotions; then quiet moves by kind.
        (
            "1n2k3/P7/3q4/2P1P3/8/5r2/4P1P1/4K3 w - - 0 1",
            "e5d6 c5d6 g2f3 e2f3 a7b8q a7b8r a7b8b a7b8n a7a8q a7a8r a7a8b a7a8n e2e3 g2g3 c5c6 e5e6 \
             e2e4 g2g4",
        ),
        ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "e5d6 c5d6 c5c6 e5e6 e1e2 e1f1 e1d1 e1f2 e1d2"),
        // For black, ranks are flipped, but files are not.
        ("4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 1", "e4d3 c4d3 c4c3 e4e3 e8e7 e8f8 e8d8 e8f7 e8d7"),
        (
            "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "a1a2 h1h2 a1a3 h1h3 a1a4 h1h4 a1a5 h1h5 a1a6 h1h6 a1a7 h1h7 a1a8 h1h8 a1b1 a1c1 a1d1 \
             h1g1 h1f1 e1e2 e1f1 e1d1 e1f2 e1d2 e1g1 e1c1",
        ),
        ("7k/8/8/3N4/8/8/8/7K w - - 0 1", "d5e7 d5c7 d5f6 d5b6 d5f4 d5b4 d5e3 d5c3 h1h2 h1g1 h1g2"),
    ] {
        let Fen { position, rules, .. } = fen.parse().unwrap();
        let moves: Vec<_> = legal_moves(&rules, &position).iter().map(|played| format!("{played:?}")).collect();
        assert_eq!(moves.join(" "), expected, "{fen}");
    }
}

/// Neither side ever has more than one move, so the tree can be very deep; the walk is not recursive.
#[test]
fn depth_does_not_overflow_the_stack() {
    let fen: Fen = "5bk1/4p1p1/4P1P1/8/8/4p1p1/4P1P1/5BK1 w - - 0 1".parse().unwrap();
    let perft = Mailbox::new().perft(&fen.rules, &[Quad48::from(&fen.position)], 300_000, &mut unwatched);
    assert_eq!(perft, Ok(vec![1]));
}

#[test]
fn a_castling_rook_has_moved_but_the_rook_behind_a_king_has_not() {
    for (fen, played, discovered) in [
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", false),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", false),
        // The king's step out of the rook's way gives check.
        ("4k3/8/8/8/8/8/4K3/4R3 w - - 0 1", "e2d2", true),
    ] {
        let Fen { position, rules, .. } = fen.parse().unwrap();
        let outcomes = outcomes(&rules, &position);
        let outcome = outcomes.iter().find(|outcome| format!("{:?}", outcome.played) == played).expect(fen);
        assert!(outcome.features.check, "{fen}");
        assert_eq!(outcome.features.discovered_check, discovered, "{fen}");
        assert_eq!(outcome.successor.turn(), Color::Black);
    }
}
