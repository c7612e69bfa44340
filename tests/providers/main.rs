//! What is said to providers and understood of them, on the wire, against a provider that does as it is told.

mod anthropic;
mod bedrock;
mod dev;
mod faults;
mod gemini;
mod openai;
mod parameters;
mod stage;
