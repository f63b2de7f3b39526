//! `kogge-board`: positions, moves and packed forms.

use kogge_board::{Circle32, Fen, Move, Quad48, evaluate};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen: Fen = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1".parse()?;
    let quad = Quad48::from(&fen.position);
    let packed = Circle32::from(&quad);
    assert_eq!(Quad48::from(&packed).unpack(&fen.rules)?, fen.position);

    // A move generator provides the legal moves: here a plain one, in the next example a fast one.
    let legal = kogge_movegen_cpu::mailbox::legal_moves(&fen.rules, &fen.position);
    let played = Move::from_san("dxe3", &fen.position, &legal)?;
    let after = fen.position.play(&fen.rules, played);
    assert_eq!(Fen::new(after, fen.rules).to_string(), "4k3/8/8/8/8/4p3/8/4K3 w - - 0 1");
    println!("{} is worth {}", played.uci(&fen.rules, false), evaluate(&Quad48::from(&after)));
    Ok(())
}
