//! HTML escaping. Only templates produce markup: `escape` returns safe markup, which is not escaped again.

use std::borrow::Cow;

use super::Cause;
use super::budget::EvaluationBudget;
use super::value::Text;

/// Returns the text as markup; safe markup stays as it is.
pub fn as_markup<'t>(text: &'t Text, budget: &mut EvaluationBudget) -> Result<Cow<'t, str>, Cause> {
    if text.is_safe() { Ok(Cow::Borrowed(text)) } else { escape(text, budget).map(Cow::Owned) }
}

/// Escapes a text with the character references that Jinja uses.
pub fn escape(text: &str, budget: &mut EvaluationBudget) -> Result<String, Cause> {
    budget.bytes(text.len())?;
    let mut markup = String::with_capacity(text.len());
    for c in text.chars() {
        let reference = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&#34;",
            '\'' => "&#39;",
            c => {
                markup.push(c);
                continue;
            }
        };
        budget.bytes(reference.len())?;
        markup.push_str(reference);
    }
    Ok(markup)
}
