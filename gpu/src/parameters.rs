//! The parameters of a device. Each parameter is named once, in the table of this file.

use std::collections::BTreeMap;

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

use Parameter::*;
use TrialValues::{Each, Never, Shifted};

/// A number that options can set for a device, and that tuning can choose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// Whether 64-bit words in the kernels are native (1) or emulated by two 32-bit words (0).
    Word,
    /// The way to find the attacks of sliders: Kogge-Stone fills in all eight directions (0); or fills, but arithmetic along
    /// ranks (1): one addition carries the attacks of all sliders in a direction to their first blockers. Arithmetic needs
    /// reversed bits, which GPUs compute in one instruction. With arithmetic, boards are also flipped by reversing them.
    Sliders,
    /// Whether kernels sum over sub-groups.
    Subgroups,
    /// The number of work-items in a work-group. A block of the scan has the same number of positions.
    GroupSize,
    /// The number of work-items in a work-group that counts in closed form.
    ClosedFormGroupSize,
    /// The number of positions that a work-item counts in closed form. If there are several, the work-items of a group
    /// rarely wait for each other.
    ClosedFormTurns,
    /// The number of work-items in a work-group that counts the replies to moves.
    CountGroupSize,
    /// The maximum number of work-groups that count the replies to moves. These groups share all moves. There are more groups if
    /// a group would get more than 16 million moves.
    CountGroups,
    /// The number of moves per work-item that a work-group can queue in local memory.
    QueuedPerLane,
    /// The number of positions in a level: the size of the chunks in which successors are made.
    Positions,
    /// The number of moves that are written together: the size of the chunks in which leaf parents are counted.
    Moves,
    /// The maximum number of registers of a work-item. Only NVIDIA's OpenCL compiler accepts this limit.
    Registers,
    /// Whether the last two plies are counted in closed form where possible. Otherwise every reply is counted.
    ClosedForm,
    /// Whether the scalars of a launch are immediates. Otherwise they are in a buffer.
    Immediates,
    /// Whether the kernels use a vendor's instructions. Otherwise they are standard OpenCL C.
    VendorInstructions,
}

/// The values of some parameters.
pub type Values = BTreeMap<Parameter, usize>;

/// The values that tuning tries.
enum TrialValues {
    Never,
    Each(&'static [usize]),
    /// The default, shifted left by these numbers of bits.
    Shifted(&'static [i32]),
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) parameter: Parameter,
    /// The name to print.
    pub(crate) label: &'static str,
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// The names of the values, if the values are not numbers.
    names: &'static [&'static str],
    tried: TrialValues,
    /// The error for any other value. The first `{}` is the range, the second the value.
    refusal: &'static str,
}

const NO_YES: &[&str] = &["no", "yes"];
const GROUPS: &[usize] = &[64, 128, 256];

/// All parameters, in the order in which tuning tries them.
#[rustfmt::skip]
pub(crate) static TABLE: [Row; 15] = [
    choice(Word, "word", &["emulated", "native"], Each(&[0, 1]),
        "native words were asked for, and this device has no 64-bit integers."),
    choice(Sliders, "sliders", &["fill", "carry"], Each(&[0, 1]),
        "sliders must be fill or carry, which is {} on this device, and {} was asked for."),
    choice(Subgroups, "sub-groups", NO_YES, Each(&[0, 1]), "sub-groups were asked for, and this device has none."),
    number(GroupSize, "work-group", 2, 1024, Each(GROUPS),
        "the work-group size must be {} on this device, and {} was asked for."),
    number(ClosedFormGroupSize, "closed-form work-group", 2, 1024, Each(&[64, 128, 256, 512]),
        "the work-group size for the closed form must be {} on this device, and {} was asked for."),
    number(ClosedFormTurns, "closed-form turns", 1, 16, Each(&[1, 2, 3]),
        "a work-item can count {} positions, and {} were asked for."),
    number(CountGroupSize, "count work-group", 2, 1024, Each(GROUPS),
        "the work-group size for counting replies must be {} on this device, and {} was asked for."),
    number(CountGroups, "count groups", 1, 1 << 20, Shifted(&[-4, -2, 0]),
        "{} work-groups can count replies, and {} were asked for."),
    number(QueuedPerLane, "queued per lane", 1, 64, Each(&[4, 8, 16]),
        "a work-item can queue {} moves, as local memory permits, and {} were asked for."),
    number(Positions, "positions", 1, 0x7fff_ffff, Shifted(&[-2, 0, 2]),
        "the number of positions must be {}, and {} was asked for."),
    number(Moves, "moves", 1, 0x7fff_ffff, Shifted(&[-2, 0, 1]),
        "the number of moves must be {}, and {} was asked for."),
    number(Registers, "registers", 16, 255, Each(&[96, 168, 255]),
        "a work-item can have {} registers, and {} were asked for."),
    choice(ClosedForm, "closed form", NO_YES, Never,
        "closed_form must be no or yes, which is {} on this device, and {} was asked for."),
    choice(Immediates, "immediates", NO_YES, Never, "immediates were asked for, and this device has none."),
    choice(VendorInstructions, "vendor instructions", NO_YES, Never,
        "a vendor's instructions were asked for, and this device has none that are known."),
];

const fn number(
    parameter: Parameter,
    label: &'static str,
    least: usize,
    most: usize,
    tried: TrialValues,
    refusal: &'static str,
) -> Row {
    Row { parameter, label, least, most, names: &[], tried, refusal }
}

const fn choice(
    parameter: Parameter,
    label: &'static str,
    names: &'static [&'static str],
    tried: TrialValues,
    refusal: &'static str,
) -> Row {
    Row { parameter, label, least: 0, most: names.len() - 1, names, tried, refusal }
}

impl Row {
    /// Checks a value.
    ///
    /// # Errors
    /// A sentence that names the parameter.
    pub(crate) fn check(&self, value: usize, most: usize) -> Result<(), String> {
        if (self.least..=most).contains(&value) {
            return Ok(());
        }
        let range = format!("{} to {most}", self.least);
        Err(self.refusal.replacen("{}", &range, 1).replacen("{}", &value.to_string(), 1))
    }

    /// Returns the values that tuning tries, in order.
    pub(crate) fn tried(&self, default: usize) -> Vec<usize> {
        match self.tried {
            Never => Vec::new(),
            Each(values) => values.to_vec(),
            Shifted(shifts) => shifts.iter().map(|&by| if by < 0 { default >> -by } else { default << by }).collect(),
        }
    }

    pub(crate) fn text(&self, value: usize) -> String {
        self.names.get(value).map_or_else(|| value.to_string(), |name| (*name).to_owned())
    }
}

impl Parameter {
    pub(crate) fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Reads a parameter's name, such as `group_size`, and a value, which is a number, `true`, `false`, or a name such as `carry`. `None`
    /// if there is no such parameter or value.
    pub fn parse(name: &str, value: &str) -> Option<(Self, usize)> {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        let parameter = Self::deserialize(name).ok()?;
        let named = parameter.row().names.iter().position(|name| *name == value);
        let switch = value.parse().ok().map(usize::from as fn(bool) -> usize);
        Some((parameter, named.or(switch).or_else(|| value.parse().ok())?))
    }

    /// Returns typical values for a GPU or a CPU, of the parameters that every device has.
    pub fn usual(is_gpu: bool) -> Values {
        let group_size = if is_gpu { 128 } else { 64 };
        Values::from([
            (GroupSize, group_size),
            (ClosedFormGroupSize, group_size),
            (ClosedFormTurns, 1),
            (CountGroupSize, group_size),
            (CountGroups, 256),
            (QueuedPerLane, 16),
            (Positions, if is_gpu { 1 << 24 } else { 1 << 16 }),
            (Moves, if is_gpu { 1 << 27 } else { 1 << 20 }),
            (ClosedForm, 1),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_parameters() {
        assert!(TABLE.iter().enumerate().all(|(index, row)| row.parameter as usize == index));
    }

    #[test]
    fn names_and_values_are_read() {
        assert_eq!(Parameter::parse("closed_form_group_size", "512"), Some((ClosedFormGroupSize, 512)));
        assert_eq!(Parameter::parse("sliders", "carry"), Some((Sliders, 1)));
        assert_eq!(["true", "yes", "1"].map(|yes| Parameter::parse("subgroups", yes)), [Some((Subgroups, 1)); 3]);
        assert_eq!([Parameter::parse("slider", "carry"), Parameter::parse("sliders", "carries")], [None; 2]);
    }

    #[test]
    fn values_around_the_default_are_tried() {
        assert_eq!(Moves.row().tried(1 << 20), [1 << 18, 1 << 20, 1 << 21]);
        assert_eq!(ClosedFormTurns.row().tried(2), [1, 2, 3]);
    }
}
