//! `pattern` and `patternProperties`: regular expressions with linear running time and limited size.

use domain::language::Translated;
use regex_lite::{Regex, RegexBuilder};

use super::budget::ValidationBudget;

const MAX_PATTERN_BYTES: usize = 1_000;
/// The allowed sizes of a compiled pattern, and the steps that a byte of text costs at each size: the work grows with
/// the number of states.
const SIZES: [(usize, usize); 2] = [(4 * 1024, 1), (32 * 1024, 16)];
/// The steps charged for compiling a pattern, well above the real cost.
const COMPILING_STEPS: usize = 5_000;

#[derive(Debug)]
pub struct SchemaPattern {
    regex: Regex,
    steps_a_byte: usize,
}

impl SchemaPattern {
    pub fn parse(pattern: &str) -> Result<Self, Translated> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(Translated::new(
                "this pattern is longer than 1000 bytes; shorten it",
                "este patrón tiene más de 1000 bytes; acórtelo",
            ));
        }
        // A pattern that is too large for the first size may fit the second.
        let sizes = SIZES.iter().find_map(|(limit, steps_a_byte)| {
            let regex = RegexBuilder::new(pattern).size_limit(*limit).build().ok()?;
            Some(Self { regex, steps_a_byte: *steps_a_byte })
        });
        sizes.ok_or_else(|| {
            if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)) {
                Translated::new(
                    "patterns cannot look ahead or behind here; remove `(?=`, `(?!`, `(?<=` and `(?<!`",
                    "aquí los patrones no pueden mirar hacia delante ni hacia atrás; quite `(?=`, `(?!`, `(?<=` y `(?<!`",
                )
            } else if pattern.contains("\\p{") || pattern.contains("\\P{") {
                Translated::new(
                    "patterns have no Unicode classes here; write the characters instead of `\\p{…}`",
                    "aquí los patrones no tienen clases de Unicode; escriba los caracteres en lugar de `\\p{…}`",
                )
            } else {
                Translated::new(
                    "this pattern cannot be read, or is too large; simplify it",
                    "este patrón no se puede leer, o es demasiado grande; simplifíquelo",
                )
            }
        })
    }

    /// Compiles a pattern during a validation, and charges the budget for it.
    pub fn parse_within(pattern: &str, budget: &mut ValidationBudget) -> Option<Self> {
        budget.charge(COMPILING_STEPS);
        if budget.exceeded().is_some() { None } else { Self::parse(pattern).ok() }
    }

    pub fn is_in(&self, text: &str, budget: &mut ValidationBudget) -> bool {
        budget.charge((text.len() + 1).saturating_mul(self.steps_a_byte));
        budget.exceeded().is_none() && self.regex.is_match(text)
    }
}
