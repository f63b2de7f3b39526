//! Positions, moves and packed forms.

use kogge::{Circle32, Fen, Game, Quad48, evaluate};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen: Fen = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1".parse()?;
    let quad = Quad48::from(&fen.position);
    let packed = Circle32::from(&quad);
    assert_eq!(Quad48::from(&packed).unpack(&fen.rules)?, fen.position);

    let mut game = Game::new(fen);
    let played = game.parse_san("dxe3")?;
    game.play(played)?;
    assert_eq!(game.to_string(), "4k3/8/8/8/8/4p3/8/4K3 w - - 0 2");
    println!("{} is worth {}", game.uci(played), evaluate(&Quad48::from(game.position())));
    Ok(())
}
