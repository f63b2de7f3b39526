//! A database behind a network: encryption, certificates, passwords.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kogge_ledger::{LedgerError, Postgres};
use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::LEASE;
use super::server::Server;

const PASSWORD: &str = "p@ss:w/rd";

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut parameters = CertificateParams::new([]).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

/// Starts a server whose certificate for `localhost` is signed by an authority.
fn server(authority: &CertifiedIssuer<'static, KeyPair>) -> (Server, u16) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, authority).unwrap();
    server_with(&certificate, &key)
}

/// Starts a server that accepts only encrypted connections with a password, and returns it with its port.
fn server_with(certificate: &Certificate, key: &KeyPair) -> (Server, u16) {
    // The port is still free now, because no other test of this process uses one.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\n\
         ssl_cert_file = 'server.crt'\nssl_key_file = 'server.key'\n"
    );
    let access = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
    let files = [("server.crt", &*certificate.pem()), ("server.key", &key.serialize_pem()), ("pg_hba.conf", access)];
    let server = Server::start_with(&settings, &files);
    let address = server.address("public").replace("/postgres?", &format!(":{port}/postgres?"));
    let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    client.batch_execute(&format!("ALTER USER kogge PASSWORD '{PASSWORD}'")).unwrap();
    (server, port)
}

fn connect(address: &str) -> Result<Postgres, LedgerError> {
    Postgres::connect(address, LEASE, Duration::ZERO, || false)
}

fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn encryption_is_as_strict_as_asked_for() {
    let ours = authority();
    let (_server, port) = server(&ours);
    let (ours, theirs) = (file("ours.pem", &ours.pem()), file("theirs.pem", &authority().pem()));
    let (ours, theirs) = (ours.display(), theirs.display());
    let attempt = |host: &str, mode: &str| {
        connect(&format!("postgres://kogge:p%40ss%3Aw%2Frd@{host}:{port}/postgres?{mode}"))
            .err()
            .map(|error| error.to_string())
    };
    for (host, mode) in [
        ("localhost", ""),
        ("localhost", "sslmode=prefer"),
        ("127.0.0.1", "sslmode=require"),
        ("127.0.0.1", &format!("sslmode=require&sslrootcert={ours}")),
        ("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={ours}")),
        ("localhost", &format!("sslmode=verify-full&sslrootcert={ours}")),
    ] {
        assert_eq!(attempt(host, mode), None, "{host} {mode}");
    }
    for (host, mode, reason) in [
        ("localhost", "sslmode=disable", "no encryption"),
        ("localhost", "sslmode=verify-full&sslrootcert=system", "invalid peer certificate: UnknownIssuer"),
        ("localhost", &format!("sslmode=verify-full&sslrootcert={theirs}"), "invalid peer certificate: "),
        ("localhost", &format!("sslmode=verify-ca&sslrootcert={theirs}"), "invalid peer certificate: "),
        ("localhost", &format!("sslmode=require&sslrootcert={theirs}"), "invalid peer certificate: "),
        ("127.0.0.1", &format!("sslmode=verify-full&sslrootcert={ours}"), "not valid for name"),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=/no/such/file",
            "The file of trusted certificates, /no/such/file, cannot be",
        ),
        ("localhost", "sslmode=strict", "sslmode must be"),
    ] {
        let error = attempt(host, mode).unwrap_or_else(|| panic!("{host} {mode} is accepted"));
        assert!(error.contains(reason) && !error.contains("w/rd"), "{host} {mode}: {error}");
    }
}

/// Two certificates from `openssl req -x509`: without and with `-addext basicConstraints=critical,CA:FALSE`.
#[test]
fn a_certificate_that_signs_itself_is_trusted_unless_it_is_that_of_an_authority() {
    for is_ca in [IsCa::NoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let is_trusted = is_ca == IsCa::NoCa;
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).unwrap();
        parameters.is_ca = is_ca;
        let certificate = parameters.self_signed(&key).unwrap();
        let (_server, port) = server_with(&certificate, &key);
        let trusted = file("itself.pem", &certificate.pem());
        let address = format!("postgres://kogge:p%40ss%3Aw%2Frd@localhost:{port}/postgres");
        let error = connect(&format!("{address}?sslmode=verify-full&sslrootcert={}", trusted.display())).err();
        assert_eq!(error.is_none(), is_trusted, "{error:?}");
        assert!(
            error.is_none_or(|error| error.to_string().contains("the certificate of an authority; docs/long-runs.md"))
        );
    }
}

#[test]
fn a_server_without_encryption_is_refused_if_it_is_required() {
    let server = Server::start();
    let address = server.address("public");
    assert!(connect(&address).is_ok() && connect(&format!("{address}&sslmode=disable")).is_ok());
    let error = connect(&format!("{address}&sslmode=require")).err().unwrap().to_string();
    assert!(error.contains("server does not support TLS"), "{error}");
}

#[test]
fn passwords_come_from_a_file_and_are_not_printed() {
    let (_server, port) = server(&authority());
    let attempt =
        |parameters: &str| connect(&format!("postgres://kogge@localhost:{port}/postgres{parameters}")).map(|_| ());
    let right = file("right.pgpass", &format!("elsewhere:*:*:*:no\n*:{port}:postgres:kogge:p@ss\\:w/rd\n"));
    let wrong = file("wrong.pgpass", "*:*:*:*:mistaken\n");
    #[cfg(unix)]
    for file in [&right, &wrong] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(attempt(&format!("?passfile={}", right.display())), Ok(()));
    let error = attempt(&format!("?passfile={}", wrong.display())).unwrap_err().to_string();
    assert!(error.contains("password authentication failed") && !error.contains("mistaken"), "{error}");
}
