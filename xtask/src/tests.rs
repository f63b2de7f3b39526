//! The tests of the workspace, with all features.

use cargo_metadata::{Artifact, Message, camino::Utf8Path};

use crate::{
    REQUIRED_DEVICES, Result,
    steps::{Beside, Run, announce, cargo, command, side_by_side, step},
};

/// The variable that names the variants of the CPU code whose tests fail on a CPU that lacks them.
const REQUIRED_VARIANTS: &str = "KOGGE_REQUIRE_VARIANTS";

/// Builds the tests and runs the tests in the documentation. Tests of these GPU backends fail without a device.
pub(crate) fn build(gpus: &[&str]) -> Result {
    step("build the tests", || test(gpus).args(["--tests", "--no-run"]).run())?;
    step("doc tests", || test(gpus).arg("--doc").run())
}

/// The name of the tests of a device. They mostly wait for compilers of kernels, which use one core, so they run beside the other tests.
const DEVICE: &str = "device";

/// Runs `before`, and then all tests but the tests in the documentation. Beside these run the tests of devices, and then the commands of
/// `beside`.
pub(crate) fn run(gpus: &[&str], before: impl FnOnce() -> Result, beside: impl IntoIterator<Item = Beside>) -> Result {
    let (devices, others): (Vec<_>, Vec<_>) =
        programs(gpus)?.into_iter().partition(|program| program.target.name == DEVICE);
    let devices = devices.iter().map(|program| {
        Ok((format!("tests of {}", folder(program)?.file_name().unwrap_or("devices")), command_of(program, gpus)?))
    });
    let beside = devices.chain(beside.into_iter().map(Ok)).collect::<Result<Vec<_>>>()?;
    let first = || {
        before()?;
        note_missing_variants();
        announce("tests");
        others.iter().try_for_each(|program| command_of(program, gpus)?.run())
    };
    side_by_side(first, beside)
}

/// Returns the programs of the tests, built if necessary.
fn programs(gpus: &[&str]) -> Result<Vec<Artifact>> {
    let build = test(gpus).args(["--tests", "--no-run", "--message-format=json-render-diagnostics"]);
    let messages = Message::parse_stream(&build.output()?.stdout[..]).collect::<std::io::Result<Vec<_>>>()?;
    let programs = messages.into_iter().filter_map(|message| match message {
        Message::CompilerArtifact(artifact) if artifact.profile.test && artifact.executable.is_some() => Some(artifact),
        _ => None,
    });
    Ok(programs.collect())
}

/// Returns the command that runs a program of tests in the folder of its package, as Cargo does.
fn command_of(program: &Artifact, gpus: &[&str]) -> Result<Run> {
    let path = program.executable.as_ref().ok_or("The tests have no program.")?;
    Ok(required(command(path).within(folder(program)?), gpus))
}

/// Returns the folder of a program's package.
fn folder(program: &Artifact) -> Result<&Utf8Path> {
    Ok(program.manifest_path.parent().ok_or("The package has no folder.")?)
}

fn test(gpus: &[&str]) -> Run {
    required(cargo("test").args(["--workspace", "--all-features"]), gpus)
}

/// Tells tests which devices and variants they need.
fn required(run: Run, gpus: &[&str]) -> Run {
    run.env(REQUIRED_DEVICES, &gpus.join(",")).env(REQUIRED_VARIANTS, &required_variants())
}

/// Returns the variants of the CPU code that must be tested: those in the environment variable, or else the variants that any current CPU can
/// run.
fn required_variants() -> String {
    let current = match () {
        () if cfg!(target_arch = "x86_64") => "portable,avx2",
        () if cfg!(target_arch = "aarch64") => "portable,neon",
        () => "portable",
    };
    std::env::var(REQUIRED_VARIANTS).unwrap_or_else(|_| current.to_owned())
}

/// Says which variants are not tested, unless the caller has chosen the variants.
fn note_missing_variants() {
    #[cfg(target_arch = "x86_64")]
    if std::env::var_os(REQUIRED_VARIANTS).is_none() && !is_x86_feature_detected!("avx512vpopcntdq") {
        eprintln!(
            "The variants for AVX-512 are not tested, or not all: this CPU lacks the instructions, and QEMU does not emulate them. \
             With {REQUIRED_VARIANTS}=avx512-popcount the tests fail on such a CPU."
        );
    }
}
