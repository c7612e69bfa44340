//! An original template, split into literal text and placeholders.

use super::lenient::truncate;
use super::notes::{Notes, note};
use super::secrets::redact_text;
use super::syntax;

/// A placeholder, translated to our languages, or the reason why it cannot be.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// The original expression, for a person who must translate it by hand.
    pub original: String,
    pub cel: Result<String, String>,
    pub jinja: Result<String, String>,
    /// The value itself in CEL, when the original serialized it to JSON.
    pub json_value: Option<String>,
    /// Where the translation behaves differently.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

/// Why the rest of a very long template is not translated.
pub const TOO_MANY: &str = "the template has too many placeholders";
/// A longer chain of `+` would exceed the nesting limit of expressions.
const MAX_CHAIN: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    /// The placeholder, when the template consists of exactly one.
    pub fn single_placeholder(&self) -> Option<&Placeholder> {
        match &self.0[..] {
            [Piece::Placeholder(placeholder)] => Some(placeholder),
            _ => None,
        }
    }

    /// The template in Jinja.
    pub fn jinja(&self, notes: &mut Notes) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => text.push_str(&syntax::escape_jinja(literal)),
                Piece::Placeholder(placeholder) => match placeholder.use_translation(&placeholder.jinja, notes) {
                    Some(expression) => text.push_str(&format!("{{{{ {expression} }}}}")),
                    None => text.push_str(&format!("{{{{ {} }}}}", untranslated_marker(&placeholder.original))),
                },
            }
        }
        text
    }

    /// The value in CEL.
    pub fn cel(&self, notes: &mut Notes) -> String {
        if let Some(placeholder) = self.single_placeholder() {
            return placeholder.cel(notes);
        }
        let parts: Vec<String> = self.0.iter().map(|piece| piece.cel_text(notes)).collect();
        match parts.len() {
            0 => "''".to_owned(),
            1..=MAX_CHAIN => parts.join(" + "),
            _ => format!("[{}].join('')", parts.join(", ")),
        }
    }
}

impl Piece {
    /// The piece as a CEL expression of type string.
    pub fn cel_text(&self, notes: &mut Notes) -> String {
        match self {
            Self::Text(literal) => syntax::quote(literal),
            Self::Placeholder(placeholder) => match placeholder.use_translation(&placeholder.cel, notes) {
                Some(expression) => format!("string({expression})"),
                None => untranslated_marker(&placeholder.original),
            },
        }
    }
}

impl Placeholder {
    /// A placeholder that cannot be translated, with the reason.
    pub fn untranslatable(original: String, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { original, cel: Err(reason.clone()), jinja: Err(reason), json_value: None, notes: Notes::new() }
    }

    pub fn cel(&self, notes: &mut Notes) -> String {
        let expression = self.use_translation(&self.cel, notes).map(str::to_owned);
        expression.unwrap_or_else(|| untranslated_marker(&self.original))
    }

    /// The CEL value inside a JSON document. What the original serialized to JSON becomes the value itself.
    pub fn json(&self, notes: &mut Notes) -> String {
        let cel = self.cel(notes);
        self.json_value.clone().unwrap_or(cel)
    }

    fn use_translation<'f>(&self, translation: &'f Result<String, String>, notes: &mut Notes) -> Option<&'f str> {
        match translation {
            Ok(expression) => {
                self.notes.iter().for_each(|one| note(notes, one.clone()));
                Some(expression)
            }
            Err(reason) => {
                note(notes, format!("`{}` is not translated: {reason}", preview(&self.original, 80)));
                None
            }
        }
    }
}

/// The marker for an expression that is not translated, valid in both languages. No variable has this name, so validation
/// fails there and shows the original.
pub fn untranslated_marker(original: &str) -> String {
    format!("untranslated[{}]", syntax::quote(&preview(original, 200)))
}

/// The beginning of the original, without secrets.
fn preview(original: &str, chars: usize) -> String {
    truncate(&redact_text(&truncate(original.trim(), 400)), chars)
}
