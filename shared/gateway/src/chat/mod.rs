//! Chat completions in OpenAI's format: the request, and the answer of a provider.

mod answer;
mod choice;
mod input_tokens;
mod message;
mod request;

pub use answer::{ChatAnswer, Choices, Chunk};
pub use choice::{
    AnswerMessage, Choice, Delta, DeltaChoice, FinishReason, FunctionCall, FunctionDelta, ReadChoice, ToolCallDelta,
    ToolCallOut,
};
pub use message::{ContentPart, Message, MessageRole, ToolCall};
pub use request::{ChatRequest, ResponseFormat, Terms, VALIDATED};
