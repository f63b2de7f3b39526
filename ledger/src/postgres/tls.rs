//! Encrypted connections, and the checks of the server's certificate.

use std::path::PathBuf;
use std::sync::Arc;

use postgres::config::SslMode;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::LedgerError;

/// The values of `sslmode`, with their usual meanings for PostgreSQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// No encryption.
    Disable,
    /// Encryption if the server offers it.
    Prefer,
    /// Encryption, and a check of the certificate's issuer if a file of trusted certificates is named.
    Require,
    /// Encryption, and a check of the certificate's issuer.
    Issuer,
    /// Encryption, and a check of the certificate's issuer and of the server's name.
    Full,
}

impl Mode {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::Issuer,
            "verify-full" => Self::Full,
            _ => return None,
        })
    }

    /// Returns the client library's mode, which includes no checks.
    pub(super) fn ssl_mode(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::Issuer | Self::Full => SslMode::Require,
        }
    }
}

/// The certificates that the user trusts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Roots {
    /// The certificates of the system.
    System,
    /// The certificates of a file in PEM format.
    File(PathBuf),
}

/// Makes the connector for a mode. `roots` are the trusted certificates that the user names, if any.
///
/// # Errors
/// If trusted certificates are needed and cannot be read.
pub(super) fn connector(mode: Mode, roots: Option<&Roots>) -> Result<MakeRustlsConnect, LedgerError> {
    let provider = Arc::new(ring::default_provider());
    let authority = match (mode, roots) {
        (Mode::Disable | Mode::Prefer, _) | (Mode::Require, None) => None,
        (Mode::Require | Mode::Issuer | Mode::Full, roots) => {
            Some(verifier(roots.unwrap_or(&Roots::System), &provider)?)
        }
    };
    let failed = |error: rustls::Error| credentials("The encryption".to_owned(), error.to_string());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let verifier: Arc<dyn ServerCertVerifier> = match (mode, authority) {
        (Mode::Full, Some(authority)) => authority,
        (_, authority) => Arc::new(Lenient { authority, provider }),
    };
    // The verifier is as strict as the user requested.
    let builder = builder.map_err(failed)?.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn credentials(what: String, reason: String) -> LedgerError {
    LedgerError::Credentials { what, reason: reason.trim_end_matches('.').to_owned() }
}

/// Makes the usual check of issuer and name.
fn verifier(roots: &Roots, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, LedgerError> {
    let name = match roots {
        Roots::System => "The system's list of trusted certificates".to_owned(),
        Roots::File(file) => format!("The file of trusted certificates, {},", file.display()),
    };
    let mut store = RootCertStore::empty();
    match roots {
        Roots::System => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Roots::File(file) => {
            let read = || CertificateDer::pem_file_iter(file)?.collect::<Result<Vec<_>, _>>();
            let certificates = read().map_err(|error| credentials(name.clone(), error.to_string()))?;
            for certificate in certificates {
                store.add(certificate).map_err(|error| credentials(name.clone(), error.to_string()))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(store.into(), Arc::clone(provider))
        .build()
        .map_err(|error| credentials(name, error.to_string()))
}

/// Accepts a certificate for any name and, without an authority, a certificate from any issuer. The server must still prove
/// that the certificate is its own.
#[derive(Debug)]
struct Lenient {
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            // The issuer is checked before the name.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
