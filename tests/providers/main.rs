//! The translation for each provider of models or messages: requests and answers on the wire, tested against fakes.

mod anthropic;
mod bedrock;
mod dev;
mod dialects;
mod faults;
mod gemini;
mod messaging;
mod openai;
mod openai_audio;
mod openai_responses;
mod parameters;
mod reasoning;
mod services;
mod stage;
