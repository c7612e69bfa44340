//! A conversation with a chat model, as values. Their serde form is the format of OpenAI's API, in which callers of agents send
//! and get messages.

mod message;
mod prompt;
mod tool;

pub use message::{ChatRole, ContentPart, Message, ToolCall};
pub use prompt::ChatPrompt;
pub use tool::{Function, FunctionTool, Tool, ToolChoice};
