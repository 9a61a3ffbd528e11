//! An integrator's set-up: the options that fit a running sandbox, and the mistakes in them.

use std::path::Path;
use std::time::Duration;

use observe::clock::Clock;
use provision::authority::Authority;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, Issuer, KeyPair, KeyUsagePurpose};
use reqwest::Method;
use serde_json::Value;

use crate::commands::program::{Program, run, run_well};
use crate::commands::sandbox::Sandbox;
use crate::test_server::client_trusting;

/// An option and its value.
pub(super) type Change = (&'static str, String);

const DAY_SECONDS: i64 = 86_400;

/// A running sandbox, and the right options for its first client.
pub(super) struct SetUp {
    sandbox: Sandbox,
    program: Program,
    file: Value,
}

/// The printed steps of one run.
pub(super) struct Checked {
    pub(super) status: i32,
    pub(super) steps: Vec<Value>,
}

impl SetUp {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let program = sandbox.start();
        Self {
            file: sandbox.read(),
            sandbox,
            program,
        }
    }

    /// Stops the sandbox; its log.
    pub(super) fn end(self) -> String {
        self.program.signal("TERM");
        self.program.wait().err
    }

    pub(super) fn directory(&self) -> &str {
        self.sandbox.directory()
    }

    /// The path of a file in the sandbox's folder.
    pub(super) fn path(&self, name: &str) -> String {
        self.sandbox.file(name)
    }

    /// A text of `sandbox.json`.
    pub(super) fn text(&self, name: &str) -> String {
        self.file[name].as_str().unwrap().to_owned()
    }

    /// The UPRN of a property in a chain.
    pub(super) fn uprn(&self) -> String {
        self.file["samples"]["uprn_in_chain"].to_string()
    }

    /// The options that name one of the sandbox's clients.
    pub(super) fn client(&self, name: &str) -> Vec<Change> {
        let mut clients = self.file["clients"].as_array().unwrap().iter();
        let client = clients.find(|client| client["name"] == name).unwrap();
        let text = |member: &str| client[member].as_str().unwrap().to_owned();
        vec![
            ("--certificate", text("certificate_file")),
            ("--key", text("key_file")),
            ("--client-id", text("client_id")),
            ("--assertion-key", text("assertion_key_file")),
            ("--assertion-alg", text("assertion_alg")),
            ("--assertion-kid", text("assertion_kid")),
        ]
    }

    /// Makes a certificate with the first client's names, which is valid between these days from now;
    /// the options that name it and its key.
    pub(super) fn issue_client(&self, from: i64, until: i64) -> Vec<Change> {
        let mut params = client_params();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let moment = |days: i64| {
            let seconds = Clock::System.now_seconds() + days * DAY_SECONDS;
            let seconds = Duration::from_secs(seconds.unsigned_abs());
            rcgen::date_time_ymd(1970, 1, 1) + seconds
        };
        (params.not_before, params.not_after) = (moment(from), moment(until));
        self.issue_changed(params)
    }

    /// The same, with the usual dates and without an extended key usage.
    pub(super) fn issue_unmarked(&self) -> Vec<Change> {
        self.issue_changed(client_params())
    }

    fn issue_changed(&self, params: CertificateParams) -> Vec<Change> {
        let (certificate, key) = self.issue("issued", params);
        vec![("--certificate", certificate), ("--key", key)]
    }

    /// Makes a certificate of an authority that the service does not know, with the name of its own; the
    /// options that name the certificate and its key.
    pub(super) fn issue_stranger(&self) -> Vec<Change> {
        let folder = std::path::PathBuf::from(self.path("stranger"));
        std::fs::create_dir_all(&folder).unwrap();
        let authority = Authority::ensure(&folder, Clock::System.now_seconds()).unwrap();
        authority
            .ensure_client_certificate(&folder, "client", "Stranger")
            .unwrap();
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        vec![
            ("--certificate", path("client.pem")),
            ("--key", path("client.key")),
        ]
    }

    /// Issues a certificate of the sandbox's authority; the files of the certificate and its key.
    pub(super) fn issue(&self, name: &str, mut params: CertificateParams) -> (String, String) {
        let read = |name: &str| std::fs::read_to_string(self.path(name)).unwrap();
        let key = KeyPair::from_pem(&read("ca.key")).unwrap();
        let issuer = Issuer::from_ca_cert_pem(&read("ca.pem"), key).unwrap();
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().unwrap();
        let made = params.signed_by(&key, &issuer).unwrap();
        let paths = ["pem", "key"].map(|ending| self.path(&format!("{name}.{ending}")));
        std::fs::write(&paths[0], made.pem()).unwrap();
        std::fs::write(&paths[1], key.serialize_pem()).unwrap();
        let [certificate, key] = paths;
        (certificate, key)
    }

    /// A file with the sandbox's first API key.
    pub(super) fn api_key_file(&self) -> String {
        let path = self.path("api.key");
        let key = &self.file["api_keys"][0]["key"];
        std::fs::write(&path, key.as_str().unwrap()).unwrap();
        path
    }

    /// The service's list of subscriptions.
    pub(super) fn subscriptions(&self) -> String {
        run_well(&[
            "subscription",
            "list",
            "--config",
            &self.text("config_file"),
        ])
    }

    /// Calls the watch of the only subscription of the first API key.
    pub(super) async fn call_watch(&self, method: Method, body: Option<Value>) -> Value {
        let client = client_trusting(Path::new(self.directory()), None);
        let key = self.file["api_keys"][0]["key"].as_str().unwrap();
        let url = format!("{}/api/v1/webhook/subscriptions", self.text("base_url"));
        let call = |method: Method, url: String, body: Option<Value>| {
            let request = client.request(method, url).header("x-api-key", key);
            let request = match &body {
                Some(body) => request.json(body),
                None => request,
            };
            async { request.send().await.unwrap().json::<Value>().await.unwrap() }
        };
        let listed = call(Method::GET, url.clone(), None).await;
        let id = listed["data"][0]["subscriptionId"].as_str().unwrap();
        call(method, format!("{url}/{id}/watch"), body).await
    }

    /// Runs the command with the right options, except for these.
    pub(super) fn check<T: AsRef<str>>(&self, changes: &[(&'static str, T)]) -> Checked {
        let mut options = self.client("Example Lender");
        for (option, member) in [
            ("--base-url", "base_url"),
            ("--auth-url", "auth_url"),
            ("--jwks-url", "jwks_url"),
            ("--ca", "ca_file"),
        ] {
            options.push((option, self.text(member)));
        }
        options.push(("--uprn", self.uprn()));
        for (option, value) in changes {
            options.retain(|(name, _)| name != option);
            options.push((option, value.as_ref().to_owned()));
        }
        let mut args = vec!["preflight", "--json"];
        for (option, value) in &options {
            args.extend([*option, value]);
        }
        Checked::run(&args)
    }
}

impl Checked {
    fn run(args: &[&str]) -> Self {
        let finished = run(args);
        let secret = "PRIVATE KEY";
        assert!(!finished.out.contains(secret) && !finished.err.contains(secret));
        let printed: Value =
            serde_json::from_str(&finished.out).unwrap_or_else(|_| panic!("{finished:?}"));
        let steps = printed["steps"].as_array().unwrap().clone();
        let checked = Self {
            status: finished.status.unwrap(),
            steps,
        };
        let (failed, all) = (checked.failed().len(), checked.steps.len());
        let skipped = checked.outcomes("skipped").len();
        let passes = checked.outcomes("passed").len() == all;
        assert_eq!(printed["passed"], passes);
        let said = if passes {
            String::new()
        } else {
            format!("onward: of {all} steps {failed} failed and {skipped} were skipped\n")
        };
        assert_eq!((checked.status, finished.err), (i32::from(!passes), said));
        checked
    }

    /// The steps with this outcome.
    pub(super) fn outcomes(&self, outcome: &str) -> Vec<&str> {
        let steps = self.steps.iter().filter(|step| step["outcome"] == outcome);
        steps.map(|step| step["step"].as_str().unwrap()).collect()
    }

    /// The steps that passed with a warning.
    pub(super) fn warned(&self) -> Vec<&str> {
        let steps = self.steps.iter();
        let steps = steps.filter(|step| !step["warnings"].as_array().unwrap().is_empty());
        let warned = steps.inspect(|step| assert_eq!(step["outcome"], "passed"));
        warned.map(|step| step["step"].as_str().unwrap()).collect()
    }

    /// The steps that failed.
    pub(super) fn failed(&self) -> Vec<&str> {
        self.outcomes("failed")
    }

    fn step(&self, name: &str) -> &Value {
        let mut steps = self.steps.iter();
        steps.find(|step| step["step"] == name).unwrap()
    }

    /// The finding of a step.
    pub(super) fn found(&self, step: &str) -> &str {
        self.step(step)["found"].as_str().unwrap()
    }

    /// Checks the finding of a step, and a change that is its advice.
    pub(super) fn assert_says(&self, step: &str, found: &str, change: &str) {
        assert!(self.found(step).contains(found), "{:?}", self.step(step));
        let advice = self.step(step)["advice"].to_string();
        assert!(advice.contains(change), "{advice}");
    }

    /// Checks that this step alone failed, with this finding and a change by this party.
    pub(super) fn assert_fails(&self, step: &str, found: &str, who: &str, change: &str) {
        assert_eq!(self.failed(), [step], "{:?}", self.steps);
        self.assert_says(step, found, change);
        let mut advice = self.step(step)["advice"].as_array().unwrap().iter();
        let is_theirs =
            |one: &Value| one["who"] == who && one["change"].as_str().unwrap().contains(change);
        assert!(advice.any(is_theirs), "{who}: {:?}", self.step(step));
    }
}

/// A certificate with the first client's names.
fn client_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    for (attribute, value) in [
        (DnType::CountryName, "GB"),
        (DnType::OrganizationName, "Example Lender"),
        (DnType::CommonName, "example-lender"),
    ] {
        params.distinguished_name.push(attribute, value);
    }
    params
}
