//! Regular expressions: linear in the text, small, and paid for.

use regex_lite::{Regex, RegexBuilder};

use super::{Budget, Why};

/// What it costs to compile one in steps, well above what it takes.
const COMPILING: usize = 5_000;
/// How large a pattern may get when compiled, and what a byte of text costs it then: its steps grow with its states.
const SIZES: [(usize, usize); 2] = [(4 * 1024, 2), (32 * 1024, 32)];
const MAX_CHARS: usize = 1_000;

pub struct Pattern {
    regex: Regex,
    steps_a_byte: usize,
}

impl Pattern {
    /// Within the budget of the evaluation that needs it.
    pub fn new(pattern: &str, budget: &mut Budget) -> Result<Self, Why> {
        budget.steps(COMPILING)?;
        let (compiled, bytes) = compiled(pattern).map_err(|problem| Why::Text(problem.to_owned()))?;
        budget.bytes(bytes)?;
        Ok(compiled)
    }

    pub fn check(pattern: &str) -> Result<(), &'static str> {
        compiled(pattern).map(drop)
    }

    pub fn is_in(&self, text: &str, budget: &mut Budget) -> Result<bool, Why> {
        budget.steps((text.len() + 1).saturating_mul(self.steps_a_byte) / 2)?;
        Ok(self.regex.is_match(text))
    }
}

/// And how large it may be. The words of what is wrong are our own: a library's would print the pattern, which may be
/// data.
fn compiled(pattern: &str) -> Result<(Pattern, usize), &'static str> {
    if pattern.len() > MAX_CHARS {
        return Err("the pattern is longer than 1000 bytes");
    }
    // One that is too large for a size only may fit the next.
    let sizes = SIZES.iter().find_map(|(limit, steps_a_byte)| {
        let regex = RegexBuilder::new(pattern).size_limit(*limit).build().ok()?;
        Some((Pattern { regex, steps_a_byte: *steps_a_byte }, *limit))
    });
    sizes.ok_or("not a pattern that is known here, or too large a one")
}
