//! A conversation with a chat model, as values. Their serde form is the format of OpenAI's API, in which callers of agents send
//! and get messages.

mod message;
mod part;
mod prompt;
mod reasoning;
mod tool;

pub use message::{ChatRole, Message, ToolCall};
pub use part::{AudioPart, CacheMark, ContentPart, FilePart};
pub use prompt::ChatPrompt;
pub use reasoning::{Opaque, Reasoning, ReasoningDelta, ReasoningPiece, Vendor};
pub use tool::{Function, FunctionTool, Tool, ToolChoice};
