//! The themes: rare rules, and positions that try to violate the claims of the closed form of the last two plies.

use super::sketch::King::{Anywhere, At, Close, Home};
use super::sketch::{King, Man, Sketch, Theme};
use crate::position::{DIRECTIONS, KNIGHT_STEPS};
use crate::{Color, Piece, Square};

const OWN: Color = Color::White;
const THEIR: Color = Color::Black;

/// Rare rules, for property tests.
pub const MIXED: [Theme; 12] = [
    scattered,
    scattered,
    scattered,
    checks_and_pins,
    checks_and_pins,
    en_passant,
    en_passant,
    en_passant,
    castling,
    castling,
    castling,
    promotions,
];

/// Positions that try to violate each claim of the closed form.
pub const CLOSED_FORM: [Theme; 14] = [
    attacks,
    discoveries,
    new_attacks,
    pins,
    their_promotions,
    guards,
    pawn_attacks,
    king_attacks,
    lines,
    pawns,
    captures,
    crowds,
    evasions,
    promoted,
];

/// Up to 32 men anywhere, sometimes very few, sometimes mostly queens or pawns.
pub fn scattered(sketch: &mut Sketch) {
    any_kings(sketch);
    sketch.fill(64);
}

/// Kings in check and in double check, pinned men on every axis, and possible discovered checks.
pub fn checks_and_pins(sketch: &mut Sketch) {
    any_kings(sketch);
    for _ in sketch.times(1, 4) {
        if sketch.one_in(3) { leap(sketch) } else { look(sketch) }
    }
    sketch.fill(12);
}

/// En-passant captures by one pawn or two, double pushes that may allow a capture, and kings that a capture would expose.
pub fn en_passant(sketch: &mut Sketch) {
    any_kings(sketch);
    let (file, capturers) = (sketch.random.below(8), 1 + sketch.random.below(3));
    let (king, rank) = if sketch.one_in(2) { (OWN, 4) } else { (THEIR, 3) };
    let pushed = Square::at(file, rank);
    sketch.attempt(|sketch| {
        // Black has just pushed a pawn that white may capture, or white may push a pawn between black ones.
        let start = Square::at(file, if king == OWN { 6 } else { 1 });
        sketch.keep_empty |= Square::at(file, if king == OWN { 5 } else { 2 }).bit();
        if king == OWN {
            sketch.keep_empty |= start.bit();
            sketch.put(THEIR, Piece::Pawn, pushed)?;
            sketch.position.state = sketch.position.state.with_en_passant(Some(file));
        } else {
            sketch.keep_empty |= pushed.bit();
            sketch.put(OWN, Piece::Pawn, start)?;
        }
        sketch.neighbours(king, Piece::Pawn, pushed, capturers)
    });
    for _ in sketch.times(0, 3) {
        let through = Square::at((file + sketch.random.below(3)).clamp(1, 8) - 1, rank);
        let axes = sketch.pick(&[(0, 8), (0, 8), (0, 8), (0, 8), (1, 2), (3, 4)]);
        let ray = sketch.ray(axes.0..axes.1);
        sketch.attempt(|sketch| sketch.look_through(king, through, ray));
    }
    sketch.fill(16);
}

/// Castling rights of orthodox chess and of Chess960, with free, blocked and attacked paths.
pub fn castling(sketch: &mut Sketch) {
    let their = sketch.pick(&[Home, Anywhere]);
    sketch.kings(Home, their);
    for _ in sketch.times(0, 2) {
        let (color, file) = (sketch.color(), sketch.random.below(8));
        let directions = if color == OWN { [0, 4, 7] } else { [2, 5, 6] };
        let (direction, distance) = (sketch.pick(&directions), sketch.random.within(1, 6));
        let attacker = Man(color.opposite(), None);
        sketch.line(Some(Square::at(file, color.home_rank())), direction, &[(distance, attacker)]);
    }
    for _ in sketch.times(0, 1) {
        look(sketch);
    }
    sketch.fill(14);
}

/// Pawns about to promote, by a push or by a capture.
pub fn promotions(sketch: &mut Sketch) {
    any_kings(sketch);
    for _ in sketch.times(1, 4) {
        let (color, file, captures) = (sketch.color(), sketch.random.below(8), sketch.random.below(4));
        let (victim, is_blocked) = (sketch.pick(&Piece::PROMOTIONS), sketch.one_in(2));
        let [pawn, last] = if color == OWN { [6, 7] } else { [1, 0] };
        sketch.attempt(|sketch| {
            sketch.put(color, Piece::Pawn, Square::at(file, pawn))?;
            if is_blocked {
                sketch.put(color.opposite(), victim, Square::at(file, last))?;
            }
            sketch.neighbours(color.opposite(), victim, Square::at(file, last), captures)
        });
    }
    for _ in sketch.times(0, 1) {
        look(sketch);
    }
    sketch.fill(12);
}

/// Puts the kings on the board, sometimes with the right to castle.
fn any_kings(sketch: &mut Sketch) {
    let kings = [Anywhere, Anywhere, Home];
    let (own, their) = (sketch.pick(&kings), sketch.pick(&kings));
    sketch.kings(own, their);
}

/// Puts a slider where it looks at a king.
fn look(sketch: &mut Sketch) {
    let king = sketch.pick(&[OWN, OWN, OWN, THEIR]);
    let ray = sketch.ray(0..8);
    sketch.attempt(|sketch| sketch.look(king, ray));
}

/// Puts a knight or a pawn where it gives check.
fn leap(sketch: &mut Sketch) {
    let (piece, step) = if sketch.one_in(2) {
        (Piece::Knight, sketch.pick(&KNIGHT_STEPS))
    } else {
        (Piece::Pawn, sketch.pick(&[(-1, 1), (1, 1)]))
    };
    sketch.attempt(|sketch| sketch.put(THEIR, piece, sketch.position.king(OWN)?.offset(step)?));
}

/// Sliders and knights that attack the same squares around black's king or on its home rank, where one may block another's line to
/// the square; white's king attacks some of these squares.
pub fn attacks(sketch: &mut Sketch) {
    let own = sketch.pick(&[Anywhere, Close]);
    kings(sketch, own);
    for _ in sketch.times(2, 6) {
        if sketch.one_in(4) {
            near(sketch, THEIR, 3, (-3, 3), Man(OWN, Some(Piece::Knight)));
        } else {
            let men = [(sketch.random.within(1, 6), slider(sketch, OWN))];
            aim(sketch, zone, &men);
        }
    }
    sketch.scatter(6, any_man);
}

/// Sliders behind one or two white men, on a line to such a square.
pub fn discoveries(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 3) {
        let behind = slider(sketch, OWN);
        let (first, second) = (own_man(sketch), any_man(sketch));
        let men = if sketch.one_in(4) { vec![first, second, behind] } else { vec![first, behind] };
        row(sketch, zone, &men);
    }
    sketch.scatter(6, any_man);
}

/// Few men, so that a move can attack squares near black's king that were not attacked before.
pub fn new_attacks(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(0, 2) {
        near(sketch, THEIR, 4, (-4, 4), Man(OWN, Some(Piece::Knight)));
    }
    sketch.scatter(6, |sketch| if sketch.one_in(3) { any_man(sketch) } else { own_man(sketch) });
}

/// One, two or three men between black's king and a white slider, on many lines at once; sliders that may land behind a man.
pub fn pins(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 4) {
        let (pinner, pinned) = (slider(sketch, OWN), man_of(sketch, THEIR));
        let others = [any_man(sketch), any_man(sketch), any_man(sketch)];
        let men = match sketch.random.below(7) {
            0 | 1 => vec![pinned, pinner],
            2..5 => vec![others[0], others[1], pinner],
            5 => [&others[..], &[pinner]].concat(),
            _ => vec![pinned],
        };
        row(sketch, |sketch| sketch.position.king(THEIR), &men);
    }
    sketch.scatter(8, any_man);
}

/// Black pawns about to promote, by pushes and by captures.
pub fn their_promotions(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 7) {
        let (rank, man) = if sketch.one_in(2) { (1, Man(THEIR, Some(Piece::Pawn))) } else { (0, man_of(sketch, OWN)) };
        let square = Square::at(sketch.random.below(8), rank);
        sketch.line(Some(square), 0, &[(0, man)]);
    }
    sketch.scatter(8, any_man);
}

/// Men of both sides next to black's king and on its home rank; white men that may capture them or leave; and rooks that may castle
/// and are attacked or pinned.
pub fn guards(sketch: &mut Sketch) {
    let their = sketch.pick(&[Anywhere, Home, Home, Home, Home]);
    sketch.kings(Anywhere, their);
    for _ in sketch.times(1, 4) {
        match sketch.random.below(4) {
            0 => {
                let man = any_man(sketch);
                near(sketch, THEIR, 1, (-1, 1), man);
            }
            1 => {
                let rook = Man(OWN, Some(sketch.pick(&[Piece::Rook, Piece::Rook, Piece::Queen])));
                let man = if sketch.one_in(2) { any_man(sketch) } else { rook };
                let square = Square::at(sketch.random.below(8), 7);
                sketch.line(Some(square), 0, &[(0, man)]);
            }
            _ => {
                let men = [(0, man_of(sketch, THEIR)), (sketch.random.within(1, 3), own_man(sketch))];
                aim(sketch, |sketch| beside(sketch, sketch.position.king(THEIR), 1), &men);
            }
        }
    }
    sketch.scatter(6, |sketch| if sketch.one_in(2) { any_man(sketch) } else { own_man(sketch) });
}

/// White pawns that attack squares around black's king, or will after a move.
pub fn pawn_attacks(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 7) {
        if sketch.one_in(3) {
            let victim = man_of(sketch, THEIR);
            near(sketch, THEIR, 3, (-3, 1), victim);
        } else {
            near(sketch, THEIR, 4, (-4, 1), Man(OWN, Some(Piece::Pawn)));
        }
    }
    sketch.scatter(5, any_man);
}

/// White's king close to black's.
pub fn king_attacks(sketch: &mut Sketch) {
    kings(sketch, Close);
    for _ in sketch.times(0, 1) {
        let men = [any_man(sketch), slider(sketch, OWN)];
        row(sketch, zone, &men);
    }
    sketch.scatter(7, any_man);
}

/// Black sliders and pawns on a line with a white man, which moves along this line, away from it or past other men on it.
pub fn lines(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 3) {
        let (first, second) = (own_man(sketch), any_man(sketch));
        if sketch.one_in(2) {
            let men = [slider(sketch, THEIR), first, second];
            row(sketch, |sketch| Some(sketch.square()), &men);
        } else {
            let men = [Man(THEIR, Some(Piece::Pawn)), first, second].map(|man| (sketch.random.within(1, 3), man));
            let from = sketch.square();
            sketch.line(Some(from), 2, &men);
        }
    }
    sketch.scatter(6, any_man);
}

/// Pawns of both sides everywhere, with something to capture: pushes freed and blocked, captures of each other, en passant.
pub fn pawns(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(4, 19) {
        let (color, square) = (sketch.color(), Square::at(sketch.random.below(8), 1 + sketch.random.below(6)));
        sketch.line(Some(square), 0, &[(0, Man(color, Some(Piece::Pawn)))]);
    }
    sketch.scatter(8, any_man);
}

/// A man that is attacked and defended many times, and its moves.
pub fn captures(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    let square = Square::at(3, 4);
    let victim = sketch.pick(&[Piece::Queen, Piece::Queen, Piece::Rook, Piece::Knight, Piece::Pawn]);
    sketch.line(Some(square), 0, &[(0, Man(THEIR, Some(victim)))]);
    for _ in sketch.times(0, 15) {
        let color = sketch.color();
        if sketch.one_in(2) {
            let men = [slider(sketch, color)];
            row(sketch, |_| Some(square), &men);
        } else {
            let from = square.offset(sketch.pick(&KNIGHT_STEPS));
            sketch.line(from, 0, &[(0, Man(color, Some(Piece::Knight)))]);
        }
    }
    sketch.scatter(2, any_man);
}

/// As many white men as possible that can go to one square, or black men that defend a man there: sliders from all sides, knights,
/// the king. Black's king hides in a corner, so that few moves touch the squares around it.
pub fn crowds(sketch: &mut Sketch) {
    let square = Square::at(2 + sketch.random.below(4), 2 + sketch.random.below(3));
    let beside = usize::from(sketch.random.below(8));
    let corner = Square::at(7, 7);
    sketch.kings(square.offset(DIRECTIONS[beside]).map_or(Anywhere, At), At(corner));
    let color = if sketch.one_in(3) { THEIR } else { OWN };
    let hide = |steps, piece| (corner.offset(steps), 0, (0, Man(THEIR, Some(piece))));
    let mut men = vec![hide((0, -1), Piece::Pawn), hide((-1, -1), Piece::Pawn), hide((-1, 0), Piece::Rook)];
    if color == THEIR {
        men.push((Some(square), 0, (0, Man(THEIR, Some(sketch.pick(&Piece::PROMOTIONS))))));
    }
    for (direction, leap) in KNIGHT_STEPS.into_iter().enumerate() {
        let knight = Man(if direction == beside { OWN } else { color }, Some(Piece::Knight));
        men.push((square.offset(leap), 0, (0, knight)));
        if direction != beside {
            men.push((Some(square), direction, (sketch.random.within(1, 3), slider(sketch, color))));
        }
    }
    while !men.is_empty() {
        let (from, direction, man) = men.swap_remove(sketch.random.below(men.len() as u8).into());
        sketch.line(from, direction, &[man]);
    }
    sketch.scatter(3, any_man);
}

/// White's king in check by sliders, knights and pawns, with white men that may capture the checker or block the check.
pub fn evasions(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    for _ in sketch.times(1, 3) {
        let checker = slider(sketch, THEIR);
        let men = match sketch.random.below(6) {
            0 => {
                let leaper = Man(THEIR, Some(sketch.pick(&[Piece::Knight, Piece::Pawn])));
                near(sketch, OWN, 2, (-2, 2), leaper);
                continue;
            }
            1 | 2 => vec![own_man(sketch), checker],
            _ => vec![checker],
        };
        row(sketch, |sketch| sketch.position.king(OWN), &men);
    }
    sketch.scatter(10, any_man);
}

/// Up to sixteen men a side, mostly of one kind.
pub fn promoted(sketch: &mut Sketch) {
    kings(sketch, Anywhere);
    let own = sketch.pick(&[Piece::Queen, Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop]);
    let their = sketch.pick(&[Piece::Queen, Piece::Knight, Piece::Rook]);
    for _ in sketch.times(0, 40) {
        let man = match sketch.random.below(9) {
            0 => any_man(sketch),
            1..5 => Man(OWN, Some(own)),
            _ => Man(THEIR, Some(their)),
        };
        let square = sketch.square();
        sketch.line(Some(square), 0, &[(0, man)]);
    }
}

/// Puts the kings on the board, black's often with the right to castle.
fn kings(sketch: &mut Sketch, own: King) {
    let their = sketch.pick(&[Anywhere, Anywhere, Anywhere, Home, Home]);
    sketch.kings(own, their);
}

/// Returns a square at most one file and rank away from black's king, or from a square of its home rank, where the castling
/// path is.
fn zone(sketch: &mut Sketch) -> Option<Square> {
    let from = if sketch.one_in(3) { Some(Square::at(sketch.random.below(8), 7)) } else { sketch.position.king(THEIR) };
    beside(sketch, from, 1)
}

fn beside(sketch: &mut Sketch, square: Option<Square>, distance: i8) -> Option<Square> {
    square?.offset((sketch.random.within(-distance, distance), sketch.random.within(-distance, distance)))
}

/// Puts a man at most some files and ranks from a king.
fn near(sketch: &mut Sketch, king: Color, files: i8, ranks: (i8, i8), man: Man) {
    let steps = (sketch.random.within(-files, files), sketch.random.within(ranks.0, ranks.1));
    let square = sketch.position.king(king).and_then(|square| square.offset(steps));
    sketch.line(square, 0, &[(0, man)]);
}

/// Puts men in any direction from a square, each one to three steps from the one before.
fn row(sketch: &mut Sketch, from: impl Fn(&mut Sketch) -> Option<Square>, men: &[Man]) {
    let men: Vec<_> = men.iter().map(|&man| (sketch.random.within(1, 3), man)).collect();
    aim(sketch, from, &men);
}

/// Puts men in any direction from a square.
fn aim(sketch: &mut Sketch, from: impl Fn(&mut Sketch) -> Option<Square>, men: &[(i8, Man)]) {
    let (from, direction) = (from(sketch), sketch.random.below(8).into());
    sketch.line(from, direction, men);
}

fn any_man(sketch: &mut Sketch) -> Man {
    let color = sketch.color();
    man_of(sketch, color)
}

fn man_of(sketch: &mut Sketch, color: Color) -> Man {
    Man(color, Some(sketch.piece()))
}

/// Returns a white man, mostly a slider.
fn own_man(sketch: &mut Sketch) -> Man {
    let kinds = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight, Piece::Pawn];
    Man(OWN, (!sketch.one_in(6)).then(|| sketch.pick(&kinds)))
}

/// Returns a slider that moves along its line.
fn slider(sketch: &mut Sketch, color: Color) -> Man {
    Man(color, sketch.pick(&[None, None, Some(Piece::Queen)]))
}
