//! The check of a request: what a test does.

use domain::{Error, Result};

use super::dto::{ExpectIn, ScriptStepIn, TargetIn, TestIn};
use super::expectation::Expectation;

const DEFAULT_TURNS: u32 = 5;

pub struct TestRequest {
    pub target: TargetIn,
    /// The id of the trigger, if the request names one.
    pub trigger: Option<String>,
    pub kind: TestKind,
}

pub enum TestKind {
    Script(Vec<ScriptStep>),
    Goal { goal: String, turns: u32 },
}

pub struct ScriptStep {
    pub say: String,
    pub expect: Option<Expectation>,
}

impl TestIn {
    pub fn read(self) -> Result<TestRequest> {
        let Self { target, script, goal, turns, trigger } = self;
        let kind = match (script, goal) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid_body("goal", "the test has a script, too; send either `script` or `goal`"));
            }
            (None, None) => return Err(Error::invalid_body("script", "send either `script` or `goal`")),
            (Some(_), None) if turns.is_some() => {
                return Err(Error::invalid_body("turns", "only a test with a goal has it; remove the field"));
            }
            (Some(script), None) => TestKind::Script(read_script(script)?),
            (None, Some(goal)) => TestKind::Goal { goal, turns: turns.unwrap_or(DEFAULT_TURNS) },
        };
        Ok(TestRequest { target, trigger, kind })
    }
}

fn read_script(script: Vec<ScriptStepIn>) -> Result<Vec<ScriptStep>> {
    let read = |(index, step): (usize, ScriptStepIn)| {
        let ScriptStepIn { say, expect } = step;
        let field = format!("script[{index}].expect");
        let expect = expect.map(|expect| read_expectation(&field, expect)).transpose()?;
        Ok(ScriptStep { say, expect })
    };
    script.into_iter().enumerate().map(read).collect()
}

fn read_expectation(field: &str, expect: ExpectIn) -> Result<Expectation> {
    let ExpectIn { contains, matches } = expect;
    if contains.is_none() && matches.is_none() {
        return Err(Error::invalid_body(field, "set `contains` or `matches`"));
    }
    Expectation::new(&format!("{field}.matches"), contains, matches.as_deref())
}
