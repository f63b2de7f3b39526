//! The tests of the page, in a browser without a window.

use crate::{
    Result, root,
    steps::{command, step},
    system::{self, BROWSER},
};

/// Makes the page and tests it in Chromium.
///
/// # Errors
/// If there is no browser, or if a test fails.
pub(crate) fn test() -> Result {
    step("browser", || system::provide(BROWSER))?;
    let folder = super::make()?;
    let address = super::serve::serve_in_background(folder)?;
    let tests = root().join("web/tests/browser");
    step("tests in a browser", || {
        command("npm").args(["ci", "--no-audit", "--no-fund", "--prefix"]).arg(&tests).run()?;
        command("node")
            .args(["--test", "--test-reporter=spec"])
            .arg(tests.join("page.test.mjs"))
            .env("KOGGE_PAGE", &address)
            .run()
    })
}
