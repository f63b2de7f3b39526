//! Weights fitted to the results of games: logistic regression, after Peter Österlund's tuning of Texel.

use std::error::Error;
use std::io::{BufRead, Write, stdout};

use kogge_board::evaluation::{Feature, PHASE, TEMPO, TERMS, features};
use kogge_board::{Fen, Quad48};

/// The number of weights: one for the middlegame and one for the endgame of each term, and one for the side to move.
const WEIGHTS: usize = 2 * TERMS.len() + 1;
/// The share of the game's result in the target; the rest is the search's score.
const BY_RESULT: f64 = 0.5;
/// The force that holds weights near their old values: a change by [`HELD`] hundredths of a pawn costs as much as an error
/// of [`DOUBT`].
const HELD: f64 = 40.0;
const DOUBT: f64 = 3e-6;
/// The number of steps of the descent, and the length of the first step.
const STEPS: u32 = 1_500;
const PACE: f64 = 1.0;

/// The terms of a position's evaluation.
struct Sample {
    /// The number of white's squares minus the number of black's, for each term.
    terms: [i8; TERMS.len()],
    /// The share of the middlegame, from 0 to 1.
    phase: f32,
    /// 1 if white is to move, else -1.
    turn: f32,
    /// The result of the game for white, from 0 to 1.
    result: f32,
    /// The search's score for white, in hundredths of a pawn.
    score: f32,
}

impl Sample {
    fn parse(line: &str) -> Result<Self, Box<dyn Error>> {
        let fields: Vec<&str> = line.split(';').collect();
        let &[fen, score, result] = &fields[..] else {
            return Err(format!("{line:?} is not a FEN, a score and a result, with semicolons between.").into());
        };
        let fen: Fen = fen.parse()?;
        let [white, black] = features(&Quad48::from(&fen.position));
        let terms = std::array::from_fn(|index| {
            let term = &TERMS[index];
            let count = |side: &[u64]| (side[term.feature as usize] & term.squares).count_ones() as i8;
            count(&white) - count(&black)
        });
        let pieces =
            |feature: Feature| (white[feature as usize].count_ones() + black[feature as usize].count_ones()) as i32;
        let minors = pieces(Feature::Knights) + pieces(Feature::Bishops);
        let phase = (minors + 2 * pieces(Feature::Rooks) + 4 * pieces(Feature::Queens)).min(PHASE);
        Ok(Self {
            terms,
            phase: phase as f32 / PHASE as f32,
            turn: if fen.position.turn() == kogge_board::Color::White { 1.0 } else { -1.0 },
            result: result.trim().parse()?,
            score: score.parse()?,
        })
    }

    fn evaluate(&self, weights: &[f64; WEIGHTS]) -> f64 {
        let (mut middlegame, mut endgame) = (0.0, 0.0);
        for (index, &count) in self.terms.iter().enumerate() {
            middlegame += f64::from(count) * weights[2 * index];
            endgame += f64::from(count) * weights[2 * index + 1];
        }
        let phase = f64::from(self.phase);
        middlegame * phase + endgame * (1.0 - phase) + f64::from(self.turn) * weights[WEIGHTS - 1]
    }

    /// Returns the expected result for white, from 0 to 1.
    fn expected(&self, scale: f64) -> f64 {
        BY_RESULT * f64::from(self.result) + (1.0 - BY_RESULT) * sigmoid(scale * f64::from(self.score))
    }

    /// Adds the contribution of each weight to the evaluation, times a factor.
    fn add_slope(&self, times: f64, slope: &mut [f64; WEIGHTS]) {
        let phase = f64::from(self.phase);
        for (index, &count) in self.terms.iter().enumerate() {
            slope[2 * index] += times * f64::from(count) * phase;
            slope[2 * index + 1] += times * f64::from(count) * (1.0 - phase);
        }
        slope[WEIGHTS - 1] += times * f64::from(self.turn);
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(crate) fn fit(input: impl BufRead) -> Result<(), Box<dyn Error>> {
    let mut samples = Vec::new();
    for line in input.lines() {
        samples.push(Sample::parse(&line?)?);
    }
    let mut before = [0.0; WEIGHTS];
    for (index, term) in TERMS.iter().enumerate() {
        (before[2 * index], before[2 * index + 1]) = (f64::from(term.middlegame), f64::from(term.endgame));
    }
    before[WEIGHTS - 1] = f64::from(TEMPO);
    // Every tenth position is kept for the test.
    let asked: Vec<_> = samples.iter().step_by(10).collect();
    let learnt: Vec<_> =
        samples.iter().enumerate().filter(|(index, _)| index % 10 != 0).map(|(_, sample)| sample).collect();
    // The scale of a hundredth of a pawn is fixed.
    let scales = (1..200).map(|step| f64::from(step) * 1e-4);
    let by_result = |scale: f64| {
        mean(&learnt, |sample| (sigmoid(scale * sample.evaluate(&before)) - f64::from(sample.result)).powi(2))
    };
    let (scale, _) =
        scales.map(|scale| (scale, by_result(scale))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
    let error = |samples: &[&Sample], weights: &[f64; WEIGHTS]| {
        mean(samples, |sample| (sigmoid(scale * sample.evaluate(weights)) - sample.expected(scale)).powi(2))
    };
    eprintln!("{} positions, scale {scale:.4}", samples.len());
    let weights = descend(&learnt, scale, before);
    for (name, weights) in [("before", &before), ("after", &weights)] {
        eprintln!(
            "error {name}: {:.6} of those learnt from, {:.6} of the others",
            error(&learnt, weights),
            error(&asked, weights)
        );
    }
    let mut out = stdout().lock();
    writeln!(out, "TEMPO {:.0}", weights[WEIGHTS - 1])?;
    for (index, term) in TERMS.iter().enumerate() {
        let [middlegame, endgame] = [weights[2 * index], weights[2 * index + 1]];
        writeln!(out, "{:?} {:#018x} {middlegame:.0} {endgame:.0}", term.feature, term.squares)?;
    }
    Ok(())
}

fn mean(samples: &[&Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(|sample| value(sample)).sum::<f64>() / samples.len().max(1) as f64
}

/// Minimizes the error with Adam (Kingma and Ba).
fn descend(samples: &[&Sample], scale: f64, before: [f64; WEIGHTS]) -> [f64; WEIGHTS] {
    let (mut weights, mut means, mut squares) = (before, [0.0; WEIGHTS], [0.0; WEIGHTS]);
    let expected: Vec<f64> = samples.iter().map(|sample| sample.expected(scale)).collect();
    for step in 1..=STEPS {
        let mut slope = [0.0; WEIGHTS];
        for (sample, expected) in samples.iter().zip(&expected) {
            let found = sigmoid(scale * sample.evaluate(&weights));
            let times = 2.0 * (found - expected) * found * (1.0 - found) * scale / samples.len() as f64;
            sample.add_slope(times, &mut slope);
        }
        let pace = PACE * (1.0 - f64::from(step) / f64::from(STEPS));
        for index in 0..WEIGHTS {
            let slope = slope[index] + 2.0 * DOUBT * (weights[index] - before[index]) / (HELD * HELD);
            means[index] = 0.9 * means[index] + 0.1 * slope;
            squares[index] = 0.999 * squares[index] + 0.001 * slope * slope;
            let mean = means[index] / (1.0 - 0.9f64.powi(step as i32));
            let square = squares[index] / (1.0 - 0.999f64.powi(step as i32));
            weights[index] -= pace * mean / (square.sqrt() + 1e-12);
        }
    }
    weights
}
