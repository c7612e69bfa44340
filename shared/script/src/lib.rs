//! A sandbox for users' JavaScript: QuickJS-NG with limits of steps, memory, processor time and output, which a script
//! cannot catch. A script gets JSON, returns JSON, and has no access to files, the network, timers or the real clock.
//!
//! The same request gives the same outcome: the clock stands still, random numbers come from a seed, and the step limit
//! depends only on the program and its input. See the README for the limits and how native functions are guarded.

mod budget;
mod callee;
mod engine;
mod host;
mod interpreter;
mod items;
mod limits;
mod memory;
mod outcome;
mod processes;
mod program;
mod sandbox;
mod source;
mod text;
mod wording;

pub use ::engine::script::SourceForm;
pub use engine::{Request, Usage, execute, execute_measured};
pub use interpreter::interpreter;
pub use limits::{LimitKind, Limits, RESERVE_BYTES};
pub use outcome::{ConsoleLevel, ConsoleLine, Outcome, Position, ScriptError, SyntaxProblem, Thrown};
pub use processes::{Processes, serve_if_asked, use_program};
pub use program::Program;
