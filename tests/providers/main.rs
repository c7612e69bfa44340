//! What is said to providers and understood of them, on the wire, against a provider that does as it is told.

mod anthropic;
mod dev;
mod faults;
mod openai;
mod stage;
