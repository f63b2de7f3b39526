//! The platforms that an archive can be made for: the host, and others for which this machine can build.

use crate::{
    Result, steps,
    system::{self, MUSL_COMPILER, Requirement, WINDOWS_COMPILER},
};

/// A target of the compiler.
pub(crate) struct Platform {
    pub(crate) triple: String,
    pub(crate) is_host: bool,
}

impl Platform {
    pub(crate) fn host() -> Result<Self> {
        Ok(Self { triple: steps::host()?, is_host: true })
    }

    /// Returns the target with this triple, or the host.
    pub(crate) fn new(triple: Option<String>) -> Result<Self> {
        let host = Self::host()?;
        Ok(match triple {
            Some(triple) if triple != host.triple => Self { triple, is_host: false },
            _ => host,
        })
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.triple.contains("-windows-")
    }

    /// Whether programs need no library of the system, as with the C library musl. They cannot open a library either.
    pub(crate) fn is_static(&self) -> bool {
        self.triple.ends_with("-linux-musl")
    }

    /// The file name of the program.
    pub(crate) fn program(&self) -> &'static str {
        if self.is_windows() { "kogge.exe" } else { "kogge" }
    }

    /// The features of the program in an archive. A static program cannot open a GPU's driver.
    pub(crate) fn features(&self) -> &'static str {
        if self.is_static() { "ledger,parquet,postgres,search" } else { "default,full" }
    }

    /// Whether the host can run the program: a static program needs only the kernel and the CPU of the host.
    pub(crate) fn runs_here(&self) -> bool {
        let kernel = |triple: &str| triple.strip_suffix("-gnu").or(triple.strip_suffix("-musl")).map(str::to_owned);
        self.is_host || self.is_static() && steps::host().is_ok_and(|host| kernel(&host) == kernel(&self.triple))
    }

    /// The C compiler for musl on the CPU of the host, which is not found by its target's name on every system.
    pub(crate) fn c_compiler(&self) -> Option<&'static str> {
        (self.is_static() && !self.is_host && self.runs_here()).then_some("musl-gcc")
    }

    /// Adds Rust's library for the target, and the compiler and linker for C, where possible.
    pub(crate) fn provide(&self) -> Result {
        if self.is_host {
            return Ok(());
        }
        add(&self.triple)?;
        let compiler: &[Requirement] = match () {
            () if self.c_compiler().is_some() => &[MUSL_COMPILER],
            () if self.triple == WINDOWS => &[WINDOWS_COMPILER],
            // A compiler that nobody has tried here; the build says if there is none.
            () => &[],
        };
        system::provide(compiler)
    }
}

/// Windows, as Debian's cross compiler builds for it.
pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// Adds Rust's library for a target to the current toolchain.
pub(crate) fn add(triple: &str) -> Result {
    steps::command("rustup").args(["target", "add", triple]).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_known_by_its_triple() {
        let of = |triple: &str| Platform::new(Some(triple.to_owned())).expect("a host");
        let (windows, musl, macos) = (of(WINDOWS), of("x86_64-unknown-linux-musl"), of("aarch64-apple-darwin"));
        assert_eq!([&windows, &musl, &macos].map(Platform::program), ["kogge.exe", "kogge", "kogge"]);
        assert_eq!([&windows, &musl, &macos].map(Platform::is_static), [false, true, false]);
        assert!(!musl.features().contains("full") && windows.features().contains("full"));
        let host = of(&steps::host().expect("a host"));
        assert!(host.is_host && host.runs_here());
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            assert!(musl.runs_here() && !windows.runs_here() && !macos.runs_here());
            assert!(!of("aarch64-unknown-linux-musl").runs_here());
        }
    }
}
