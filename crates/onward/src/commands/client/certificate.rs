//! The options that say with which certificates a client may call.

use std::path::{Path, PathBuf};

use clap::Args;
use observe::clock::Clock;
use signing::certificate::{self, AcceptedCertificate, DistinguishedName, Thumbprint};

use crate::commands::Failure;

/// The certificates with which a client may call.
#[derive(Debug, Args)]
pub(super) struct CertificateArgs {
    /// A file with a certificate of the client, PEM or DER; may be repeated. The client may call
    /// with these certificates alone.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "any_certificate"])]
    certificate: Vec<PathBuf>,
    /// The whole subject of the client's certificates, as RFC 4514 writes it, such as
    /// `CN=app,OU=1234,O=Lender Ltd,C=GB`. The order does not matter.
    #[arg(long, value_name = "NAME", conflicts_with = "any_certificate")]
    subject: Option<DistinguishedName>,
    /// The whole name of the authority of these certificates.
    #[arg(long, value_name = "NAME", requires = "subject")]
    issuer: Option<DistinguishedName>,
    /// Accepts every certificate of the trusted authorities: whoever has one and the client's key
    /// can call as this client.
    #[arg(long)]
    any_certificate: bool,
}

impl CertificateArgs {
    /// Reads the files. `None` if no option is given.
    pub(super) fn read(&self) -> Result<Option<AcceptedCertificate>, Failure> {
        if self.any_certificate {
            return Ok(Some(AcceptedCertificate::Any));
        }
        if let Some(subject) = &self.subject {
            let (subject, issuer) = (subject.clone(), self.issuer.clone());
            return Ok(Some(AcceptedCertificate::Named { subject, issuer }));
        }
        if self.certificate.is_empty() {
            return Ok(None);
        }
        let files = self.certificate.iter().map(|path| read_certificate(path));
        let thumbprints = files.collect::<Result<_, _>>()?;
        Ok(Some(AcceptedCertificate::Exactly(thumbprints)))
    }
}

fn read_certificate(path: &Path) -> Result<Thumbprint, Failure> {
    let shown = path.display();
    let content = std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
    let der = certificate::read_file(&content)
        .ok_or_else(|| Failure::new(format!("{shown} is not a certificate in PEM or DER")))?;
    let ends = certificate::validity(&der).map(|validity| validity.end);
    if ends.is_none_or(|ends| ends < Clock::System.now_seconds()) {
        return Err(Failure::new(format!(
            "the certificate in {shown} has expired"
        )));
    }
    Ok(Thumbprint::of_der(&der))
}
