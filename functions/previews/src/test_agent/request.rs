//! The check of a request: what a test does.

use domain::{Error, Result};

use super::dto::{ExpectIn, ScriptStepIn, TargetIn, TestIn};
use super::expectation::Expectation;

const MAX_STEPS: usize = 20;
const MAX_CHARS: usize = 4_000;
const MAX_TURNS: u32 = 10;
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
            (None, Some(goal)) => read_goal(goal, turns)?,
        };
        Ok(TestRequest { target, trigger, kind })
    }
}

fn read_goal(goal: String, turns: Option<u32>) -> Result<TestKind> {
    check_text("goal", &goal)?;
    let turns = turns.unwrap_or(DEFAULT_TURNS);
    if !(1..=MAX_TURNS).contains(&turns) {
        return Err(Error::invalid_body("turns", format!("between 1 and {MAX_TURNS}")));
    }
    Ok(TestKind::Goal { goal, turns })
}

fn read_script(script: Vec<ScriptStepIn>) -> Result<Vec<ScriptStep>> {
    if script.is_empty() || script.len() > MAX_STEPS {
        return Err(Error::invalid_body("script", format!("1 to {MAX_STEPS} steps")));
    }
    let read = |(index, step): (usize, ScriptStepIn)| {
        let ScriptStepIn { say, expect } = step;
        check_text(&format!("script[{index}].say"), &say)?;
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
    if let Some(contains) = &contains {
        check_text(&format!("{field}.contains"), contains)?;
    }
    Expectation::new(&format!("{field}.matches"), contains, matches.as_deref())
}

fn check_text(field: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() || text.chars().count() > MAX_CHARS {
        return Err(Error::invalid_body(field, format!("1 to {MAX_CHARS} characters")));
    }
    Ok(())
}
