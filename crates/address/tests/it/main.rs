//! The rules of addresses, by example.

#[cfg(test)]
mod decisions;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod normal;
#[cfg(test)]
mod queries;
