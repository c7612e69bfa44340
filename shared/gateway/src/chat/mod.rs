//! Chat completions in OpenAI's format: the request, and the answer of a provider.

mod answer;
mod input_tokens;
mod message;
mod request;

pub use answer::{
    ChatAnswer, Choice, Chunk, Delta, DeltaChoice, FunctionCall, FunctionDelta, MessageOut, ToolCallDelta, ToolCallOut,
};
pub use message::{ContentPart, Message, MessageRole, ToolCall};
pub use request::{ChatRequest, ResponseFormat, Terms, VALIDATED};
