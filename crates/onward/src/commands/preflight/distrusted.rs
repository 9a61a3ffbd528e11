//! Says why a server's certificate was not accepted, and who changes it.

use client::ClientError;
use client::fault::{CertificateFault, Fault};
use observe::clock::to_rfc3339;

use super::report::{Advice, Check, Who};

/// A server that the client did not trust.
pub(super) struct Distrusted<'a> {
    /// Host and port.
    pub(super) place: &'a str,
    pub(super) host: &'a str,
    /// The option that names the address.
    pub(super) option: &'a str,
    /// The option that names the authorities to trust.
    pub(super) trust_option: &'a str,
    /// The party that runs the server.
    pub(super) owner: Who,
    /// The authority that issued the certificate.
    pub(super) issuer: String,
    /// The time of this machine, in Unix seconds.
    pub(super) now: i64,
}

impl Distrusted<'_> {
    /// Adds the failure to `check`, by the fault in `error`.
    pub(super) fn explain(&self, error: &ClientError, check: &mut Check) {
        let ClientError::Unreachable {
            fault: Fault::Certificate(fault),
            ..
        } = error
        else {
            check.fail(error, [self.check_options()]);
            return;
        };
        let place = self.place;
        match fault {
            CertificateFault::UnknownIssuer => self.explain_issuer(check),
            CertificateFault::OtherIssuerKey => self.explain_key(check),
            CertificateFault::WrongName(names) => self.explain_name(names, check),
            CertificateFault::Expired => check.fail(
                format_args!("the certificate of {place} has expired"),
                [self.owner.should("renew the certificate"), self.set_clock()],
            ),
            CertificateFault::NotYetValid => check.fail(
                format_args!("the certificate of {place} is not valid yet"),
                [
                    self.set_clock(),
                    self.owner.should("install a certificate that is valid now"),
                ],
            ),
            CertificateFault::Other => check.fail(
                error,
                [
                    self.check_options(),
                    self.owner.should("replace the certificate of the server"),
                ],
            ),
        }
    }

    fn explain_issuer(&self, check: &mut Check) {
        let (place, issuer, trust_option) = (self.place, &self.issuer, self.trust_option);
        let found = format_args!(
            "the certificate of {place} is from `{issuer}`, and {trust_option} names no authority \
             that leads to it"
        );
        let yours = format_args!(
            "if you expect this authority, put its certificate into the file of {trust_option}"
        );
        let theirs = "send the intermediate certificates together with the server's certificate";
        check.fail(found, [Who::You.should(yours), self.owner.should(theirs)]);
    }

    fn explain_key(&self, check: &mut Check) {
        let (place, issuer, trust_option) = (self.place, &self.issuer, self.trust_option);
        let found = format_args!(
            "the certificate of {place} is from `{issuer}`, and the authority of this name in \
             {trust_option} has another key"
        );
        let yours = format_args!(
            "put the present certificate of this authority into the file of {trust_option}; each \
             new sandbox has its own"
        );
        let theirs = "make sure that the server shows the certificate that is meant for it";
        check.fail(found, [Who::You.should(yours), self.owner.should(theirs)]);
    }

    fn explain_name(&self, names: &[String], check: &mut Check) {
        let (place, host, option) = (self.place, self.host, self.option);
        let names = names.join(", ");
        let found =
            format_args!("the certificate of {place} is not for {host}; it is for: {names}");
        let yours = format_args!("put a host that the certificate names into {option}");
        let theirs = format_args!("install a certificate that names {host}");
        check.fail(found, [Who::You.should(yours), self.owner.should(theirs)]);
    }

    fn check_options(&self) -> Advice {
        let (option, trust_option) = (self.option, self.trust_option);
        Who::You.should(format_args!("check {option} and {trust_option}"))
    }

    fn set_clock(&self) -> Advice {
        let shown = to_rfc3339(self.now);
        Who::You.should(format_args!(
            "if this machine's clock is wrong, set it: it shows {shown}"
        ))
    }
}
