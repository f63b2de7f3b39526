//! The Python package: its wheel, and its tests in an environment of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{Result, metadata, steps::command};

/// Builds the wheel, installs it with the packages that its tests need, and runs them. A device that `required` names must be there.
///
/// The environment lies in the folder of build outputs and is kept, so that packages are fetched once.
pub(crate) fn test(required: &str) -> Result {
    let target = metadata::members()?.target_directory;
    let environment = target.join("python");
    let wheels = target.join("wheels");
    let python = interpreter(&environment);
    if command(&python).arg("--version").output().is_err() {
        provide(&environment)?;
    }
    let pip = || command(&python).args(["-m", "pip", "--disable-pip-version-check"]);
    pip().args(["install", "--quiet", "--upgrade", "pip>=25.1", "maturin>=1.9,<2"]).run()?;
    pip().args(["install", "--quiet", "numpy", "--group", "python/pyproject.toml:test"]).run()?;
    // An old wheel of another version would be installed, too.
    let _ = fs::remove_dir_all(&wheels);
    // The profile of the tests, with overflow checks; `pip install ./python` builds a release.
    let wheel =
        command(&python).args(["-m", "maturin", "build", "--manifest-path", "python/Cargo.toml", "--profile", "dev"]);
    wheel.args(["--interpreter".as_ref(), python.as_os_str()]).arg("--out").arg(&wheels).run()?;
    let built = fs::read_dir(&wheels)?.collect::<std::io::Result<Vec<_>>>()?;
    let [wheel] = &built[..] else {
        return Err(format!("maturin made {} wheels in {}; expected one.", built.len(), wheels.display()).into());
    };
    pip().args(["install", "--quiet", "--force-reinstall", "--no-deps"]).arg(wheel.path()).run()?;
    let tests = command(&python).args(["-m", "pytest", "--quiet", "python/tests"]);
    tests.env("KOGGE_REQUIRE_DEVICES", required).run()
}

/// Makes the environment.
fn provide(environment: &Path) -> Result {
    let named = env::var_os("PYTHON").unwrap_or_else(|| if cfg!(windows) { "python" } else { "python3" }.into());
    let made = command(named).args(["-m", "venv", "--clear"]).arg(environment).output();
    made.map(drop).map_err(|error| {
        format!(
            "No environment for Python can be made; Python 3.10 or later with its module venv is needed (on Debian or Ubuntu, the \
             package python3-venv). The variable PYTHON may name the interpreter. {error}"
        )
        .into()
    })
}

/// Returns the interpreter of an environment.
fn interpreter(environment: &Path) -> PathBuf {
    if cfg!(windows) { environment.join("Scripts").join("python.exe") } else { environment.join("bin").join("python") }
}
