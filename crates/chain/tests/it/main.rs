//! The rules of property chains, by example and against a naive model.

#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod ids;
#[cfg(test)]
mod link;
#[cfg(test)]
mod model;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod state;
#[cfg(test)]
mod words;
