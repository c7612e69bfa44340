//! Chat completions: what is asked, what is answered, in OpenAI's form whoever answers.

mod answer;
mod complete;
mod message;
mod prepare;
mod request;
mod stream;
mod usage;

pub use answer::{
    ChatAnswer, Choice, Chunk, Delta, DeltaChoice, FunctionCall, FunctionDelta, MessageOut, ToolCallDelta, ToolCallOut,
};
pub use message::{Message, Part, Role, ToolCall};
pub use request::{ChatRequest, ResponseFormat, Terms, VALIDATED};
pub use stream::{EventStream, WriteError};
pub(super) use usage::UsageOut;
