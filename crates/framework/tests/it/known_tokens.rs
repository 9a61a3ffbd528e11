//! How long answers are used (S-69, S-70), against a model that keeps the whole past.

use framework::answer::{ActiveToken, Answer};
use framework::known_tokens::{Found, KnownTokens, Outcome, Periods, TokenDigest, Verdict};
use proptest::prelude::*;
use signing::certificate::Thumbprint;

const START: i64 = 1_800_000_000;
const PERIODS: Periods = Periods {
    cache_seconds: 60,
    outage_seconds: 300,
};

fn active(expires_at: i64) -> Outcome {
    Outcome::Answered(Answer::Active(ActiveToken {
        client_id: "client".to_owned(),
        scope: "transaction-status".to_owned(),
        certificate: Thumbprint::of_der(b"certificate"),
        expires_at,
    }))
}

fn inactive() -> Outcome {
    Outcome::Answered(Answer::Inactive)
}

fn refused() -> Outcome {
    Outcome::Answered(Answer::Refused("why"))
}

fn is_active(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Active(_))
}

#[test]
fn an_active_answer_is_used_for_a_minute_and_never_past_its_end() {
    let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
    known.note(token, active(START + 3600), START, START);
    assert!(matches!(known.find(token, START + 59), Found::Active(_)));
    assert_eq!(known.find(token, START + 60), Found::Ask { is_known: true });
    known.note(token, active(START + 90), START + 60, START + 60);
    assert!(matches!(known.find(token, START + 89), Found::Active(_)));
    assert_eq!(
        known.find(token, START + 90),
        Found::Ask { is_known: false }
    );
    // A clock that went back ends it.
    assert_eq!(
        known.find(token, START + 30),
        Found::Ask { is_known: false }
    );
}

#[test]
fn a_known_token_outlasts_an_outage_of_five_minutes() {
    let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
    known.note(token, active(START + 3600), START, START);
    for outcome in [Outcome::Away, Outcome::BadRequest] {
        assert!(is_active(&known.note(
            token,
            outcome,
            START + 100,
            START + 100
        )));
    }
    assert!(matches!(known.find(token, START + 104), Found::Active(_)));
    assert_eq!(
        known.find(token, START + 105),
        Found::Ask { is_known: true }
    );
    assert!(is_active(&known.note(
        token,
        Outcome::Away,
        START + 299,
        START + 299
    )));
    // Neither the pause nor the outage goes on after 300 s.
    assert_eq!(
        known.find(token, START + 300),
        Found::Ask { is_known: false }
    );
    assert_eq!(
        known.note(token, Outcome::Away, START + 300, START + 300),
        Verdict::Away
    );
}

#[test]
fn an_unknown_token_is_unknown_while_the_issuer_is_away() {
    let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
    assert_eq!(
        known.note(token, Outcome::Away, START, START),
        Verdict::Away
    );
    assert_eq!(known.find(token, START), Found::Ask { is_known: false });
    // A 400 says that the text is no token.
    assert_eq!(
        known.note(token, Outcome::BadRequest, START, START),
        Verdict::Inactive
    );
    assert_eq!(known.find(token, START + 9), Found::Inactive);
    assert_eq!(
        known.find(token, START + 10),
        Found::Ask { is_known: false }
    );
}

#[test]
fn a_readable_answer_ends_a_known_token_at_once() {
    for outcome in [inactive(), refused()] {
        let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
        known.note(token, active(START + 3600), START, START);
        assert!(!is_active(&known.note(
            token,
            outcome,
            START + 60,
            START + 60
        )));
        assert_eq!(known.find_known(token, START + 61), None);
        let verdict = known.note(token, Outcome::Away, START + 61, START + 61);
        assert_eq!(verdict, Verdict::Away);
    }
}

#[test]
fn invented_tokens_displace_no_active_one() {
    let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
    known.note(token, active(START + 3600), START, START);
    for number in 0..30_000 {
        let invented = TokenDigest::of(&number.to_string());
        known.note(invented, inactive(), START, START);
    }
    assert!(matches!(known.find(token, START + 1), Found::Active(_)));
}

#[derive(Debug, Clone)]
enum Step {
    Find,
    Note(Outcome),
}

/// All that happened to one token.
#[derive(Debug, Default)]
struct Past(Vec<(i64, Outcome)>);

impl Past {
    /// The last active answer that no other readable answer followed: when, and until when it may be used at most.
    fn last_active(&self) -> Option<(i64, i64)> {
        let answered = self.0.iter().rev();
        let mut readable = answered.filter(|(_at, what)| matches!(what, Outcome::Answered(_)));
        match readable.next()? {
            (at, Outcome::Answered(Answer::Active(token))) => Some((*at, token.expires_at)),
            _other => None,
        }
    }

    /// Whether the token may be used at `now`, after an answer up to `age` seconds ago.
    fn allows(&self, now: i64, age: i64) -> bool {
        self.last_active()
            .is_some_and(|(at, expires_at)| now < at + age && now < expires_at)
    }
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let outcome = prop_oneof![
        3 => (1_i64..900).prop_map(|lifetime| active(START + lifetime)),
        1 => Just(inactive()),
        1 => Just(refused()),
        1 => Just(Outcome::BadRequest),
        3 => Just(Outcome::Away),
    ];
    let step = prop_oneof![2 => Just(Step::Find), 1 => outcome.prop_map(Step::Note)];
    prop::collection::vec((0_i64..70, step), 1..40)
}

proptest! {
    /// Nothing is used that the last readable answer does not allow; within a minute after it nobody asks; in an
    /// outage nothing is used for longer than five minutes.
    #[test]
    fn no_token_is_used_longer_than_its_last_answer_allows(steps in steps()) {
        let (known, token) = (KnownTokens::new(PERIODS), TokenDigest::of("token"));
        let (mut past, mut now) = (Past::default(), START);
        for (pause, step) in steps {
            now += pause;
            match step {
                Step::Find => match known.find(token, now) {
                    Found::Active(_) => prop_assert!(past.allows(now, 300)),
                    Found::Ask { is_known } => {
                        prop_assert_eq!(is_known, past.allows(now, 300));
                        prop_assert!(!past.allows(now, 60));
                    }
                    Found::Inactive => prop_assert!(!past.allows(now, 300)),
                },
                Step::Note(outcome) => {
                    // An issuer names no end in the past; the reader of answers refuses that.
                    if matches!(&outcome, Outcome::Answered(Answer::Active(token)) if token.expires_at <= now) {
                        continue;
                    }
                    let verdict = known.note(token, outcome.clone(), now, now);
                    past.0.push((now, outcome));
                    prop_assert_eq!(is_active(&verdict), past.allows(now, 300));
                }
            }
        }
    }
}
