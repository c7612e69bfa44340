//! Regular expressions: linear in the text, small, and paid for.

use regex_lite::{Regex, RegexBuilder};

use super::{Budget, Why};

/// What it costs to compile one in steps, well above what it takes.
pub const COMPILING: usize = 5_000;
/// How large a pattern may get when compiled, and what a byte of text costs it then: its steps grow with its states.
const SIZES: [(usize, usize); 2] = [(4 * 1024, 2), (32 * 1024, 32)];
const MAX_CHARS: usize = 1_000;

pub struct Pattern {
    regex: Regex,
    steps_a_byte: usize,
}

impl Pattern {
    /// The words of what is wrong are our own: a library's would print the pattern, which may be data.
    pub fn new(pattern: &str) -> Result<Self, &'static str> {
        if pattern.len() > MAX_CHARS {
            return Err("the pattern is longer than 1000 bytes");
        }
        let build = |limit| RegexBuilder::new(pattern).size_limit(limit).build();
        for (limit, steps_a_byte) in SIZES {
            match build(limit) {
                Ok(regex) => return Ok(Self { regex, steps_a_byte }),
                // Too large for this size only: the next may hold it.
                Err(_) => continue,
            }
        }
        Err("not a pattern that is known here, or too large a one")
    }

    pub fn is_in(&self, text: &str, budget: &mut Budget) -> Result<bool, Why> {
        budget.steps(text.len().saturating_mul(self.steps_a_byte) / 2)?;
        Ok(self.regex.is_match(text))
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.regex.fmt(f)
    }
}
