//! The rules of addresses, by example.

#[cfg(test)]
mod decisions;
#[cfg(test)]
mod hostile;
mod lookalikes;
#[cfg(test)]
mod normal;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod streets;
#[cfg(test)]
mod typed;
