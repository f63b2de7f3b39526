//! Passwords from the environment or from a password file, as other clients of PostgreSQL find them.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::LedgerError;

/// Returns the value of an environment variable.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The connection that needs a password.
pub(super) struct Wanted<'a> {
    /// The host's name, or `localhost` for a socket.
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// Returns the password: from `PGPASSWORD`, else from the password file. `named` is the password file that the address
/// names.
///
/// # Errors
/// If a file that the user names cannot be read, or if other users can read the file with the password.
pub(super) fn password(
    wanted: &Wanted<'_>,
    named: Option<PathBuf>,
    environment: Environment<'_>,
) -> Result<Option<Vec<u8>>, LedgerError> {
    if let Some(password) = environment("PGPASSWORD").filter(|password| !password.is_empty()) {
        return Ok(Some(password.into_encoded_bytes()));
    }
    let file = named.or_else(|| environment("PGPASSFILE").filter(|file| !file.is_empty()).map(PathBuf::from));
    match (file, usual(environment)) {
        (Some(file), _) => in_file(wanted, &file),
        (None, Some(file)) if file.exists() => in_file(wanted, &file),
        _ => Ok(None),
    }
}

/// Returns the default path of the file.
fn usual(environment: Environment<'_>) -> Option<PathBuf> {
    let (variable, file) = if cfg!(windows) { ("APPDATA", "postgresql/pgpass.conf") } else { ("HOME", ".pgpass") };
    Some(Path::new(&environment(variable)?).join(file))
}

fn in_file(wanted: &Wanted<'_>, path: &Path) -> Result<Option<Vec<u8>>, LedgerError> {
    let failed =
        |reason: String| LedgerError::Credentials { what: format!("The password file {}", path.display()), reason };
    let mut text = Vec::new();
    let mut read = || {
        let mut file = File::open(path)?;
        file.read_to_end(&mut text)?;
        file.metadata()
    };
    let metadata = read().map_err(|error| failed(error.to_string()))?;
    let password = in_text(wanted, &text);
    if password.is_some() && is_open_to_others(&metadata) {
        return Err(failed("other users can read it; run \"chmod 600\" on it".to_owned()));
    }
    Ok(password)
}

#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

/// On other systems, the file is in a folder that belongs to the user.
#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

/// Returns the password of the first line `host:port:database:user:password` that fits. A field `*` matches anything;
/// in a field, a backslash escapes a colon or a backslash.
fn in_text(wanted: &Wanted<'_>, text: &[u8]) -> Option<Vec<u8>> {
    let port = wanted.port.to_string();
    let expected = [wanted.host, &port, wanted.database, wanted.user];
    text.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"#")).find_map(|line| {
        let mut rest = line.strip_suffix(b"\r").unwrap_or(line);
        for expected in expected {
            let (found, after) = field(rest)?;
            if rest.strip_prefix(b"*:").is_none() && found != expected.as_bytes() {
                return None;
            }
            rest = after;
        }
        let (password, _) = field(rest).unwrap_or_else(|| (unescaped(rest), &[]));
        Some(password)
    })
}

/// Splits a line at the first colon without a backslash.
fn field(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut is_escaped = false;
    let end = line.iter().position(|&byte| {
        let ends = byte == b':' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some((unescaped(&line[..end]), &line[end + 1..]))
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = text.iter();
    let next = || match bytes.next() {
        Some(b'\\') => bytes.next().or(Some(&b'\\')).copied(),
        byte => byte.copied(),
    };
    std::iter::from_fn(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'_> = Wanted { host: "db.example.org", port: 5432, database: "perft12", user: "kogge" };

    #[test]
    fn the_first_line_that_fits_counts() {
        for (text, expected) in [
            ("db.example.org:5432:perft12:kogge:one", Some("one")),
            ("# db.example.org:5432:perft12:kogge:no\n*:*:*:kogge:two\r\n*:*:*:*:three\n", Some("two")),
            ("db.example.org:5433:*:*:no\nelsewhere:*:*:*:no\n*:*:*:*:four", Some("four")),
            ("*:*:*:*:with\\:colon\\\\", Some("with:colon\\")),
            ("*:*:*:*:", Some("")),
            ("*:*:*:*:five:and more", Some("five")),
            ("*:*:*:kogg:no", None),
            ("*:*:*", None),
            ("", None),
            ("\u{fffd}:::::\n:\\", None),
        ] {
            assert_eq!(in_text(&WANTED, text.as_bytes()), expected.map(|text| text.as_bytes().to_vec()), "{text}");
        }
        let odd = Wanted { host: "a:b", user: "c\\d", ..WANTED };
        assert_eq!(in_text(&odd, b"a\\:b:*:*:c\\\\d:six"), Some(b"six".to_vec()));
    }

    #[test]
    fn the_environment_comes_before_files() {
        let folder = std::env::temp_dir().join(format!("kogge-pgpass-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(".pgpass");
        std::fs::write(&file, "*:*:*:*:filed").unwrap();
        let home = |name: &str| (name == "HOME" || name == "APPDATA").then(|| folder.clone().into_os_string());
        let found = |named: Option<PathBuf>, environment: Environment<'_>| password(&WANTED, named, environment);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            let error = found(None, &home).unwrap_err().to_string();
            assert!(error.contains("other users can read it") && !error.contains("filed"), "{error}");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert_eq!(found(None, &home), Ok(Some(b"filed".to_vec())));
        }
        assert_eq!(found(Some(file.clone()), &|_| None), Ok(Some(b"filed".to_vec())));
        let named = |name: &str| (name == "PGPASSFILE").then(|| file.clone().into_os_string());
        assert_eq!(found(None, &named), Ok(Some(b"filed".to_vec())));
        assert_eq!(
            found(Some(file.clone()), &|name| (name == "PGPASSWORD").then(|| "first".into())),
            Ok(Some(b"first".to_vec()))
        );
        assert_eq!(found(None, &|_| None), Ok(None));
        let missing = found(Some(folder.join("missing")), &|_| None).unwrap_err().to_string();
        assert!(missing.starts_with("The password file ") && missing.contains("missing"), "{missing}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
