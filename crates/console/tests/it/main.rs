//! Rendered pages, without a server: their text, their sizes, and the scripts that check them.
#![cfg(test)]

mod pages;
mod rules;
mod samples;
mod scripts;
mod sizes;
mod words;
