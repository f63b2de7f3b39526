//! Counts and searches of one line, on the best device.
//!
//! Each call opens a device. Work that follows other work opens one with [`open`] and keeps it in a [`Driver`].

use kogge_board::{Backend, Categories, Leaves, Move};
use kogge_driver::{Best, Driver, Error, LEAST_MERGED_DEPTH, Quantity};
use kogge_movegen_cpu::Game;

use crate::choice::open;
use crate::device::Request;
use crate::error::TreeError;
use crate::estimate::Estimate;
use crate::table::Opened;
use crate::{costs, memory};

/// The seconds of counting every leaf that preparing to merge may cost: less than a person notices. Shorter counts merge nothing.
pub const LEAST_MERGED_SECONDS: f64 = 0.1;

/// Opens the device that finishes first. To estimate the work, `count` counts the leaves at smaller depths.
fn best_device(
    depth: u32,
    mut count: impl FnMut(&mut Driver<'_>, u32) -> Result<u128, Error>,
) -> Result<Opened, TreeError> {
    let estimator = &mut |cpu: &mut dyn Backend| {
        let mut driver = Driver::new(cpu, &());
        Estimate::tree(depth, |depth| count(&mut driver, depth))
    };
    Ok(open(&Request::default(), Some(estimator))?)
}

/// Counts the leaves `depth` plies below a position, exactly: small trees on the CPU, and large ones on the best device, where equal
/// positions are merged.
///
/// ```
/// use kogge::Game;
///
/// assert_eq!(kogge::perft(&Game::default(), 6)?, 119_060_324);
/// # Ok::<(), kogge::TreeError>(())
/// ```
///
/// # Errors
/// If no device works, a device fails, or the count exceeds 2^128.
pub fn perft(game: &Game, depth: u32) -> Result<u128, TreeError> {
    let root = game.fen();
    let mut opened = best_device(depth, |driver, depth| driver.perft(root, depth))?;
    let settings = memory::settings(None, opened.backend.info());
    let mut driver = Driver::new(&mut *opened.backend, &());
    let is_short = depth < LEAST_MERGED_DEPTH
        || Estimate::tree(depth, |depth| driver.perft(root, depth))?.seconds() <= LEAST_MERGED_SECONDS;
    if is_short {
        return Ok(driver.perft(root, depth)?);
    }
    let merged = driver.perft_merged(root, depth, &settings)?;
    if let Some(found) = merged.costs {
        costs::remember(opened.backend.info(), found);
    }
    Ok(merged.leaves)
}

/// Counts the leaves below each legal move of a position, `depth` plies below the position. There are none at depth 0.
///
/// ```
/// use kogge::Game;
///
/// let start = Game::default();
/// let moves = kogge::divide(&start, 3)?;
/// let below = |text| moves.iter().find(|(played, _)| start.uci(*played) == text).map(|(_, leaves)| *leaves);
/// assert_eq!((moves.len(), below("e2e4"), below("e2e5")), (20, Some(600), None));
/// # Ok::<(), kogge::TreeError>(())
/// ```
///
/// # Errors
/// If no device works, a device fails, or a count exceeds 2^128.
pub fn divide(game: &Game, depth: u32) -> Result<Vec<(Move, u128)>, TreeError> {
    let root = game.fen();
    let mut opened = best_device(depth, |driver, depth| driver.perft(root, depth))?;
    Ok(Driver::new(&mut *opened.backend, &()).divide(root, depth)?)
}

/// Counts the leaves `depth` plies below a position by the kind of move that leads to them: captures, castlings, checks, mates and so
/// on.
///
/// ```
/// use kogge::Game;
///
/// let leaves = kogge::stats(&Game::default(), 4)?;
/// assert_eq!((leaves.nodes, leaves.captures, leaves.mates), (197_281, 1576, 8));
/// # Ok::<(), kogge::TreeError>(())
/// ```
///
/// # Errors
/// If no device works, a device fails, or a count exceeds 2^128.
pub fn stats(game: &Game, depth: u32) -> Result<Categories, TreeError> {
    let root = game.fen();
    let mut opened = best_device(depth, |driver, depth| Ok(driver.stats(root, depth)?.nodes))?;
    let settings = memory::settings(None, opened.backend.info()).counting(Quantity::Categories);
    let mut driver = Driver::new(&mut *opened.backend, &());
    if depth < LEAST_MERGED_DEPTH {
        return Ok(driver.stats(root, depth)?);
    }
    Ok(driver.perft_merged(root, depth, &settings)?.categories.unwrap_or_default())
}

/// Finds the best line of a position by exhaustive minimax, `depth` plies deep. Captures and promotions are followed beyond the last
/// ply until the position is quiet.
///
/// ```
/// use kogge::Game;
///
/// let game: Game = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1".parse()?;
/// let best = kogge::best(&game, 3)?;
/// assert_eq!((best.score.mate_moves(), game.san(best.line[0]).as_str()), (Some(1), "Ra8#"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no device works, or a device fails.
pub fn best(game: &Game, depth: u32) -> Result<Best, TreeError> {
    let root = game.fen();
    let mut opened = best_device(depth, |driver, depth| Ok(driver.best(root, depth, Leaves::Quiescent)?.leaves))?;
    Ok(Driver::new(&mut *opened.backend, &()).best(root, depth, Leaves::Quiescent)?)
}
