//! Regular expressions with linear running time and limited size, charged to the budget.

use domain::language::Translated;
use regex_lite::{Regex, RegexBuilder};

use super::{Cause, EvaluationBudget};

/// The steps charged for compiling a pattern, well above the real cost.
const COMPILING: usize = 5_000;
/// The allowed sizes of a compiled pattern, and the cost of a byte of text at each size, in half steps: the work grows
/// with the number of states.
const SIZES: [(usize, usize); 2] = [(4 * 1024, 2), (32 * 1024, 32)];
const MAX_CHARS: usize = 1_000;

pub struct ExpressionPattern {
    regex: Regex,
    steps_a_byte: usize,
}

impl ExpressionPattern {
    /// Compiles a pattern, and charges the budget of the evaluation.
    pub fn new(pattern: &str, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.steps(COMPILING)?;
        let (compiled, bytes) = compile(pattern).map_err(|problem| Cause::Message(problem.en))?;
        budget.bytes(bytes)?;
        Ok(compiled)
    }

    pub fn check(pattern: &str) -> Result<(), Translated> {
        compile(pattern).map(drop)
    }

    pub fn is_in(&self, text: &str, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
        budget.steps((text.len() + 1).saturating_mul(self.steps_a_byte) / 2)?;
        Ok(self.regex.is_match(text))
    }
}

/// Compiles a pattern, and returns it with its size limit. The messages are our own: those of the library would quote
/// the pattern, which may be data.
fn compile(pattern: &str) -> Result<(ExpressionPattern, usize), Translated> {
    if pattern.len() > MAX_CHARS {
        return Err(Translated::new(
            "the regular expression is longer than 1000 bytes; shorten it",
            "la expresión regular tiene más de 1000 bytes; acórtela",
        ));
    }
    // A pattern that is too large for the first size may fit the second.
    let sizes = SIZES.iter().find_map(|(limit, steps_a_byte)| {
        let regex = RegexBuilder::new(pattern).size_limit(*limit).build().ok()?;
        Some((ExpressionPattern { regex, steps_a_byte: *steps_a_byte }, *limit))
    });
    sizes.ok_or(Translated::new(
        "the regular expression is invalid or too large; simplify it",
        "la expresión regular no es válida o es demasiado grande; simplifíquela",
    ))
}
