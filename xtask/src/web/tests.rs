//! The tests of the page, in a browser without a window.

use std::net::{Ipv4Addr, TcpListener};

use crate::{
    Result, root,
    steps::{command, step},
    system::{self, BROWSER},
};

/// Makes the page and tests it in Chromium.
pub(crate) fn test() -> Result {
    step("browser", || system::provide(BROWSER))?;
    let folder = super::make()?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let mut server = super::server(&folder, port).start()?;
    let tests = root().join("web/tests/browser");
    let result = step("tests in a browser", || {
        command("npm").args(["ci", "--no-audit", "--no-fund", "--prefix"]).arg(&tests).run()?;
        command("node")
            .args(["--test", "--test-reporter=spec"])
            .arg(tests.join("page.test.mjs"))
            .env("KOGGE_PAGE", &format!("http://{}:{port}/", Ipv4Addr::LOCALHOST))
            .run()
    });
    server.kill()?;
    result
}
