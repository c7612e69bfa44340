//! One problem of a body: the path of the field, and what is wrong with it.

use serde::Serialize;

use crate::error_text;

/// The most problems that one answer lists.
pub const MOST_PROBLEMS: usize = 20;

/// One problem of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BodyProblem {
    /// The path of the field, such as `deployments[0].weight`. Empty for the body itself.
    pub field: String,
    /// The problem, without the field.
    pub message: String,
}

impl BodyProblem {
    pub fn new(field: &str, problem: &str) -> Self {
        let field = error_text::shorten_field(field).into_owned();
        Self { field, message: error_text::shorten_message(problem).into_owned() }
    }

    /// The problem as one sentence that names the field.
    pub fn sentence(&self) -> String {
        let field = if self.field.is_empty() { "body" } else { &self.field };
        format!("{field}: {}", self.message)
    }

    /// The same problem in a body that contains this one as the field `parent`.
    #[must_use]
    pub fn within(mut self, parent: &str) -> Self {
        self.field = match self.field.as_str() {
            "" => parent.to_owned(),
            field => format!("{parent}.{field}"),
        };
        self
    }
}
