//! A text of somebody else's, taken apart: what it says, and what it fills in.

use super::loose::clipped;
use super::secrets::shown_text;
use super::written;

/// What is filled in, in our languages; or why it cannot be.
#[derive(Clone, Debug)]
pub struct Filled {
    /// As it was, for those who must translate it by hand.
    pub original: String,
    pub cel: Result<String, String>,
    pub jinja: Result<String, String>,
    /// The value itself, in CEL, where it is filled in as JSON.
    pub of_json: Option<String>,
    /// What is not quite as it was.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Filled(Filled),
}

/// What is written for people of what could not be carried over in full.
pub type Notes = Vec<String>;

/// Why the end of a very long text is not filled in.
pub const TOO_MANY: &str = "there are too many places to fill before it";
/// Longer chains of `+` would nest too deep.
const MAX_CHAIN: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    pub fn text(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }

    /// The one thing that is filled in, when there is nothing else.
    pub fn sole(&self) -> Option<&Filled> {
        match &self.0[..] {
            [Piece::Filled(filled)] => Some(filled),
            _ => None,
        }
    }

    /// As a template.
    pub fn jinja(&self, notes: &mut Notes) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(said) => text.push_str(&written::plain(said)),
                Piece::Filled(filled) => match filled.take(&filled.jinja, notes) {
                    Some(expression) => text.push_str(&format!("{{{{ {expression} }}}}")),
                    None => text.push_str(&format!("{{{{ {} }}}}", untranslated(&filled.original))),
                },
            }
        }
        text
    }

    /// As an expression.
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
    /// As an expression that is a text.
    pub fn cel_text(&self, notes: &mut Notes) -> String {
        match self {
            Self::Text(said) => written::quoted(said),
            Self::Filled(filled) => match filled.take(&filled.cel, notes) {
                Some(expression) => format!("string({expression})"),
                None => untranslated(&filled.original),
            },
        }
    }
}

impl Filled {
    /// What cannot be filled in, and why.
    pub fn untold(original: String, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { original, cel: Err(why.clone()), jinja: Err(why), of_json: None, notes: Notes::new() }
    }

    pub fn cel(&self, notes: &mut Notes) -> String {
        let taken = self.take(&self.cel, notes).map(str::to_owned);
        taken.unwrap_or_else(|| untranslated(&self.original))
    }

    /// As a value where JSON is written: what is made JSON there is that value.
    pub fn json(&self, notes: &mut Notes) -> String {
        let whole = self.cel(notes);
        self.of_json.clone().unwrap_or(whole)
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

/// Stands where something is not translated, in both languages. There is no variable of this name: a draft that names
/// it is not valid, which tells the place and what stood there.
pub fn untranslated(original: &str) -> String {
    format!("untranslated[{}]", written::quoted(&shown(original, 200)))
}

/// So much of the original as can be told, without its secrets.
fn shown(original: &str, chars: usize) -> String {
    clipped(&shown_text(&clipped(original.trim(), 400)), chars)
}

/// Each thing is said once, and not without end.
pub fn note(notes: &mut Notes, text: impl Into<String>) {
    const MAX_NOTES: usize = 12;
    const MAX_CHARS: usize = 400;
    let text = clipped(&text.into(), MAX_CHARS);
    if notes.len() < MAX_NOTES && !notes.contains(&text) {
        notes.push(text);
    }
}
