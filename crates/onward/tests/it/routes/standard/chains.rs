//! The chain query.

mod access;
mod current;
mod errors;
mod fuzzy;
mod hostile;
mod limits;
mod paging;
mod search;
mod shape;
mod signature;
mod values;
mod whole;

use crate::query::questions::{FORM, PATH};
use crate::query::{questions, rows};
