//! The integrator's receiver of events.

use client::sandbox::read_file;
use client::{ClientError, Trust, WebhookClient};
use url::Url;

use super::event::{Receiver, check_event};
use super::report::{Check, Who};
use super::target::Target;
use super::{Preflight, Targets, alive};
use crate::commands::source::{KEY_FILE_LIMIT_BYTES, read_trust};

/// The name in a subscription that the command makes with the API key of a file.
const SUBSCRIBER: &str = "onward preflight";

impl Preflight<'_> {
    /// Closes the steps `callback` and `event`, if the options name a receiver.
    pub(super) async fn check_receiver(&mut self, targets: &Targets) {
        let Some(url) = &self.args.callback else {
            return;
        };
        let mut check = Check::new();
        let mut target = Target::of_receiver(url, &mut check);
        if let Some(target) = &mut target {
            self.reach_receiver(target, &mut check).await;
        }
        let is_reached = !check.has_failed();
        self.report.close("callback", check);
        let mut check = Check::new();
        let target = target.filter(|_| is_reached && alive(targets.base.as_ref()).is_some());
        if let Some(target) = target {
            self.check_event(target.url(), &mut check).await;
        }
        self.report.close("event", check);
    }

    async fn reach_receiver(&self, target: &mut Target, check: &mut Check) {
        target.resolve(check).await;
        if target.is_alive {
            target.connect(check).await;
        }
        if target.is_alive {
            target.shake_hands(check).await;
        }
        if !target.is_alive {
            return;
        }
        match self.callback_trust() {
            Ok(trust) => target.verify(&trust, &self.clock, check).await,
            Err(error) => {
                let advice = "put a file that this user may read into --callback-ca";
                check.fail(error, [Who::You.should(advice)]);
            }
        }
    }

    async fn check_event(&self, url: &Url, check: &mut Check) {
        let opened = self.find_api_key().and_then(|found| {
            let Some((participant_name, key)) = found else {
                return Ok(None);
            };
            let base_url = &self.service.endpoints.base_url;
            let client = WebhookClient::new(base_url, &key, &self.trust)?;
            Ok(Some((participant_name, client)))
        });
        match opened {
            Ok(Some((participant_name, client))) => {
                let receiver = Receiver {
                    url,
                    participant_name: &participant_name,
                };
                check_event(&client, &receiver, check).await;
            }
            Ok(None) => {
                let reason = "pass --api-key-file to send a test event to the receiver";
                *check = Check::skipped(reason);
            }
            Err(error) => {
                let advice = "put a file with a valid API key into --api-key-file";
                check.fail(error, [Who::You.should(advice)]);
            }
        }
    }

    /// The name to subscribe under, and an API key.
    fn find_api_key(&self) -> Result<Option<(String, String)>, ClientError> {
        if let Some(file) = &self.args.api_key_file {
            let text = read_file(file, KEY_FILE_LIMIT_BYTES)?;
            let key = String::from_utf8_lossy(&text).trim().to_owned();
            return Ok(Some((SUBSCRIBER.to_owned(), key)));
        }
        let sandbox = self.service.sandbox.as_ref();
        let key = sandbox.and_then(|sandbox| sandbox.api_keys.first());
        Ok(key.map(|key| (key.participant_name.clone(), key.key.clone())))
    }

    fn callback_trust(&self) -> Result<Trust, ClientError> {
        match &self.args.callback_ca {
            Some(file) => read_trust(file),
            None if self.service.sandbox.is_some() => Ok(self.trust.clone()),
            None => Ok(Trust::System),
        }
    }
}
