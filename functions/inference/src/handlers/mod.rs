//! The handlers of the inference API, by kind of call.

pub mod audio;
pub mod chat;
mod claim;
pub mod completions;
mod conversation;
pub mod embeddings;
pub mod guard;
pub mod images;
pub mod messages;
pub mod rerank;
pub mod responses;
