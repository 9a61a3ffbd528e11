//! Plays the steps of a story as the clients of the sandbox.

use std::io::Write;
use std::time::Duration;

use chain::ids::ListingId;
use chain::link::LinkRule;
use chain::london::date_in_london;
use chain::milestone::find_by_key;
use chain::state::Link;
use client::listings::ListingCall;
use client::sandbox::{SandboxFile, read_file};
use client::{ChainInput, ChainQuery, Client, ClientError, Clock, Credentials, Trust, printable};
use http::Method;
use jiff::ToSpan as _;
use jiff::civil::Date;
use observe::clock::Clock as SystemClock;
use serde_json::{Value, json};
use server::config::Config;
use signing::keyring::Purpose;
use tokens::keys::{self, Rotation};
use uuid::Uuid;

use super::stories::{Act, Story};
use crate::commands::link::link_listings;
use crate::commands::source::KEY_FILE_LIMIT_BYTES;
use crate::commands::{Failure, ReasonArgs, open_for_operator, say};

/// The agents of every sandbox. They list homes in turn.
const AGENTS: [&str; 2] = ["Example Agent", "Other Agent"];
const LENDER: &str = "Example Lender";
/// How often a call is made that the service refuses for a moment, as a pedantic sandbox does.
const ATTEMPTS_MAX: u32 = 5;
/// The pause before the next attempt: a sandbox asks for no longer one.
const PAUSE: Duration = Duration::from_secs(2);
/// The stories with homes of their own, one begun in each tenth of a second. Each has up to ten homes.
const STORIES: i64 = 90_000;

/// A story that is being played.
pub(super) struct Player {
    agents: Vec<Agent>,
    lender: Client,
    listing_base_url: String,
    config: Config,
    /// Unix milliseconds. They make the homes and references of this story its own.
    began_at: i64,
    homes: Vec<Home>,
}

struct Agent {
    name: &'static str,
    client: Client,
    token: String,
    /// When the token has half of its lifetime left, in Unix seconds.
    renew_at: i64,
    branch: u64,
}

struct Home {
    name: String,
    listing: i64,
    uprn: u64,
}

impl Player {
    /// Opens the clients of the sandbox.
    pub(super) fn open(sandbox: &SandboxFile, clock: &Clock) -> Result<Self, Failure> {
        let mut agents = Vec::new();
        for name in AGENTS {
            let client = open_client(sandbox, name, clock).map_err(Failure::new)?;
            let branches = &sandbox.client(Some(name)).map_err(Failure::new)?.branches;
            agents.push(Agent {
                name,
                client,
                token: String::new(),
                renew_at: 0,
                branch: branches.first().copied().unwrap_or_default(),
            });
        }
        let config = Config::load(&sandbox.config_file, std::env::vars(), &[]);
        Ok(Self {
            agents,
            lender: open_client(sandbox, LENDER, clock).map_err(Failure::new)?,
            listing_base_url: sandbox.listing_base_url.clone(),
            config: config.map_err(Failure::unusable)?,
            began_at: SystemClock::System.now_milliseconds(),
            homes: Vec::new(),
        })
    }

    /// Plays all steps, the last of which is dated today. `speed` is the number of days that pass in a
    /// second.
    pub(super) async fn play(
        &mut self,
        story: &Story,
        speed: u32,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let last_day = story.steps.last().map_or(0, |(day, _act)| *day);
        let end = date_in_london(self.began_at / 1000)
            .ok_or_else(|| Failure::new("the clock shows no date of the calendar"))?;
        let mut now = 0;
        for (day, act) in story.steps {
            let seconds = f64::from(day - now) / f64::from(speed);
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            now = *day;
            let date = end.saturating_sub(i64::from(last_day - day).days());
            let line = self.act(*act, date).await?;
            say(&mut *out, format!("day {day:>3}  {date}  {line}"));
        }
        Ok(())
    }

    /// Does a step, and returns a sentence about it.
    async fn act(&mut self, act: Act, date: Date) -> Result<String, Failure> {
        match act {
            Act::List => self.list().await,
            Act::Record(homes, key) => self.record(homes, key, date).await,
            Act::Link { buyer, seller } => self.link(buyer, seller).await,
            Act::Break { buyer, seller } => self.break_link(buyer, seller).await,
            Act::Split { buyer, seller } => self.split(buyer, seller),
            Act::CheckEnds(home) => {
                for end in ["bottom", "top"] {
                    let path = format!("listing/chain/{}/check/{end}", self.home(home)?.listing);
                    self.call(home, Method::POST, &path, Value::Null).await?;
                }
                let agent = self.agent_of(home).name;
                Ok(format!("{agent} confirms both ends of the chain"))
            }
            Act::Ask(home) => self.ask(home).await,
            Act::Rotate => tokio::task::block_in_place(|| rotate(&self.config)),
        }
    }

    async fn link(&mut self, buyer: usize, seller: usize) -> Result<String, Failure> {
        let body = self.sides(buyer, seller)?;
        self.call(buyer, Method::POST, "chain/add/link", body)
            .await?;
        let purchase = self.describe(buyer, "buys", seller)?;
        Ok(format!("{} links: {purchase}", self.agent_of(buyer).name))
    }

    async fn break_link(&mut self, buyer: usize, seller: usize) -> Result<String, Failure> {
        let body = self.sides(buyer, seller)?;
        self.call(seller, Method::POST, "chain/remove/link", body)
            .await?;
        let purchase = self.describe(buyer, "no longer buys", seller)?;
        let agent = self.agent_of(seller).name;
        Ok(format!("{agent} breaks the link: {purchase}"))
    }

    async fn list(&mut self) -> Result<String, Failure> {
        let home = self.homes.len();
        let story = self.began_at / 100 % STORIES;
        let name = format!("{story}{home} Story Lane");
        let branch = self.agent_of(home).branch;
        let body = json!({
            "address": {
                "line1": name, "postTown": "Lincoln", "postcode": "LN99 9AE",
            },
            "branch_id": branch,
            "price": 250_000,
            "external_id": format!("scenario-{}-{home}", self.began_at),
        });
        let answer = self.call(home, Method::POST, "listing", body).await?;
        let data = &answer["data"];
        let attributes = &data["attributes"];
        let address = attributes["full_address"].as_str();
        let (listing, uprn) = (data["id"].as_i64(), attributes["uprn"].as_u64());
        let (Some(address), Some(listing), Some(uprn)) = (address, listing, uprn) else {
            return Err(Failure::new("the answer to a new listing has another form"));
        };
        let (agent, address) = (self.agent_of(home).name, printable(address));
        let line = format!("{agent} lists {address} (listing {listing}, UPRN {uprn})");
        self.homes.push(Home {
            name,
            listing,
            uprn,
        });
        Ok(line)
    }

    async fn record(&mut self, homes: &[usize], key: &str, date: Date) -> Result<String, Failure> {
        let mut parts = Vec::new();
        for home in homes {
            let path = format!("listing/{}/milestone/{key}", self.home(*home)?.listing);
            let body = json!({ "date": date.to_string() });
            self.call(*home, Method::PUT, &path, body).await?;
            let (name, agent) = (&self.home(*home)?.name, self.agent_of(*home).name);
            parts.push(format!("{name} ({agent})"));
        }
        let name = find_by_key(key).map_or(key, |milestone| milestone.name);
        Ok(format!("{name} is recorded for {}", parts.join(", ")))
    }

    fn split(&self, buyer: usize, seller: usize) -> Result<String, Failure> {
        let link = Link {
            seller: ListingId(self.home(seller)?.listing),
            buyer: ListingId(self.home(buyer)?.listing),
        };
        let linking = || link_listings(&self.config, &because(), link, LinkRule::Split);
        tokio::task::block_in_place(linking)?;
        let purchase = self.describe(buyer, "buys", seller)?;
        Ok(format!(
            "the operator links, with `onward link --split`: {purchase}"
        ))
    }

    async fn ask(&self, home: usize) -> Result<String, Failure> {
        let home = self.home(home)?;
        let query = ChainQuery {
            input: ChainInput::Uprns(vec![home.uprn]),
            rows: None,
            page: None,
            explain: false,
            as_of: None,
        };
        let answer = patiently(async || self.lender.query_chains(&query).await).await?;
        let chain = answer.page().data.first();
        let chain = chain.ok_or_else(|| Failure::new("the service shows no chain"))?;
        Ok(format!(
            "{LENDER} asks for {}: {}, length {}; verified with key {}",
            home.name,
            chain.chain_summary.chain_type.describe(),
            chain.chain_summary.chain_length,
            printable(answer.kid())
        ))
    }

    fn describe(&self, buyer: usize, does: &str, seller: usize) -> Result<String, Failure> {
        let (buyer, seller) = (&self.home(buyer)?.name, &self.home(seller)?.name);
        Ok(format!("the seller of {buyer} {does} {seller}"))
    }

    fn sides(&self, buyer: usize, seller: usize) -> Result<Value, Failure> {
        let (buyer, seller) = (self.home(buyer)?.listing, self.home(seller)?.listing);
        Ok(json!({ "buyer": buyer, "seller": seller }))
    }

    fn home(&self, home: usize) -> Result<&Home, Failure> {
        let found = self.homes.get(home);
        found.ok_or_else(|| Failure::new(format!("home {home} of the story is not listed yet")))
    }

    fn agent_of(&self, home: usize) -> &Agent {
        &self.agents[home % self.agents.len()]
    }

    /// Makes a call as the agent of this home.
    async fn call(
        &mut self,
        home: usize,
        method: Method,
        path: &str,
        body: Value,
    ) -> Result<Value, Failure> {
        let place = home % self.agents.len();
        let agent = &mut self.agents[place];
        agent.renew_token().await?;
        let base = self.listing_base_url.trim_end_matches('/');
        let call = ListingCall {
            method,
            url: format!("{base}/api/v1/{path}"),
            body,
            idempotency_key: Uuid::new_v4().to_string(),
        };
        patiently(async || agent.client.call_listings(&call, &agent.token).await).await
    }
}

impl Agent {
    async fn renew_token(&mut self) -> Result<(), Failure> {
        let now = SystemClock::System.now_seconds();
        if now < self.renew_at {
            return Ok(());
        }
        let scope = ["listing".to_owned()];
        let issued = patiently(async || self.client.request_token(&scope).await).await?;
        self.renew_at = now.saturating_add_unsigned(issued.expires_in / 2);
        self.token = issued.access_token;
        Ok(())
    }
}

fn open_client(sandbox: &SandboxFile, name: &str, clock: &Clock) -> Result<Client, ClientError> {
    let credentials = Credentials::read(&sandbox.client(Some(name))?.files())?;
    let trust = Trust::Only(read_file(&sandbox.ca_file, KEY_FILE_LIMIT_BYTES)?);
    Client::new(sandbox.endpoints(), credentials, &trust, clock.clone())
}

/// The next keys were published only lately, so the rotation is a forced one.
fn rotate(config: &Config) -> Result<String, Failure> {
    let rotation = Rotation {
        size: None,
        is_forced: true,
        now: SystemClock::System.now_seconds(),
    };
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let storage = open_for_operator(config, &because())?;
    let purposes = [Purpose::Provenance, Purpose::Event];
    keys::rotate(&storage, &safe, &purposes, &rotation).map_err(Failure::new)?;
    Ok(
        "the operator rotates the keys of answers and events, with `onward keys rotate --now`"
            .to_owned(),
    )
}

fn because() -> ReasonArgs {
    ReasonArgs {
        reason: Some("a story of `onward scenario`".to_owned()),
    }
}

/// Makes a call again while the service refuses it for a moment. The `Idempotency-Key` of a write makes
/// that safe.
async fn patiently<T>(call: impl AsyncFn() -> Result<T, ClientError>) -> Result<T, Failure> {
    for _attempt in 1..ATTEMPTS_MAX {
        match call().await {
            Err(error) if is_passing(&error) => tokio::time::sleep(PAUSE).await,
            ended => return ended.map_err(Failure::of_lines),
        }
    }
    call().await.map_err(Failure::of_lines)
}

fn is_passing(error: &ClientError) -> bool {
    matches!(error, ClientError::RateLimited { .. })
        || matches!(error, ClientError::Refused(problem) if problem.status == 503)
        || matches!(error, ClientError::Token(refusal) if [429, 503].contains(&refusal.status))
}
