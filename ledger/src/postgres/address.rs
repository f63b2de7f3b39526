//! Addresses of databases, such as `postgres://user@host/name?sslmode=verify-full`.
//!
//! No error repeats any part of an address, because any part may be a misplaced password.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use postgres::Config;
use postgres::config::Host;

use super::password::{Environment, Wanted, password};
use super::tls::{Mode, Roots};
use crate::LedgerError;

/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// An address, read.
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) mode: Mode,
    pub(super) roots: Option<Roots>,
}

impl Address {
    /// Parses an address, and looks up the password if the address has none.
    ///
    /// # Errors
    /// If the address or the password file cannot be read.
    pub(super) fn parse(text: &str, environment: Environment<'_>) -> Result<Self, LedgerError> {
        let wrong = |reason: &str| LedgerError::Address { reason: reason.to_owned() };
        check_at_signs(text).map_err(wrong)?;
        let (place, parameters) = text.split_once('?').unwrap_or((text, ""));
        let (mut own, mut rest) = (Own::default(), Vec::new());
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            if !own.take(parameter) {
                rest.push(parameter);
            }
        }
        let mode = own.mode.or_else(|| environment("PGSSLMODE")?.into_string().ok()).filter(|mode| !mode.is_empty());
        let mode = mode
            .map_or(Some(Mode::Prefer), |mode| Mode::parse(&mode))
            .ok_or_else(|| wrong("sslmode must be disable, prefer, require, verify-ca or verify-full"))?;
        let named =
            own.roots.or_else(|| environment("PGSSLROOTCERT").filter(|file| !file.is_empty()).map(PathBuf::from));
        let roots = match named {
            Some(system) if system == Path::new("system") => Some(Roots::System),
            Some(file) => Some(Roots::File(file)),
            None => usual_roots(environment).map(Roots::File),
        };
        let parsed = format!("{place}?{}", rest.join("&")).parse::<Config>();
        // The error's own text may contain a part of the address; its cause contains only the name of a parameter.
        let mut config = parsed.map_err(|_| wrong("the host, the port or a parameter after \"?\" is wrong"))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(wrong("the host is missing"));
        }
        config.ssl_mode(mode.ssl_mode());
        if config.get_password().is_none() {
            let user = config.get_user().map(str::to_owned).or_else(|| user(environment)).unwrap_or_default();
            let host = match config.get_hosts().first() {
                Some(Host::Tcp(name)) => name.as_str(),
                _ => "localhost",
            };
            let port = config.get_ports().first().copied().unwrap_or(PORT);
            let wanted = Wanted { host, port, database: config.get_dbname().unwrap_or(&user), user: &user };
            if let Some(password) = password(&wanted, own.passfile, environment)? {
                config.password(password);
            }
        }
        Ok(Self { config, mode, roots })
    }
}

/// Parameters that the client library does not know.
#[derive(Default)]
struct Own {
    mode: Option<String>,
    roots: Option<PathBuf>,
    passfile: Option<PathBuf>,
}

impl Own {
    /// Takes a parameter, and returns whether it is one of these.
    fn take(&mut self, parameter: &str) -> bool {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
        match name {
            "sslmode" => self.mode = Some(value),
            "sslrootcert" => self.roots = Some(value.into()),
            "passfile" => self.passfile = Some(value.into()),
            _ => return false,
        }
        true
    }
}

/// Returns a reason if the address has no scheme, or if an `@`, `/` or `?` inside a user name or password could end it: the
/// rest would be read as a host and a database, and errors print their names.
fn check_at_signs(text: &str) -> Result<(), &'static str> {
    let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let rest = rest.ok_or("it does not begin with postgres:// or postgresql://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    if rest[..end].matches('@').count() > 1 || rest[end..].contains('@') {
        return Err("in a user or password, write @ as %40, : as %3A, / as %2F, ? as %3F and % as %25");
    }
    Ok(())
}

/// Returns the usual file of trusted certificates, if there is one.
fn usual_roots(environment: Environment<'_>) -> Option<PathBuf> {
    let (variable, file) = match cfg!(windows) {
        true => ("APPDATA", "postgresql/root.crt"),
        false => ("HOME", ".postgresql/root.crt"),
    };
    Some(Path::new(&environment(variable)?).join(file)).filter(|file| file.exists())
}

/// Returns the user of the system, whose name is the default.
fn user(environment: Environment<'_>) -> Option<String> {
    environment(if cfg!(windows) { "USERNAME" } else { "USER" })?.into_string().ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use postgres::config::SslMode;

    use super::*;

    fn parse(text: &str) -> Result<Address, LedgerError> {
        Address::parse(text, &|_| None)
    }

    #[test]
    fn parameters_are_read() {
        let address =
            parse("postgres://me@db/x?sslmode=verify-full&connect_timeout=7&sslrootcert=%2Fa%20b.pem").unwrap();
        assert_eq!((address.mode, address.config.get_ssl_mode()), (Mode::Full, SslMode::Require));
        assert_eq!(address.roots, Some(Roots::File("/a b.pem".into())));
        assert_eq!(address.config.get_connect_timeout().map(std::time::Duration::as_secs), Some(7));
        assert_eq!((address.config.get_user(), address.config.get_dbname()), (Some("me"), Some("x")));
        let system = parse("postgresql://db?sslrootcert=system&sslmode=require").unwrap();
        assert_eq!((system.mode, system.roots), (Mode::Require, Some(Roots::System)));
        assert_eq!(parse("postgres://db").unwrap().mode, Mode::Prefer);
        let environment = |name: &str| match name {
            "PGSSLMODE" => Some(OsString::from("verify-ca")),
            "PGPASSWORD" => Some("secret".into()),
            _ => None,
        };
        let address = Address::parse("postgres://me@db/x", &environment).unwrap();
        assert_eq!((address.mode, address.config.get_password()), (Mode::Issuer, Some(&b"secret"[..])));
        let address = Address::parse("postgres://me:own@db/x?sslmode=disable", &environment).unwrap();
        assert_eq!((address.mode, address.config.get_password()), (Mode::Disable, Some(&b"own"[..])));
    }

    #[test]
    fn what_cannot_be_read_is_not_repeated() {
        for text in [
            "postgres://user:sec@ret@host/name",
            "postgres://user:sec/ret@host/name",
            "postgres://user:12/secret@host/name",
            "postgres://user:sec?ret@host/name",
            "postgres://user:sec#ret@host:port/name",
            "postgres://user:secret",
            "postgres://secret@",
            "mysql://user:secret@host/name",
            "postgres://user@host/name?secret=x",
            "postgres://user@host/name?sslmode=secret",
            "postgres://user:secret@host:port/name",
            "postgres:/user:secret@host/name",
            "host=host password=secret",
        ] {
            let error = parse(text).map(|_| ()).unwrap_err();
            assert!(matches!(error, LedgerError::Address { .. }), "{text}: {error}");
            assert!(!error.to_string().contains("sec") && !error.to_string().contains("ret"), "{text}: {error}");
        }
    }
}
