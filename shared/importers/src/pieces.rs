//! An original template, split into literal text and placeholders.

use super::lenient::clipped;
use super::secrets::shown_text;
use super::syntax;

/// A placeholder, translated to our languages, or the reason why it cannot be.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// The original expression, for a person who must translate it by hand.
    pub original: String,
    pub cel: Result<String, String>,
    pub jinja: Result<String, String>,
    /// The value itself in CEL, when the original serialized it to JSON.
    pub count_json: Option<String>,
    /// Where the translation behaves differently.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

/// What the report says about parts that were not translated completely.
pub type Notes = Vec<String>;

/// Why the rest of a very long template is not translated.
pub const TOO_MANY: &str = "the template has too many placeholders";
/// A longer chain of `+` would exceed the nesting limit of expressions.
const MAX_CHAIN: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    pub fn text(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }

    /// The placeholder, when the template consists of exactly one.
    pub fn sole(&self) -> Option<&Placeholder> {
        match &self.0[..] {
            [Piece::Placeholder(filled)] => Some(filled),
            _ => None,
        }
    }

    /// The template in Jinja.
    pub fn jinja(&self, notes: &mut Notes) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => text.push_str(&syntax::plain(literal)),
                Piece::Placeholder(filled) => match filled.take(&filled.jinja, notes) {
                    Some(expression) => text.push_str(&format!("{{{{ {expression} }}}}")),
                    None => text.push_str(&format!("{{{{ {} }}}}", untranslated(&filled.original))),
                },
            }
        }
        text
    }

    /// The value in CEL.
    pub fn cel(&self, notes: &mut Notes) -> String {
        if let Some(filled) = self.sole() {
            return filled.cel(notes);
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
            Self::Text(literal) => syntax::quoted(literal),
            Self::Placeholder(filled) => match filled.take(&filled.cel, notes) {
                Some(expression) => format!("string({expression})"),
                None => untranslated(&filled.original),
            },
        }
    }
}

impl Placeholder {
    /// A placeholder that cannot be translated, with the reason.
    pub fn untranslatable(original: String, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { original, cel: Err(why.clone()), jinja: Err(why), count_json: None, notes: Notes::new() }
    }

    pub fn cel(&self, notes: &mut Notes) -> String {
        let taken = self.take(&self.cel, notes).map(str::to_owned);
        taken.unwrap_or_else(|| untranslated(&self.original))
    }

    /// The CEL value inside a JSON document. What the original serialized to JSON becomes the value itself.
    pub fn json(&self, notes: &mut Notes) -> String {
        let whole = self.cel(notes);
        self.count_json.clone().unwrap_or(whole)
    }

    fn take<'f>(&self, written: &'f Result<String, String>, notes: &mut Notes) -> Option<&'f str> {
        match written {
            Ok(expression) => {
                self.notes.iter().for_each(|one| note(notes, one.clone()));
                Some(expression)
            }
            Err(why) => {
                note(notes, format!("`{}` is not translated: {why}", shown(&self.original, 80)));
                None
            }
        }
    }
}

/// The marker for an expression that is not translated, valid in both languages. No variable has this name, so validation
/// fails there and shows the original.
pub fn untranslated(original: &str) -> String {
    format!("untranslated[{}]", syntax::quoted(&shown(original, 200)))
}

/// The beginning of the original, without secrets.
fn shown(original: &str, chars: usize) -> String {
    clipped(&shown_text(&clipped(original.trim(), 400)), chars)
}

/// Adds a note. Repeated notes and notes beyond the limit are dropped.
pub fn note(notes: &mut Notes, text: impl Into<String>) {
    const MAX_NOTES: usize = 12;
    const MAX_CHARS: usize = 400;
    let text = clipped(&text.into(), MAX_CHARS);
    if notes.len() < MAX_NOTES && !notes.contains(&text) {
        notes.push(text);
    }
}
