//! The self-test of minimax: a backend's own code against the host's.

use crate::host;
use crate::{Backend, BackendError, Fen, Leaves, Quad48, Rules, Score, unwatched};

/// Positions that cover castling, imminent mates and stalemates, pins, en passant, promotions with and without a capture,
/// double checks, passed pawns, a lone knight, and bare kings.
const KNOWN: [&str; 7] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
    "8/8/1p6/8/8/k7/p7/K7 b - - 0 1",
    "8/8/8/3k4/8/8/5N2/4K3 w - - 0 1",
];

/// The index of the first position whose quiescence search is short.
const FEW_MOVES: usize = 3;

/// Checks a backend's own [`Backend::minimax`] against the host's minimax over the backend's successors.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if they differ, or the error that the backend reports.
pub fn minimax<B: Backend + ?Sized>(backend: &mut B) -> Result<(), BackendError> {
    let fens = KNOWN.iter().filter_map(|fen| fen.parse::<Fen>().ok());
    let mut positions: Vec<_> = fens.map(|fen| Quad48::from(&fen.position)).collect();
    let successors = backend.expand(&Rules::STANDARD, &positions)?.positions;
    positions.extend(successors);
    let (all, few) = (&positions[..], &positions[FEW_MOVES..KNOWN.len().min(positions.len())]);
    for (positions, depth, leaves) in
        [(all, 0, Leaves::Static), (all, 1, Leaves::Static), (all, 0, Leaves::Quiescent), (few, 1, Leaves::Quiescent)]
    {
        let found = backend.minimax(&Rules::STANDARD, positions, depth, leaves, &mut unwatched)?;
        let expected = host::minimax(backend, &Rules::STANDARD, positions, depth, leaves, &mut unwatched)?;
        if let Some(wrong) = (0..positions.len()).find(|&index| found.get(index) != expected.get(index)) {
            let score = |scores: &[Score]| scores.get(wrong).map_or_else(|| "nothing".into(), Score::to_string);
            let device = backend.info().name.clone();
            let fen = Fen::new(positions[wrong].unpack_unchecked(), Rules::STANDARD);
            let (found, expected) = (score(&found), score(&expected));
            let reason = format!("it found {found} instead of {expected} {depth} plies below {fen}.");
            return Err(BackendError::WrongAnswer { device, reason });
        }
    }
    Ok(())
}
