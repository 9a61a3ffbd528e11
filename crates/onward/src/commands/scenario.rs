//! `onward scenario`: plays stories on new sample chains of a running sandbox.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use client::sandbox::load;

use super::source::find_sandbox;
use super::{Failure, say};
use player::Player;
use stories::Story;

mod player;
mod stories;

/// Plays stories of chains in a running sandbox, through its API, and prints each step.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// The story [default: all of them, one after the other]
    name: Option<StoryName>,
    /// The days of the story that pass in a second.
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    speed: u32,
    /// The directory of a running sandbox [default: ./onward-sandbox, if there is one]
    #[arg(long, value_name = "DIR")]
    sandbox: Option<PathBuf>,
}

/// The names of the stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StoryName {
    /// A chain of three sales, from the first offer to completion.
    Completion,
    /// A buyer withdraws, and a new buyer repairs the chain.
    FallThrough,
    /// Two sales pay for one purchase.
    Split,
    /// The service's signing keys are rotated during a sale.
    Rotation,
}

impl StoryName {
    const fn story(self) -> &'static Story {
        match self {
            Self::Completion => &stories::COMPLETION,
            Self::FallThrough => &stories::FALL_THROUGH,
            Self::Split => &stories::SPLIT,
            Self::Rotation => &stories::ROTATION,
        }
    }
}

/// Runs `onward scenario`. `clock` dates the client assertions.
pub async fn run(
    args: ScenarioArgs,
    clock: client::Clock,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let folder = find_sandbox(args.sandbox.as_deref()).ok_or_else(|| {
        Failure::new("no sandbox to play in: start `onward sandbox` here, or pass --sandbox DIR")
    })?;
    let sandbox = load(&folder).map_err(|error| {
        Failure::new(format!(
            "{error}; stories need a running sandbox: start `onward sandbox`, or pass --sandbox DIR"
        ))
    })?;
    let chosen = match &args.name {
        Some(name) => std::slice::from_ref(name),
        None => StoryName::value_variants(),
    };
    for name in chosen {
        let value = name.to_possible_value();
        let value = value.as_ref().map_or("", |value| value.get_name());
        let story = name.story();
        say(&mut *out, format!("Story {value}: {}", story.about));
        let mut player = Player::open(&sandbox, &clock)?;
        player.play(story, args.speed, out).await?;
    }
    Ok(())
}
