//! The chain query.

mod access;
mod current;
mod errors;
mod explain;
mod fuzzy;
mod hostile;
mod limits;
mod paging;
mod search;
mod segments;
mod shape;
mod signature;
mod values;
mod versions;
mod whole;

use crate::query::questions::{FORM, PATH};
use crate::query::{questions, rows};
