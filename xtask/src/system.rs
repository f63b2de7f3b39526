//! The requirements of tests: checked, installed if possible, otherwise explained.

use std::{env, fs, path::PathBuf, process::Command};

use serde_json::Value;

use crate::{
    Result, metadata, python,
    steps::{cargo, command},
};

/// A program or driver that a package manager installs.
pub(crate) struct Requirement {
    /// The name, for use in a sentence.
    name: &'static str,
    /// Returns an error with the reason if the requirement is missing.
    check: fn() -> Result,
    /// The packages of Debian, Fedora and Arch Linux.
    packages: [&'static str; 3],
}

/// Any OpenCL device; PoCL offers the CPU as one.
const OPENCL: Requirement = Requirement {
    name: "an OpenCL device",
    check: || finds("opencl"),
    packages: ["pocl-opencl-icd ocl-icd-libopencl1", "pocl ocl-icd", "pocl ocl-icd"],
};

/// Any Vulkan device; lavapipe offers the CPU as one.
const VULKAN: Requirement = Requirement {
    name: "a Vulkan device",
    check: || finds("wgpu"),
    packages: [
        "mesa-vulkan-drivers libvulkan1",
        "mesa-vulkan-drivers vulkan-loader",
        "vulkan-swrast vulkan-icd-loader",
    ],
};

/// A server for the tests of ledgers, which start it themselves. Debian installs its programs outside PATH.
pub(crate) const POSTGRESQL: Requirement = Requirement {
    name: "PostgreSQL",
    check: || {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let has_server = |folder: PathBuf| folder.join("initdb").exists() && folder.join("pg_ctl").exists();
        let in_path = env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(has_server);
        match in_path || versions.map(|version| version.path().join("bin")).any(has_server) {
            true => Ok(()),
            false => Err("There are no programs initdb and pg_ctl.".into()),
        }
    },
    packages: ["postgresql", "postgresql-server", "postgresql"],
};

/// The interpreter of scripts.
pub(crate) const PYTHON: Requirement = Requirement {
    name: "Python",
    check: || command(python::interpreter()).arg("--version").output().map(drop),
    packages: ["python3", "python3", "python"],
};

/// The compiler for libFuzzer.
pub(crate) const CXX_COMPILER: Requirement = Requirement {
    name: "a C++ compiler",
    check: || command(env::var_os("CXX").unwrap_or_else(|| "c++".into())).arg("--version").output().map(drop),
    packages: ["g++", "gcc-c++", "gcc"],
};

/// The server of the page, the browser that tests it, and the program that drives the browser.
pub(crate) const BROWSER: &[Requirement] = &[
    PYTHON,
    Requirement {
        name: "Chromium",
        check: || command("chromium").arg("--version").output().map(drop),
        packages: ["chromium", "chromium", "chromium"],
    },
    Requirement {
        name: "Node.js with npm",
        check: || command("npm").arg("--version").output().map(drop),
        packages: ["npm", "npm", "npm"],
    },
];

/// The linker and the emulator for AArch64.
pub(crate) const AARCH64: &[Requirement] = &[
    Requirement {
        name: "a C compiler for AArch64",
        check: || command("aarch64-linux-gnu-gcc").arg("--version").output().map(drop),
        packages: ["gcc-aarch64-linux-gnu libc6-dev-arm64-cross", "gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc"],
    },
    Requirement {
        name: "an emulator of AArch64",
        check: || command("qemu-aarch64").arg("--version").output().map(drop),
        packages: ["qemu-user", "qemu-user", "qemu-user"],
    },
];

/// The compiler and linker for Windows.
pub(crate) const WINDOWS_COMPILER: Requirement = Requirement {
    name: "a C compiler for Windows",
    check: || command("x86_64-w64-mingw32-gcc").arg("--version").output().map(drop),
    packages: ["gcc-mingw-w64-x86-64", "mingw64-gcc", "mingw-w64-gcc"],
};

/// What runs programs for Windows.
pub(crate) const WINE: Requirement = Requirement {
    name: "Wine",
    check: || command("wine").arg("--version").output().map(drop),
    packages: ["wine wine64", "wine-core", "wine"],
};

/// The compiler for the C library musl, which static programs contain.
pub(crate) const MUSL_COMPILER: Requirement = Requirement {
    name: "a C compiler for musl",
    check: || command("musl-gcc").arg("--version").output().map(drop),
    packages: ["musl-tools", "musl-gcc", "musl"],
};

/// Provides a device for each GPU backend.
///
/// On systems other than Linux, OpenCL and the interfaces of wgpu are parts of the system. The tests fail without these devices.
pub(crate) fn provide_devices() -> Result {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    // With these arguments, the program shares compiled crates with the tests.
    cargo("build").args(["--workspace", "--all-features", "--bin", "kogge"]).run()?;
    provide(&[OPENCL, VULKAN])
}

/// Checks requirements and installs missing ones.
pub(crate) fn provide(requirements: &[Requirement]) -> Result {
    let missing = missing(requirements);
    if missing.is_empty() {
        return Ok(());
    }
    let Some(apt_get) = apt_get() else { return Err(instructions(&missing).into()) };
    let apt_get = |arguments: &[&str]| command(apt_get[0]).args(&apt_get[1..]).args(arguments).run();
    // Another installation, perhaps by the system itself, may hold the lock.
    let mut install = vec!["-o", "DPkg::Lock::Timeout=300", "install", "--yes", "--no-install-recommends"];
    install.extend(missing.iter().flat_map(|requirement| requirement.packages[0].split(' ')));
    // The package lists of a fresh machine are empty or old. Then `install` fails, or it treats an unknown name such as
    // g++ as a pattern, and succeeds without installing anything.
    if apt_get(&install).is_ok() && self::missing(requirements).is_empty() {
        return Ok(());
    }
    apt_get(&["update"])?;
    apt_get(&install)?;
    if self::missing(requirements).is_empty() {
        return Ok(());
    }
    Err("The installed packages do not work; the reasons are above.".into())
}

fn missing(requirements: &[Requirement]) -> Vec<&Requirement> {
    let mut missing = Vec::new();
    for requirement in requirements {
        match (requirement.check)() {
            Ok(()) => eprintln!("Found: {}.", requirement.name),
            Err(reason) => {
                eprintln!("Missing: {}. {reason}", requirement.name);
                missing.push(requirement);
            }
        }
    }
    missing
}

/// Returns an error if kogge finds no device of a backend. Each check is a new process, because a loader looks for drivers only
/// once per process, and a broken driver may crash.
fn finds(backend: &str) -> Result {
    let found: Value =
        serde_json::from_slice(&command(metadata::program("debug")?).args(["devices", "--json"]).output()?.stdout)?;
    let devices = || found["devices"].as_array().into_iter().flatten().filter(|device| device["backend"] == backend);
    if devices().any(|device| device["usable"] == true) {
        return Ok(());
    }
    Err(devices().find_map(|device| device["reason"].as_str()).unwrap_or("There is no device.").into())
}

/// Returns the command for `apt-get` with the necessary rights, if this is Debian or a descendant and the rights are available.
fn apt_get() -> Option<&'static [&'static str]> {
    const NO_QUESTIONS: &str = "DEBIAN_FRONTEND=noninteractive";
    let release = fs::read_to_string("/etc/os-release").ok()?;
    let is_debian = release.lines().any(|line| {
        let value = line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE="));
        value.is_some_and(|value| value.trim_matches('"').split(' ').any(|id| id == "debian"))
    });
    let succeeds = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let is_root = || Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_debian || !succeeds("apt-get", &["--version"]) {
        None
    } else if is_root() {
        Some(&["env", NO_QUESTIONS, "apt-get"])
    } else if succeeds("sudo", &["-n", "true"]) {
        Some(&["sudo", "-n", "env", NO_QUESTIONS, "apt-get"])
    } else {
        None
    }
}

fn instructions(missing: &[&Requirement]) -> String {
    let names: Vec<_> = missing.iter().map(|requirement| requirement.name).collect();
    let [debian, fedora, arch] = [0, 1, 2]
        .map(|system| missing.iter().map(|requirement| requirement.packages[system]).collect::<Vec<_>>().join(" "));
    let without = match missing.iter().any(|requirement| [OPENCL.name, VULKAN.name].contains(&requirement.name)) {
        true => "\nTo test without GPU devices, run `cargo xtask test --no-gpu`.",
        false => "",
    };
    format!(
        "This command needs {}. Install what is missing and run it again:\n\
         On Debian or Ubuntu, run `sudo apt-get install {debian}`.\n\
         On Fedora, run `sudo dnf install {fedora}`.\n\
         On Arch Linux, run `sudo pacman -S {arch}`.{without}",
        names.join(" and "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_name_what_is_missing_and_nothing_else() {
        let text = instructions(&[&VULKAN]);
        for expected in
            ["a Vulkan device", "apt-get install mesa-vulkan-drivers libvulkan1", "dnf", "pacman", "--no-gpu"]
        {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("pocl") && !text.contains("OpenCL"), "{text}");
        assert!(!instructions(&[&MUSL_COMPILER]).contains("GPU"));
    }
}
