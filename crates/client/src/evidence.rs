//! Evidence packs (S-62): proof of an answer's states, made by the service.

use std::time::Duration;

use crate::problem::NOT_LOGGED;
use crate::sandbox::{HISTORY_SCOPES, QUERY_SCOPE};
use crate::{Client, ClientError};

/// How often the client asks while the log does not have a state yet. It has it within three seconds, and its
/// witnesses within about ten. After 30 seconds the service does not wait for them.
const ATTEMPTS_MAX: u32 = 40;
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

impl Client {
    /// Gets the evidence pack of an answer, given as it was received. While the log does not have the states yet,
    /// the client waits and asks again. Nothing in the pack is verified. `is_past` says that the answer has
    /// `asOf`.
    ///
    /// # Errors
    /// Any [`ClientError`]; [`ClientError::Refused`] if there is no evidence for this answer.
    pub async fn make_evidence(
        &self,
        answer: &[u8],
        is_past: bool,
    ) -> Result<Vec<u8>, ClientError> {
        let scopes = if is_past { HISTORY_SCOPES } else { QUERY_SCOPE };
        let url = format!("{}/api/v1/evidence", self.base_url());
        for _attempt in 1..ATTEMPTS_MAX {
            match self.ask_for_evidence(&url, answer, scopes).await {
                Err(ClientError::Refused(problem)) if problem.kind == NOT_LOGGED => {}
                outcome => return outcome,
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.ask_for_evidence(&url, answer, scopes).await
    }

    async fn ask_for_evidence(
        &self,
        url: &str,
        answer: &[u8],
        scopes: &str,
    ) -> Result<Vec<u8>, ClientError> {
        let request = self.mutual_tls().post(url).body(answer.to_vec());
        let request = request.header(reqwest::header::CONTENT_TYPE, "application/json");
        let answer = self.send_with_token(url, request, scopes).await?;
        Ok(answer.body)
    }
}
