//! Chat completions: requests and responses in OpenAI's format, for every kind of provider.

mod answer;
mod completion;
mod message;
mod preparation;
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
