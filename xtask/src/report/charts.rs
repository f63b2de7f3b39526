//! Bars and lines.
//!
//! The library plotters was tried with its SVG output alone. Its pictures have fixed colours, which cannot be read on dark
//! pages, its legend covers the lines, its bars have no texts beside them, and it does not know the width of a text, so
//! that no test can find texts that overlap. Drawing all of this around it would take as much code as these two files.

use super::svg::{Anchor, SIZE, Svg, width};

const WIDTH: f64 = 800.0;
/// The height of a line of text.
const ROW: f64 = 1.5 * SIZE;
const BAR: f64 = 14.0;
/// The height of a plot of lines.
const PLOT: f64 = 360.0;

/// The bars of one subject, one for each group, each with a text beside it.
pub(super) struct Bars {
    pub(super) label: String,
    pub(super) values: Vec<Option<(f64, String)>>,
}

/// A line or points of one subject.
pub(super) struct Curve {
    /// The label in the legend. Curves with the same label have the same colour, and one line in the legend.
    pub(super) label: String,
    pub(super) dashed: bool,
    /// Whether to draw points without a line.
    pub(super) points_only: bool,
    pub(super) points: Vec<(u32, f64)>,
}

/// Draws horizontal bars in groups. `unit` names the numbers, and `tick` formats them.
pub(super) fn bars(title: &str, unit: &str, groups: &[String], all: &[Bars], tick: &dyn Fn(f64) -> String) -> Svg {
    let mut svg = Svg::new(WIDTH, title);
    let mut y = 2.5 * ROW;
    for (colour, bars) in all.iter().enumerate() {
        svg.bar([0.0, y - 0.8 * SIZE, SIZE, SIZE], colour);
        svg.text([1.5 * SIZE, y], Anchor::Start, &bars.label);
        y += ROW;
    }
    let values = || all.iter().flat_map(|bars| bars.values.iter().flatten());
    let greatest = values().map(|(value, _)| *value).fold(0.0, f64::max);
    let widest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| width(text)).fold(0.0, f64::max);
    let left = widest(&mut groups.iter()) + SIZE;
    let right = WIDTH - widest(&mut values().map(|(_, text)| text)) - SIZE;
    let step = step(greatest);
    let scale = (right - left) / greatest.max(f64::MIN_POSITIVE);
    let present =
        |group: usize| all.iter().filter(|bars| matches!(bars.values.get(group), Some(Some(_)))).count() as f64;
    let height = (0..groups.len()).map(|group| present(group) * BAR + ROW).sum::<f64>();
    for index in 0..=(greatest / step) as u32 {
        let x = left + scale * step * f64::from(index);
        svg.rule([x, y], [x, y + height]);
        svg.text([x, y + height + 1.2 * SIZE], Anchor::Middle, &tick(step * f64::from(index)));
    }
    svg.text([left, y + height + 2.6 * SIZE], Anchor::Start, unit);
    let bottom = y + height + 3.2 * SIZE;
    for (group, name) in groups.iter().enumerate() {
        y += ROW / 2.0;
        svg.text([left - SIZE / 2.0, y + present(group) * BAR / 2.0 + 0.35 * SIZE], Anchor::End, name);
        for (colour, bars) in all.iter().enumerate() {
            if let Some((value, text)) = bars.values.get(group).and_then(Option::as_ref) {
                svg.bar([left, y, (scale * value).max(1.0), BAR - 2.0], colour);
                svg.text([left + scale * value + SIZE / 3.0, y + BAR - 4.0], Anchor::Start, text);
                y += BAR;
            }
        }
        y += ROW / 2.0;
    }
    svg.finished_at(bottom)
}

/// Returns the step between four to nine round numbers.
fn step(greatest: f64) -> f64 {
    let power = 10_f64.powf(greatest.max(f64::MIN_POSITIVE).log10().floor());
    let factor = match greatest / power {
        ..2.0 => 0.25,
        ..4.0 => 0.5,
        _ => 1.0,
    };
    factor * power
}

/// Draws lines over depths, on a logarithmic scale that `tick` formats.
pub(super) fn curves(title: &str, unit: &str, all: &[Curve], notes: &[&str], tick: &dyn Fn(f64) -> String) -> Svg {
    let mut svg = Svg::new(WIDTH, title);
    let mut names: Vec<&str> = Vec::new();
    all.iter().for_each(|curve| {
        if !names.contains(&curve.label.as_str()) {
            names.push(&curve.label);
        }
    });
    let colour = |curve: &Curve| names.iter().position(|name| *name == curve.label).unwrap_or(0);
    let mut y = 2.5 * ROW;
    for (index, name) in names.iter().enumerate() {
        let lonely = all.iter().filter(|curve| curve.label == *name).all(|curve| curve.points_only);
        if lonely {
            svg.diamond([SIZE, y - 0.3 * SIZE], index);
        } else {
            svg.curve(&[[0.0, y - 0.3 * SIZE], [2.0 * SIZE, y - 0.3 * SIZE]], index, false);
        }
        svg.text([2.5 * SIZE, y], Anchor::Start, name);
        y += ROW;
    }
    for note in notes {
        svg.text([2.5 * SIZE, y], Anchor::Start, note);
        y += ROW;
    }
    svg.text([0.0, y + 0.5 * ROW], Anchor::Start, unit);
    y += 1.2 * ROW;

    let points = || all.iter().flat_map(|curve| &curve.points);
    let deepest = points().map(|(depth, _)| *depth).max().unwrap_or(1).max(2);
    let logs = || points().map(|(_, value)| value.log10());
    let low = logs().fold(f64::INFINITY, f64::min).floor().clamp(-30.0, 30.0);
    let high = logs().fold(f64::NEG_INFINITY, f64::max).ceil().clamp(low + 1.0, low + 60.0);
    let decades = || (0..=(high - low) as i32).map(|decade| low as i32 + decade);
    let left = decades().map(|decade| width(&tick(10_f64.powi(decade)))).fold(0.0, f64::max) + SIZE;
    let (right, bottom) = (WIDTH - 2.0 * SIZE, y + PLOT);
    let place = |depth: u32, value: f64| {
        let across = f64::from(depth.saturating_sub(1)) / f64::from(deepest - 1);
        [left + SIZE + (right - left - SIZE) * across, bottom - PLOT * (value.log10() - low) / (high - low)]
    };
    for decade in decades() {
        let [_, y] = place(1, 10_f64.powi(decade));
        svg.rule([left, y], [right, y]);
        svg.text([left - SIZE / 2.0, y + 0.35 * SIZE], Anchor::End, &tick(10_f64.powi(decade)));
    }
    for depth in 1..=deepest {
        let [x, _] = place(depth, 1.0);
        svg.text([x, bottom + 1.5 * SIZE], Anchor::Middle, &depth.to_string());
    }
    svg.text([right, bottom + 3.0 * SIZE], Anchor::End, "depth, plies");
    for curve in all {
        let points: Vec<_> = curve.points.iter().map(|&(depth, value)| place(depth, value)).collect();
        if curve.points_only {
            points.iter().for_each(|&point| svg.diamond(point, colour(curve)));
        } else {
            svg.curve(&points, colour(curve), curve.dashed);
            points.iter().for_each(|&point| svg.dot(point, colour(curve)));
        }
    }
    svg.finished_at(bottom + 3.6 * SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (greatest, expected) in [(1.0, 0.25), (2.83, 0.5), (9.9, 1.0), (64.0, 10.0), (1.5e12, 2.5e11)] {
            let found = step(greatest);
            assert!((found / expected - 1.0).abs() < 1e-9, "{greatest}: {found}");
            assert!((4.0..10.0).contains(&(greatest / found)), "{greatest}: {found}");
        }
    }
}
