//! Chat completions: the request, and the answer of a provider.

mod answer;
mod assembly;
mod choice;
mod completions;
mod fallbacks;
mod input_tokens;
mod messages;
mod openai;
mod request;
pub mod responses;
mod truncation;

pub use crate::dialect::{Dialect, Foreign, NativeMessages};
pub use answer::{ChatAnswer, Choices, Chunk};
pub use assembly::{AssembledChoice, assemble};
pub use choice::{
    AnswerMessage, Choice, Delta, DeltaChoice, FinishReason, FunctionCall, FunctionDelta, ReadChoice, ToolCallDelta,
    ToolCallOut,
};
pub use domain::chat::{ChatRole, ContentPart, Function, Message, Tool, ToolCall, ToolChoice};
pub use request::{ChatRequest, ResponseFormat, Terms, VALIDATED};
