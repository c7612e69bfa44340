//! The translation for each provider: requests and answers on the wire, tested against a scripted provider.

mod anthropic;
mod bedrock;
mod dev;
mod faults;
mod gemini;
mod openai;
mod parameters;
mod stage;
