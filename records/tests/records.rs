//! Compares the records with the records that other people's crates make of the same positions, and reads the records
//! of those crates.

use bytemuck::Zeroable;
use kogge_board::{Color, Fen, GameResult, Piece, Position, Rules, State};
use kogge_records::{BulletBoard, MarlinBoard, RecordError, ScoredPosition};
use kogge_testkit::placement;
use proptest::prelude::*;
use viriformat::chess::board::Board;
use viriformat::dataformat::{Game, WDL};

fn result() -> impl Strategy<Value = GameResult> {
    (0..3_u8).prop_map(|number| GameResult::new(number).expect("a result"))
}

fn annotated() -> impl Strategy<Value = (ScoredPosition, Rules)> {
    let clock = prop_oneof![Just(0), 0..100_u8];
    (placement(), -30_000..30_000_i16, result(), 1..500_u16, clock).prop_map(
        |((rules, mut position), score, result, fullmove, clock)| {
            position.state = position.state.with_halfmove_clock(clock);
            let rules = rules.with_halfmove_clock(clock != 0);
            (ScoredPosition { position, score, result, fullmove }, rules)
        },
    )
}

/// Returns the position as its FEN, with the file of each castling rook.
fn shredder(annotated: &ScoredPosition, rules: &Rules) -> String {
    Fen { shredder: true, fullmove: annotated.fullmove, ..Fen::new(annotated.position, *rules) }.to_string()
}

fn board(fen: &str, chess960: bool) -> Board {
    let mut board = Board::new();
    board.set_from_fen(fen, chess960).expect("a FEN");
    board
}

/// Returns the files of the rights that a position has; files without a right do not matter.
fn files(position: &Position, rules: &Rules) -> [Option<u8>; 4] {
    std::array::from_fn(|right| (position.state.castling() >> right & 1 != 0).then_some(rules.castling_files[right]))
}

proptest! {
    #[test]
    fn bulletformat_writes_the_same_bytes((annotated, _) in annotated()) {
        let ScoredPosition { position, score, result, .. } = annotated;
        let boards = [position.of(Color::White), position.of(Color::Black)].into_iter();
        let boards: Vec<u64> = boards.chain(Piece::ALL.map(|piece| position.kind(piece))).collect();
        let turn = usize::from(position.turn() == Color::Black);
        let theirs =
            bulletformat::ChessBoard::from_raw(boards.try_into().unwrap(), turn, score, f32::from(result as u8) / 2.0);
        let theirs = theirs.unwrap();
        let ours = BulletBoard::pack(&annotated);
        prop_assert_eq!(ours.occupied, theirs.occ);
        prop_assert_eq!(ours.pieces, theirs.pcs);
        prop_assert_eq!((ours.score, ours.result), (theirs.score, theirs.result));
        prop_assert_eq!((ours.king, ours.other_king, ours.extra), (theirs.ksq, theirs.opp_ksq, theirs.extra));
    }

    #[test]
    fn bullet_records_keep_what_they_can((annotated, _) in annotated()) {
        let again = BulletBoard::pack(&annotated).unpack().unwrap();
        let ScoredPosition { position, score, result, .. } = annotated;
        let (mut position, score, result) = match position.turn() {
            Color::White => (position, score, result),
            Color::Black => (position.mirrored(), -score, result.mirrored()),
        };
        position.state = State::default();
        prop_assert_eq!(again, ScoredPosition { position, score, result, fullmove: 1 });
        prop_assert_eq!(BulletBoard::pack(&again), BulletBoard::pack(&annotated));
    }

    #[test]
    fn viriformat_writes_the_same_bytes((annotated, rules) in annotated()) {
        let board = board(&shredder(&annotated, &rules), true);
        let theirs = board.to_marlinformat(annotated.score, annotated.result as u8, 0).as_bytes();
        let ours = MarlinBoard::pack(&annotated, &rules);
        prop_assert_eq!(bytemuck::bytes_of(&ours), &theirs);
        let (again, found) = MarlinBoard::unpack(bytemuck::from_bytes(&theirs)).unwrap();
        prop_assert_eq!(again, annotated);
        prop_assert_eq!(files(&again.position, &found), files(&annotated.position, &rules));
        prop_assert_eq!(found.halfmove_clock, rules.halfmove_clock);
    }

    #[test]
    fn bulletformat_reads_marlin_records((mut annotated, rules) in annotated()) {
        // bulletformat 1.8 mistakes a rook that may castle for a bishop.
        annotated.position.state = annotated.position.state.with_castling(0);
        // SAFETY: the type of bulletformat is 32 bytes of integers.
        let theirs: bulletformat::chess::MarlinFormat =
            unsafe { std::mem::transmute(MarlinBoard::pack(&annotated, &rules)) };
        let theirs = bulletformat::ChessBoard::from(theirs);
        prop_assert_eq!(theirs.pcs, BulletBoard::pack(&annotated).pieces);
        prop_assert_eq!(theirs.score, BulletBoard::pack(&annotated).score);
    }

    #[test]
    fn any_bytes_are_refused_or_legal(bytes in any::<[u8; 32]>(), (annotated, rules) in annotated(), at in 0..32_usize) {
        // Random bytes are almost never a position, so most cases change one byte of a record.
        let mut marlin = MarlinBoard::pack(&annotated, &rules);
        let mut bullet = BulletBoard::pack(&annotated);
        bytemuck::bytes_of_mut(&mut marlin)[at] = bytes[0];
        bytemuck::bytes_of_mut(&mut bullet)[at] = bytes[1];
        for marlin in [marlin, bytemuck::cast(bytes)] {
            if let Ok((found, rules)) = marlin.unpack() {
                prop_assert_eq!(found.position.check(&rules), Ok(()));
            }
        }
        for bullet in [bullet, bytemuck::cast(bytes)] {
            if let Ok(found) = bullet.unpack() {
                prop_assert_eq!(found.position.check(&Rules::STANDARD), Ok(()));
            }
        }
    }
}

#[test]
fn games_of_viriformat_are_read() {
    let fens = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 7"];
    for fen in fens {
        let game = Game::new(&board(fen, false));
        let mut bytes = Vec::new();
        game.serialise_into(&mut bytes).unwrap();
        // A game begins with the record of its first position.
        let record: MarlinBoard = bytemuck::pod_read_unaligned(&bytes[..32]);
        let (annotated, rules) = record.unpack().unwrap();
        let expected: Fen = fen.parse().unwrap();
        assert_eq!((annotated.position, annotated.fullmove), (expected.position, expected.fullmove));
        assert_eq!(rules.castling_files, expected.rules.castling_files);
        assert!(matches!(game.outcome(), WDL::Loss | WDL::Draw | WDL::Win));
    }
}

#[test]
fn refusals_name_the_mistake() {
    let start = Fen::start();
    let annotated = ScoredPosition { position: start.position, score: 0, result: GameResult::Draw, fullmove: 1 };
    let marlin = MarlinBoard::pack(&annotated, &start.rules);
    let bullet = BulletBoard::pack(&annotated);
    let code = |mut marlin: MarlinBoard, code| {
        marlin.pieces[0] = marlin.pieces[0] & 0xf0 | code;
        marlin
    };
    for (record, text) in [
        (MarlinBoard { occupied: u64::MAX, ..marlin }, "The record has 64 pieces; 32 are the most."),
        (code(marlin, 7), "The piece on a1 has the code 7, which no piece has."),
        (MarlinBoard { result: 3, ..marlin }, "The result is 3; expected 0 (loss), 1 (draw) or 2 (win)."),
        (
            MarlinBoard { turn_and_en_passant: 65, ..marlin },
            "The en-passant square has the number 65; expected 0 to 63",
        ),
        (MarlinBoard::zeroed(), "There are 0 white kings"),
    ] {
        let error = record.unpack().expect_err(text).to_string();
        assert!(error.starts_with(text), "{error}");
    }
    assert_eq!(BulletBoard { king: 5, ..bullet }.unpack(), Err(RecordError::King("f1".parse().unwrap())));
    assert_eq!(BulletBoard { result: 9, ..bullet }.unpack(), Err(RecordError::Result(9)));
    assert!(BulletBoard::zeroed().unpack().is_err());
}
