//! Plans of counts by merged plies: the plies, their ranges, and the time and memory that they take.

use std::fmt;

/// A plan for a count by merged plies, whether carried out or not.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// The depth of the tree in plies.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub depth: u32,
    /// The number of bytes that may be used.
    pub memory: u64,
    /// The merged plies, from the root on.
    pub plies: Vec<PlannedPly>,
    /// The number of plies counted below each position of the last merged ply.
    pub below: u32,
    /// Whether ranges of the last merged ply are best ranges of [reversed](kogge_board::merge::Key::reversed) keys.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub is_reversed: bool,
    /// Seconds for counting these plies: the measured time if they were counted, else an estimate, or infinity if no
    /// estimate is possible.
    pub below_seconds: f64,
    /// Estimated seconds for counting every leaf; `None` if nothing could be measured.
    pub raw_seconds: Option<f64>,
}

/// One merged ply of a [`Plan`].
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlannedPly {
    /// The number of the ply, 0 for the root.
    pub ply: u32,
    /// The number of distinct positions.
    pub positions: u64,
    /// Whether the positions were counted, not estimated.
    pub measured: bool,
    /// The estimated bytes of the positions made together and of all parents in memory.
    pub bytes: u64,
    /// The number of ranges that the ply is made in, one after the other; 1 if the ply is made whole. If the ply before the last is
    /// made in several ranges, each of its ranges serves several ranges of the last ply.
    pub ranges: u32,
    /// Seconds for merging, measured or estimated.
    pub seconds: f64,
}

impl Plan {
    /// Returns the seconds for the whole count.
    pub fn seconds(&self) -> f64 {
        self.plies.iter().map(|ply| ply.seconds).sum::<f64>() + self.below_seconds
    }

    /// Returns the number of ranges of the last merged ply.
    pub fn ranges(&self) -> u32 {
        self.plies.last().map_or(1, |ply| ply.ranges)
    }

    /// Returns the last merged ply.
    pub fn last_ply(&self) -> u32 {
        self.plies.last().map_or(0, |ply| ply.ply)
    }

    /// Summarizes the plan: `merged to ply 4 (72078 positions), 3 plies below`.
    pub fn summary(&self) -> String {
        let positions = self.plies.last().map_or(1, |ply| ply.positions);
        let parts = match self.ranges() {
            1 => String::new(),
            ranges => format!(" in {ranges} ranges"),
        };
        format!("merged to ply {} ({positions} positions{parts}), {} plies below", self.last_ply(), self.below)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ply  distinct positions             memory  ranges         time")?;
        for PlannedPly { ply, positions, measured, bytes, ranges, seconds } in &self.plies {
            let about = if *measured { ' ' } else { '~' };
            let memory = bytes.div_ceil(1 << 20);
            writeln!(f, "{ply:>3}  {about}{positions:>17}  {memory:>13} MiB  {ranges:>6}  {:>11}", time(*seconds))?;
        }
        let Self { below, below_seconds, .. } = self;
        write!(f, "{below} plies below: {}; in all {}", time(*below_seconds), time(self.seconds()))?;
        match self.raw_seconds {
            Some(seconds) => write!(f, "; every leaf without merging: about {}", time(seconds)),
            None => Ok(()),
        }
    }
}

/// Formats seconds for people, in one unit of at most years.
pub(crate) fn time(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(31_557_600.0, "years"), (86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")];
    match UNITS.into_iter().find(|(unit, _)| seconds >= 2.0 * unit) {
        _ if !seconds.is_finite() => "unknown".to_owned(),
        Some((unit, name)) if seconds >= 1e6 * unit => format!("{:.1e} {name}", seconds / unit),
        Some((unit, name)) => format!("{:.0} {name}", seconds / unit),
        None => format!("{seconds:.3} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_for_people() {
        for (seconds, text) in [
            (0.0, "0.000 s"),
            (119.0, "119.000 s"),
            (120.0, "2 minutes"),
            (7_200.0, "2 hours"),
            (200_000.0, "2 days"),
            (27_689_854_940.948, "877 years"),
            (1e20, "3.2e12 years"),
            (f64::INFINITY, "unknown"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }
}
