//! The costs of merging on each device; this build stores none, because it lacks the feature `tuning`.

use kogge_board::DeviceInfo;
use kogge_driver::MergeCosts;

/// Returns `None`: plans use the usual costs.
pub fn known(_: &DeviceInfo) -> Option<MergeCosts> {
    None
}

/// Does nothing.
pub fn remember(_: &DeviceInfo, _: MergeCosts) {}
