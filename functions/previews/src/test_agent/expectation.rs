//! What the replies to a message must be.

use domain::time::Time;
use domain::{Error, Result, translated};
use engine::expression::{Expression, Scope, SyntaxError};
use serde_json::{Map, Value, json};
use web::language;

/// The variables of a condition.
const VARIABLES: [&str; 3] = ["reply", "replies", "turn"];

pub struct Expectation {
    contains: Option<String>,
    matches: Option<Expression>,
}

impl Expectation {
    /// `field` names the condition in errors.
    pub fn new(field: &str, contains: Option<String>, matches: Option<&str>) -> Result<Self> {
        let matches = matches
            .map(parse_condition)
            .transpose()
            .map_err(|problem| Error::invalid_body(field, problem.describe().get(language::of_request())));
        Ok(Self { contains, matches: matches? })
    }

    /// Checks the replies of a turn, which counts from 1. Returns why they are not as expected. The limits of expressions
    /// bound its time.
    pub fn find_problem(&self, replies: &[String], turn: usize, now: Time) -> Option<String> {
        let reply = replies.join("\n");
        if let Some(text) = self.contains.as_ref().filter(|text| !reply.contains(text.as_str())) {
            let problem = if replies.is_empty() { "there is no reply" } else { "the reply differs" };
            return Some(format!("expect.contains: {problem}; it must contain {text:?}"));
        }
        let condition = self.matches.as_ref()?;
        let variables: Map<String, Value> =
            VARIABLES.map(str::to_owned).into_iter().zip([json!(reply), json!(replies), json!(turn)]).collect();
        match condition.holds(&Scope::new(&variables, now.into())) {
            Ok(true) => None,
            Ok(false) => Some("expect.matches: the condition is false".to_owned()),
            Err(error) => Some(format!("expect.matches: {error}")),
        }
    }
}

fn parse_condition(text: &str) -> Result<Expression, SyntaxError> {
    let expression = Expression::parse(text)?;
    expression.check_condition()?;
    let unknown = expression.references().into_iter().find(|used| !VARIABLES.contains(&&*used.variable));
    match unknown {
        Some(used) => {
            let message = translated!(
                "there is no variable `{}`; use {}",
                "no hay ninguna variable `{}`; use {}",
                used.variable,
                VARIABLES.join(", ")
            );
            Err(SyntaxError::new(used.at, message))
        }
        None => Ok(expression),
    }
}
