//! A temporary PostgreSQL server for one test.

#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(unreachable_pub, reason = "each test file is a crate of its own")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server with its own folder and with a socket in this folder.
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
}

impl Server {
    /// Starts a new server, which listens on its socket and trusts everyone.
    ///
    /// # Panics
    /// If PostgreSQL is not installed, or does not start.
    pub fn start() -> Self {
        Self::start_with("", &[])
    }

    /// Starts a new server with additional settings, and with these files in its data folder.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with(more: &str, files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let programs = programs().expect(
            "PostgreSQL is not installed (on Debian: apt-get install postgresql); the tests of ledgers need its \
             programs initdb and pg_ctl, in PATH or where Debian puts them",
        );
        // The path of a socket must be short, so the folder must not be deep.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kogge-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&folder));
        }
        let server = Self { folder, programs };
        let data = server.data();
        run(server.program("initdb").args(["--no-sync", "--auth", "trust", "--username", "kogge", "-D"]).arg(&data));
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nshared_buffers = 16MB\nfsync = off\n{more}",
            server.folder.display()
        );
        for (name, text) in [&[("postgresql.auto.conf", &*settings)], files].concat() {
            let file = data.join(name);
            fs::write(&file, text).expect("the file can be written");
            // PostgreSQL refuses a private key that others can read.
            run(Command::new("chmod").arg("600").arg(&file));
            if is_root() {
                run(Command::new("chown").arg("postgres").arg(&file));
            }
        }
        server.begin();
        server
    }

    /// Returns the address of the server's database with a schema of this name.
    pub fn address(&self, schema: &str) -> String {
        let host = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://kogge@{host}/postgres?options=-csearch_path%3D{schema}")
    }

    /// Creates a schema, and returns the address of the database with it.
    pub fn schema(&self, schema: &str) -> String {
        let mut client = postgres::Client::connect(&self.address("public"), postgres::NoTls).expect("it runs");
        client.batch_execute(&format!("CREATE SCHEMA {schema}")).expect("the schema is new");
        self.address(schema)
    }

    /// Starts the server, and waits until it answers.
    pub fn begin(&self) {
        self.begin_with(|_| {});
    }

    /// Starts the server after a change of the command that starts it.
    pub fn begin_with(&self, change: impl FnOnce(&mut Command)) {
        let mut command = self.control(&["-w", "-l"]);
        change(command.arg(self.folder.join("log")).arg("start"));
        run(&mut command);
    }

    /// Ends the server immediately, as a crash would; its clients are disconnected.
    pub fn stop(&self) {
        run(self.control(&["-m", "immediate", "stop"]).stdin(Stdio::null()));
    }

    /// Returns the server's folder, which the server can read.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn control(&self, arguments: &[&str]) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("-D").arg(self.data()).args(arguments);
        command
    }

    /// Returns a command of PostgreSQL, which refuses to run as root.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // The user postgres may have no access to the current folder.
        command.current_dir(&self.folder);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Errors do not matter, because the server is killed in any case.
        let _ = self.control(&["-m", "immediate", "stop"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the folder of PostgreSQL's programs: from PATH, or Debian's newest version.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("pg_ctl").exists();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |folder: &Path| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let mut versions: Vec<_> = versions.map(|entry| entry.path()).collect();
    versions.sort_by_key(|folder| version(folder));
    std::env::split_paths(&path)
        .find(has)
        .or_else(|| versions.into_iter().rev().map(|folder| folder.join("bin")).find(has))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) {
    // The server must not inherit the pipes, because their readers would wait for the server's end.
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.as_ref().is_ok_and(|status| status.success()), "{command:?}: {status:?}");
}
