//! Bounds of the console, with their units.

use std::num::NonZeroU32;
use std::time::Duration;

/// The seconds in which a person's unused requests add up.
pub(crate) const PERSON_BURST_SECONDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// Lists that one person loads at once.
pub(crate) const LISTS_OF_PERSON_MAX: usize = 2;
/// A node counts the requests of at most so many people at once.
pub(crate) const PEOPLE_COUNTED_MAX: usize = 10_000;
/// Sign-ins of this node that call the OpenID provider at once.
pub const SIGN_INS_AT_ONCE: usize = 16;
/// How long a sign-in may take, from the button to the way back, in seconds.
pub(crate) const SIGN_IN_SECONDS: i64 = 1_800;
/// How far the clock of the node where a sign-in began may be ahead, in seconds.
pub(crate) const SIGN_IN_SKEW_SECONDS: i64 = 60;
/// Open pages of this node that wait for news.
pub(crate) const STREAMS_MAX: usize = 10_000;
/// Open pages of one session that wait for news.
pub(crate) const STREAMS_OF_SESSION_MAX: usize = 5;
/// How often newer versions are looked for.
pub(crate) const STREAM_INTERVAL: Duration = Duration::from_secs(1);
/// How often an open stream looks again at its session, the person's role and branches, in seconds.
pub(crate) const STREAM_LOOK_SECONDS: i64 = 30;
/// How often a stream without news says something, so that proxies keep it open.
pub(crate) const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// Names and values of a form that a page keeps over a sign-in, in bytes.
pub(crate) const KEPT_FORM_BYTES_MAX: usize = 32 * 1024;
/// Characters of a note.
pub(crate) const NOTE_CHARACTERS_MAX: usize = 4000;
/// Notes of one listing.
pub(crate) const NOTES_MAX: i64 = 1000;
/// How long a share link may last.
pub(crate) const SHARE_DAYS_MAX: i64 = 90;
/// Share links of one listing at once.
pub(crate) const SHARES_MAX: usize = 100;
/// Sales under way that one list of sales to chase looks at.
pub(crate) const CHASE_SALES_MAX: i64 = 1_000;
/// Sales that the list shows.
pub(crate) const CHASE_ROWS_MAX: usize = 500;
/// The longest reason for snoozing a sale, in characters.
pub(crate) const SNOOZE_REASON_CHARACTERS_MAX: usize = 200;
/// The longest time for which a sale is snoozed, in days.
pub(crate) const SNOOZE_DAYS_MAX: i32 = 90;
