//! What a validation finds: violations, as many as people read, and expressions.

use super::language::Language;
use super::path::Path;
use domain::text::clip_to;

/// Nobody reads more of one value.
const MOST_VIOLATIONS: usize = 100;
const MOST_FIELD_CHARS: usize = 300;
const MOST_MESSAGE_CHARS: usize = 600;

#[derive(Debug)]
pub struct Findings {
    /// Field and message.
    pub violations: Vec<(String, String)>,
    /// Field, language and text.
    pub expressions: Vec<(String, Language, String)>,
    most: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self { violations: Vec::new(), expressions: Vec::new(), most: MOST_VIOLATIONS }
    }
}

impl Findings {
    /// Only whether there are any violations.
    pub(super) fn first_only() -> Self {
        Self { most: 1, ..Self::default() }
    }

    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether to look for no more violations.
    pub(super) fn is_full(&self) -> bool {
        self.violations.len() >= self.most
    }

    pub(super) fn refuse(&mut self, at: &Path, problem: impl AsRef<str>) {
        if !self.is_full() {
            let field = clip_to(&at.shown(), MOST_FIELD_CHARS).into_owned();
            self.violations.push((field, clip_to(problem.as_ref(), MOST_MESSAGE_CHARS).into_owned()));
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        let room = self.most.saturating_sub(self.violations.len());
        self.violations.extend(other.violations.into_iter().take(room));
        self.expressions.extend(other.expressions);
    }
}
