//! Makes the positions that `kogge check` goes through, the same ones each time:
//!
//!     cargo run --release -p kogge-check --example corpus > check/data/corpus.epd
//!
//! Each rule has places for positions, some for tiny ones, some for small ones, and half of them for large ones. Well-known positions,
//! random placements, and positions of random games are drawn until every place is taken. A position takes a place of the rule that was
//! seen least often among the rules that it tests. The lines go around the rules, so that each prefix covers the rules evenly.

use std::collections::{BTreeMap, HashSet};

use kogge_board::placements::{ALL_MEN, Theme, placement, themes};
use kogge_board::{Color, Fen, Move, MoveKind, Piece, Position, Random, Rules, Square, State, bits};
use kogge_check::{Rule, rules_of};
use kogge_movegen_cpu::LegalMoves;

const HEADER: &str = "\
# Positions that test the rules of chess which move generators get wrong: EPD, and the tag of the rule that a position was chosen for.
# A position tests more rules than this one. The lines go around the rules, so that each prefix covers them evenly.
# Made by check/examples/corpus.rs. Licence: MIT OR Apache-2.0, as the project's.
";

/// The numbers of places of a rule of orthodox chess, and of a rule of Chess960.
const PLACES: [usize; 2] = [32, 45];

/// The number of positions drawn. Places that are then free go to positions of any size.
const DRAWN: u64 = 3_000_000;

/// Well-known positions, most of them by Martin Sedlak, and those with the most moves.
const KNOWN: [&str; 40] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "r6r/3q4/1q4q1/4q3/2q4q/q4q2/PP1q4/KbnN1kb1 b - - 0 1",
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1",
    "8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1",
    "8/b2p2k1/8/2P5/8/4K3/8/8 b - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    "8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1",
    "3b3k/8/8/3Pp3/7K/8/8/8 w - e6 0 1",
    "8/8/8/7k/3pP3/8/8/3B3K b - e3 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    "4k2r/8/8/8/8/8/8/5K2 b k - 0 1",
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
    "r3k3/8/8/8/8/8/8/3K4 b q - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "r3k2r/7b/8/8/8/8/1B4BQ/R3K2R b KQkq - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/5Q2/8/8/3q4/8/R3K2R w KQkq - 0 1",
    "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
    "3K4/8/8/8/8/8/4p3/2k2R2 b - - 0 1",
    "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
    "5K2/8/1Q6/2N5/8/1p2k3/8/8 w - - 0 1",
    "4k3/1P6/8/8/8/8/K7/8 w - - 0 1",
    "8/k7/8/8/8/8/1p6/4K3 b - - 0 1",
    "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/k7/p1K5/8 b - - 0 1",
    "K1k5/8/P7/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/p7/8/k1K5 b - - 0 1",
    "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
    "8/8/8/8/1k6/8/K1p5/8 b - - 0 1",
    "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1",
    "8/5k2/8/5N2/5Q2/2K5/8/8 w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

/// The sizes of positions: at most ten men and 200 leaves two plies below, at most ten men, and more men.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Tiny,
    Small,
    Large,
}

impl Size {
    fn of(fen: &Fen) -> Self {
        let moves = |position: &Position| LegalMoves::of(&fen.rules, position).collect::<Vec<_>>();
        if fen.position.occupied().count_ones() > 10 {
            return Self::Large;
        }
        let leaves = |played| moves(&fen.position.play(&fen.rules, played)).len();
        if moves(&fen.position).into_iter().map(leaves).sum::<usize>() < 200 { Self::Tiny } else { Self::Small }
    }
}

/// The places of one rule.
#[derive(Default)]
struct Places {
    seen: u64,
    taken: Vec<Option<Fen>>,
    /// Positions for places that stay free.
    spare: Vec<Fen>,
}

fn main() {
    let mut places: BTreeMap<Rule, Places> = BTreeMap::new();
    let rules = Rule::ALL.into_iter().filter(|rule| !matches!(rule, Rule::WrongPiece | Rule::Notation));
    for rule in rules {
        let taken = vec![None; PLACES[usize::from(is_chess960(rule))]];
        places.insert(rule, Places { taken, ..Places::default() });
    }
    let mut drawn = HashSet::new();
    let known = KNOWN.into_iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{text}: {error}")));
    let mut games = Games { random: Random::new(960), here: Fen::start(), left: 0 };
    let random = (0..DRAWN).filter_map(|seed| if seed % 4 == 0 { games.next() } else { placed(seed) });
    for fen in known.chain(random) {
        if drawn.insert(fen.position) {
            offer(&mut places, fen);
        }
    }
    print!("{HEADER}");
    for (fen, rule) in lines(places) {
        let text = fen.to_string();
        let text = if fen.halfmove_clock == 0 { text.trim_end_matches(" 0 1") } else { &text };
        println!("{text}; {}", rule.name());
    }
}

fn is_chess960(rule: Rule) -> bool {
    rule.name().contains("chess960")
}

/// Returns whether a place of a rule is for such a position. Every fourth place is for tiny positions, every other one for large ones.
fn fits(rule: Rule, place: usize, fen: &Fen, size: Size) -> bool {
    let is_for_size = match place % 4 {
        0 => size == Size::Tiny,
        2 => size != Size::Large,
        _ => size == Size::Large,
    };
    let moves = || LegalMoves::of(&fen.rules, &fen.position).collect::<Vec<_>>();
    // Some rules have rare kinds, too: stalemates; en passant as the only evasion, by one pawn or either of two; each piece that discovers.
    let is_rare = match (rule, place % 4) {
        (Rule::GameOver, 0) => fen.position.checkers() == 0,
        (Rule::EnPassantInCheck, 0 | 2) => {
            moves().iter().all(|played| played.kind() == MoveKind::EnPassant) && moves().len() == 1 + place % 4 / 2
        }
        (Rule::DiscoveredCheck, _) => {
            let piece = fen.position.kind(Piece::ALL[place / 4 % 4]);
            let mut others = moves().into_iter().filter(|played| played.kind() != MoveKind::EnPassant);
            others.any(|played| piece & played.from().bit() != 0 && discovers(fen, played))
        }
        _ => true,
    };
    is_for_size && is_rare
}

fn discovers(fen: &Fen, played: Move) -> bool {
    fen.position.play(&fen.rules, played).checkers() & !played.to().bit() != 0
}

/// Gives a position the first free place of its size, of the rule that was seen least.
fn offer(places: &mut BTreeMap<Rule, Places>, fen: Fen) {
    let size = Size::of(&fen);
    // An engine that does not play Chess960 finds positions of orthodox chess for every other rule.
    let all = rules_of(&fen);
    // Faults of long lists or high clocks would hide others.
    let only = all.first().filter(|rule| matches!(rule, Rule::FiftyMoves | Rule::ManyMoves));
    let is_for = |rule| only.is_none_or(|only| only == rule) && is_chess960(rule) == fen.is_chess960();
    let rules = all.iter().filter(|&rule| is_for(rule));
    let mut best: Option<(u64, Rule, Option<usize>)> = None;
    for rule in rules {
        let Some(places) = places.get_mut(&rule) else { continue };
        places.seen += 1;
        let mut free = (0..places.taken.len()).filter(|&place| places.taken[place].is_none());
        let free = free.find(|&place| fits(rule, place, &fen, size));
        let wanted = free.is_some() || places.spare.len() < places.taken.len() && places.seen < 2000;
        let is_better = best.is_none_or(|(seen, _, other)| (free.is_none(), places.seen) < (other.is_none(), seen));
        if wanted && is_better {
            best = Some((places.seen, rule, free));
        }
    }
    if let Some((_, rule, free)) = best
        && let Some(places) = places.get_mut(&rule)
    {
        match free {
            Some(place) => places.taken[place] = Some(fen),
            None => places.spare.push(fen),
        }
    }
}

/// Returns all positions in the order of the file: the first place of each rule, and so on.
fn lines(places: BTreeMap<Rule, Places>) -> Vec<(Fen, Rule)> {
    let mut lines = Vec::new();
    for (rule, Places { seen, mut taken, spare }) in places {
        let mut spare = spare.into_iter();
        let free = taken.iter().filter(|place| place.is_none()).count();
        taken.iter_mut().filter(|place| place.is_none()).for_each(|place| *place = spare.next());
        let taken: Vec<Fen> = taken.into_iter().flatten().collect();
        eprintln!("{:30} seen {seen:8}, places {}, of another size {free}", rule.name(), taken.len());
        let all = taken.len();
        lines.extend(taken.into_iter().enumerate().map(|(place, fen)| (place * 1000 / all, rule, fen)));
    }
    lines.sort_by_key(|&(turn, rule, _)| (turn, rule));
    lines.into_iter().map(|(_, rule, fen)| (fen, rule)).collect()
}

/// Draws a position of a theme, often with few men.
fn placed(seed: u64) -> Option<Fen> {
    let mut random = Random::new(seed);
    if random.index(10) == 0 {
        return checked_by_pawn(&mut random);
    }
    let theme = match random.index(8) {
        0 => themes::en_passant as Theme,
        1 => themes::castling,
        2 => themes::CLOSED_FORM[random.index(themes::CLOSED_FORM.len())],
        _ => themes::MIXED[random.index(themes::MIXED.len())],
    };
    let men = if random.index(5) == 0 { ALL_MEN } else { 1 + random.index(8) as u32 };
    let (rules, mut position) = placement(seed, &[theme], men);
    position.state = position.state.with_halfmove_clock(0);
    if random.index(300) == 0 {
        add_queens(&mut position, &mut random);
    }
    let mut fen = Fen::new(position, rules.with_halfmove_clock(false));
    if random.index(4) == 0 {
        uncover_rank(&mut fen, &mut random);
    }
    if random.index(100) == 0 && fen.passed.is_none() {
        fen.halfmove_clock = 98 + random.index(22) as u16;
    } else if fen.passed.is_none() {
        fen.passed = passed(&fen, random.index(8) as u8);
    }
    // Reading the text decides about en passant and the numbers of men.
    fen.to_string().parse().ok()
}

/// Gives the side to move up to nine queens.
fn add_queens(position: &mut Position, random: &mut Random) {
    position.clear(position.of(position.turn()) & !position.kings);
    position.state = State::default().with_turn(position.turn());
    for _ in 0..9 {
        let square = Square::at(random.index(8) as u8, random.index(8) as u8);
        if position.piece_at(square).is_none() {
            position.put(position.turn(), Piece::Queen, square);
        }
    }
}

/// Draws a king in check from a pawn that one or two pawns may capture en passant, among men of the other side.
fn checked_by_pawn(random: &mut Random) -> Option<Fen> {
    let mut position = Position::default();
    let pushed = Square::at(random.index(8) as u8, 4);
    let [king, one, other] = [(1, -1), (1, 0), (-1, 0)].map(|step| pushed.offset(step));
    let their = [Piece::King, Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight, Piece::Rook, Piece::Pawn];
    for &piece in &their[..3 + random.index(5)] {
        position.put(Color::Black, piece, Square::at(random.index(8) as u8, random.index(7) as u8 + 1));
    }
    position.put(Color::Black, Piece::Pawn, pushed);
    position.put(Color::White, Piece::King, king?);
    let pawns = random.index(3);
    for beside in [one.filter(|_| pawns != 1), other.filter(|_| pawns != 0)].into_iter().flatten() {
        position.put(Color::White, Piece::Pawn, beside);
    }
    let is_mirrored = random.index(2) == 0;
    let mut fen = Fen::new(if is_mirrored { position.mirrored() } else { position }, Rules::STANDARD);
    fen.passed = Some(Square::at(pushed.file(), if is_mirrored { 2 } else { 5 }));
    fen.to_string().parse().ok()
}

/// Puts the king that may capture en passant and a rook or queen of the other side on the rank of the two pawns.
fn uncover_rank(fen: &mut Fen, random: &mut Random) -> Option<()> {
    let Fen { position, passed, .. } = fen;
    let turn = position.turn();
    let pushed = (*passed)?.offset((0, if turn == Color::White { -1 } else { 1 }))?;
    let beside = [-1, 1].into_iter().filter_map(|side| pushed.offset((side, 0)));
    let pawn = beside.into_iter().find(|square| position.pawns & position.of(turn) & square.bit() != 0)?;
    let kept = position.kings & position.of(turn.opposite()) | pushed.bit() | pawn.bit();
    let rank = bits::rank(pushed.rank());
    let (left, right) = (pushed.file().min(pawn.file()), pushed.file().max(pawn.file()));
    let mut ends = [random.index(left.into()) as u8, right + 1 + random.index((7 - right).into()) as u8];
    if left == 0 || right == 7 || rank & kept & position.kings != 0 {
        return None;
    }
    position.clear(rank & !kept | position.kings & position.of(turn));
    if random.index(2) == 0 {
        ends.swap(0, 1);
    }
    let [king, slider] = ends.map(|file| Square::at(file, pushed.rank()));
    position.put(turn, Piece::King, king);
    position.put(turn.opposite(), [Piece::Rook, Piece::Queen][random.index(2)], slider);
    position.state = State::default().with_turn(turn);
    Some(())
}

/// Returns the en-passant square on a file, if pawns stand there as after a double push that another pawn might capture.
fn passed(fen: &Fen, file: u8) -> Option<Square> {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (pushed, passed) = if turn == Color::White { (4, 5) } else { (3, 2) };
    let pawns = |color| position.pawns & position.of(color);
    let beside = [-1, 1].into_iter().filter_map(|side| Square::at(file, pushed).offset((side, 0)));
    let has_pawns = pawns(turn.opposite()) & Square::at(file, pushed).bit() != 0
        && beside.fold(0, |squares, square| squares | square.bit()) & pawns(turn) != 0;
    has_pawns.then(|| Square::at(file, passed))
}

/// Positions of random games of orthodox chess, Chess960, and double Chess960.
struct Games {
    random: Random,
    here: Fen,
    /// The number of positions left in the game.
    left: usize,
}

impl Games {
    fn next(&mut self) -> Option<Fen> {
        if self.left == 0 {
            self.left = 20 + self.random.index(120);
            self.here = match self.random.index(6) {
                0 => self.chess960(true),
                1 => self.chess960(false),
                _ => Some(Fen::start()),
            }?;
        }
        let moves: Vec<_> = LegalMoves::of(&self.here.rules, &self.here.position).collect();
        self.left = if moves.is_empty() { 0 } else { self.left - 1 };
        let here = self.here;
        if let Some(&played) = moves.get(self.random.index(moves.len())) {
            self.here = here.play(played);
        }
        Some(Fen { halfmove_clock: 0, fullmove: 1, ..here })
    }

    /// Returns a start position of Chess960.
    fn chess960(&mut self, is_double: bool) -> Option<Fen> {
        let white = self.men();
        let black = if is_double { self.men() } else { white.clone() };
        let text = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_lowercase(), white);
        text.parse().ok()
    }

    /// Returns the men of the first rank, with the bishops on both colours of squares and the king between the rooks.
    fn men(&mut self) -> String {
        let mut men = [' '; 8];
        men[2 * self.random.index(4)] = 'B';
        men[2 * self.random.index(4) + 1] = 'B';
        for piece in ['Q', 'N', 'N'] {
            let free: Vec<usize> = (0..8).filter(|&file| men[file] == ' ').collect();
            men[free[self.random.index(free.len())]] = piece;
        }
        let mut rest = "RKR".chars();
        men.iter().map(|&man| if man == ' ' { rest.next().unwrap_or(man) } else { man }).collect()
    }
}
