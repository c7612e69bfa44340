//! What a step does, as its node type decides: it ends at once, or begins work that takes time.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Operation;
use super::agent::AgentNode;
use super::delay::DelayNode;
use super::r#loop::LoopStart;
use super::review::Question;
use crate::value_size::{memory_of_fields, memory_of_prompt};
use domain::run::StepError;

/// What a step does.
#[derive(Debug)]
pub enum NodeAction {
    /// It ends, and passes its input on.
    Pass,
    /// It ends, and passes its input on at this port. The port is stored: in a later version of the engine, the expressions
    /// could have other values, but a run that waited for weeks must keep its branch.
    Choose(Cow<'static, str>),
    /// It ends with this value.
    Return(Value),
    /// It ends, and continues at each of these ports, with the value there.
    Split(Map<String, Value>),
    /// It runs its body for each item.
    Loop(LoopStart),
    /// It makes the calls of an agent.
    Agent(AgentNode<String>),
    Due(DueWork),
}

/// An error ends the step, too.
pub type NodeResult = Result<NodeAction, StepError>;

/// Work that takes time. Its result is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum DueWork {
    /// The driver waits.
    Delay(DelayNode<Value>),
    /// The driver asks a person.
    Ask(Question),
    /// [`Effects`](crate::drive::Effects) perform it.
    Perform(Arc<Operation>),
}

impl From<Operation> for DueWork {
    fn from(operation: Operation) -> Self {
        Self::Perform(Arc::new(operation))
    }
}

impl DueWork {
    /// The approximate size in memory.
    pub fn memory(&self) -> usize {
        match self {
            Self::Delay(_) => 0,
            Self::Ask(question) => memory_of_fields(&question.request),
            Self::Perform(operation) => match &**operation {
                // A whole conversation, which is not copied.
                Operation::AskModel(prompt) => memory_of_prompt(prompt),
                operation => memory_of_fields(&operation.to_fields()),
            },
        }
    }
}

/// What the input of a step is, if several edges lead into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// The value of the only edge that is taken, or the list of the values of several.
    #[default]
    Any,
    /// The list of the values, even of one.
    All,
    /// The first value that arrives.
    First {
        /// Whether the steps that lead only to this one are skipped then.
        cancels_losers: bool,
    },
}
