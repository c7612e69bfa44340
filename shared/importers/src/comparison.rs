//! Writes comparisons in CEL. Other platforms name them by an operator from a list.

use super::syntax::quote;
use engine::expression::Expression;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Contains,
    StartsWith,
    EndsWith,
    Greater,
    AtLeast,
    Less,
    AtMost,
    After,
    Before,
    Exists,
    /// Missing, null, or without content.
    Empty,
    Null,
    /// Contained in a list.
    In,
}

/// One operand of a comparison.
pub struct Operand {
    pub cel: String,
    /// The string itself, when the operand is a literal.
    pub literal: Option<String>,
}

impl Operand {
    pub fn value(cel: impl Into<String>) -> Self {
        Self { cel: cel.into(), literal: None }
    }

    pub fn literal(text: &str) -> Self {
        Self { cel: quote(text), literal: Some(text.to_owned()) }
    }

    /// The operand in lower case.
    fn lowercase(&self) -> String {
        match &self.literal {
            Some(text) => quote(&text.to_lowercase()),
            None => format!("{}.lower()", parenthesize(&self.cel)),
        }
    }

    fn has_letters(&self) -> bool {
        self.literal.as_ref().is_none_or(|text| text.chars().any(|c| c.is_lowercase() || c.is_uppercase()))
    }
}

/// The expression in parentheses, unless it binds tightly without them.
pub fn parenthesize(cel: &str) -> String {
    let is_tight = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let is_text = cel.starts_with('\'') && cel.ends_with('\'') && !cel[1..].trim_end_matches('\'').contains('\'');
    if is_tight(cel) || is_text { cel.to_owned() } else { format!("({cel})") }
}

/// The CEL expression that compares `left` with `right`.
pub fn write_comparison(
    what: Comparison,
    is_negated: bool,
    ignores_case: bool,
    left: &Operand,
    right: &Operand,
) -> String {
    use Comparison::*;
    let is_lowercase = ignores_case
        && matches!(what, Equal | Contains | StartsWith | EndsWith | In)
        && left.has_letters()
        && right.has_letters();
    let (one, other) = match is_lowercase {
        true => (left.lowercase(), right.lowercase()),
        false => (parenthesize(&left.cel), parenthesize(&right.cel)),
    };
    let sign = |sign: &str| format!("{one} {sign} {other}");
    let call = |name: &str| format!("{one}.{name}({})", strip_parentheses(&other));
    let time = |sign: &str| format!("timestamp({}) {sign} timestamp({})", left.cel, right.cel);
    let text = match what {
        Equal if is_negated => return sign("!="),
        Equal => sign("=="),
        Contains => call("contains"),
        StartsWith => call("startsWith"),
        EndsWith => call("endsWith"),
        Greater => sign(">"),
        AtLeast => sign(">="),
        Less => sign("<"),
        AtMost => sign("<="),
        After => time(">"),
        Before => time("<"),
        Exists => existence_test(left).unwrap_or_else(|| format!("{one} != null")),
        Empty => or_missing(left, format!("{one} in [null, '', [], {{}}]")),
        Null => or_missing(left, format!("{one} == null")),
        In => sign("in"),
    };
    if is_negated { format!("!({text})") } else { text }
}

/// Removes the outer parentheses, which an argument does not need.
fn strip_parentheses(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).filter(|text| balanced(text)).unwrap_or(text)
}

fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    })
}

/// `has(…)` of the operand. None when it is no path.
fn existence_test(side: &Operand) -> Option<String> {
    let test = format!("has({})", side.cel);
    Expression::parse(&test).is_ok().then_some(test)
}

fn or_missing(side: &Operand, otherwise: String) -> String {
    match existence_test(side) {
        Some(test) => format!("!{test} || {otherwise}"),
        None => otherwise,
    }
}

/// Joins conditions by `&&` or `||`.
pub fn join_conditions(parts: &[String], is_any: bool) -> String {
    match parts {
        [] => "true".to_owned(),
        [one] => one.clone(),
        parts => {
            let parts: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
            parts.join(if is_any { " || " } else { " && " })
        }
    }
}
