//! The findings of a validation: violations, up to a limit, and expressions.

use super::language::ExpressionLanguage;
use super::path::Path;
use domain::language::Translated;
use domain::text::shorten_to;

/// The maximum number of reported violations per value.
const MAX_VIOLATIONS: usize = 100;
const MAX_FIELD_CHARS: usize = 300;
const MAX_MESSAGE_CHARS: usize = 600;

/// A field, and what is wrong with it.
pub type FieldProblem = (String, Translated<String>);

#[derive(Debug)]
pub struct Findings {
    pub violations: Vec<FieldProblem>,
    /// Each expression as a field, a language and a text.
    pub expressions: Vec<(String, ExpressionLanguage, String)>,
    most: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self { violations: Vec::new(), expressions: Vec::new(), most: MAX_VIOLATIONS }
    }
}

impl Findings {
    /// Stops after the first violation, for a check that needs only a yes or no.
    pub(super) fn first_only() -> Self {
        Self { most: 1, ..Self::default() }
    }

    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether the limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.violations.len() >= self.most
    }

    pub(super) fn refuse(&mut self, at: &Path, problem: Translated<String>) {
        if !self.is_full() {
            let field = shorten_to(&at.display(), MAX_FIELD_CHARS).into_owned();
            self.violations.push((field, problem.map(|text| shorten_to(&text, MAX_MESSAGE_CHARS).into_owned())));
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        let room = self.most.saturating_sub(self.violations.len());
        self.violations.extend(other.violations.into_iter().take(room));
        self.expressions.extend(other.expressions);
    }
}
