//! Programs in Python, and the tests of the Python package in a separate environment.

use std::{env, ffi::OsString, fs, path::PathBuf};

use crate::{REQUIRED_DEVICES, Result, metadata, steps::command};

/// Returns the interpreter for programs that need no packages.
pub(crate) fn interpreter() -> OsString {
    env::var_os("PYTHON").unwrap_or_else(|| if cfg!(windows) { "python" } else { "python3" }.into())
}

/// Returns the interpreter of an environment with these packages. The environment lies in the folder of build outputs and is
/// kept, so that each package is downloaded once.
pub(crate) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let environment = metadata::target()?.join(name);
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if command(&python).arg("--version").output().is_err() {
        let made = command(interpreter()).args(["-m", "venv", "--clear"]).arg(&environment).output();
        made.map_err(|error| {
            format!(
                "No environment for Python can be made; Python 3.10 or later with its module venv is needed (on Debian or Ubuntu, \
                 the package python3-venv). The variable PYTHON may name the interpreter. {error}"
            )
        })?;
    }
    let install = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--upgrade"];
    command(&python).args(install).args(packages).run()?;
    Ok(python)
}

/// Builds the wheel, installs it with the packages that its tests need, and runs them. These GPU backends must have devices.
pub(crate) fn test(gpus: &[&str]) -> Result {
    let python = environment("python", &["pip>=25.1", "maturin>=1.9,<2"])?;
    let pip = || command(&python).args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]);
    pip().args(["numpy", "--group", "python/pyproject.toml:test"]).run()?;
    // Otherwise an old wheel of another version would be installed, too.
    let wheels = metadata::target()?.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    // The profile of the tests, with overflow checks, and the features of the workspace, for which most is compiled already; `pip install
    // ./python` builds a release without these features.
    let build = [
        "-m",
        "maturin",
        "build",
        "--manifest-path",
        "python/Cargo.toml",
        "--profile",
        "dev",
        "--features",
        "workspace",
    ];
    let wheel = command(&python).args(build);
    wheel.args(["--interpreter".as_ref(), python.as_os_str()]).arg("--out").arg(&wheels).run()?;
    let built = fs::read_dir(&wheels)?.collect::<std::io::Result<Vec<_>>>()?;
    let [wheel] = &built[..] else {
        return Err(format!("maturin made {} wheels in {}; expected one.", built.len(), wheels.display()).into());
    };
    pip().args(["--force-reinstall", "--no-deps"]).arg(wheel.path()).run()?;
    let tests = command(&python).args([
        "-m",
        "pytest",
        "--quiet",
        "--numprocesses",
        "auto",
        "--dist",
        "worksteal",
        "python/tests",
    ]);
    tests.env(REQUIRED_DEVICES, &gpus.join(",")).run()
}
