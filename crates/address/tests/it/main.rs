//! The rules of addresses, by example.

#[cfg(test)]
mod claims;
#[cfg(test)]
mod decide;
#[cfg(test)]
mod decisions;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod lookalikes;
#[cfg(test)]
mod normal;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod twins;
#[cfg(test)]
mod typed;
