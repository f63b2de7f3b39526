//! Counts trees with equal positions merged, and prints the time of each ply. [`kogge_testkit::measure::merged`]
//! explains the command line, `merged DEVICE GIBIBYTES JOBS...`.

fn main() -> kogge_testkit::measure::Outcome {
    kogge_testkit::measure::merged::<kogge_backend_wgpu::Device>()
}
