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

    /// As a template. What cannot be filled in stands there as it was.
    pub fn jinja(&self, notes: &mut Notes) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(said) => text.push_str(&written::plain(said)),
                Piece::Filled(filled) => match filled.take(&filled.jinja, notes) {
                    Some(expression) => text.push_str(&format!("{{{{ {expression} }}}}")),
                    None => text.push_str(&written::plain(&filled.original)),
                },
            }
        }
        text
    }

    /// As an expression. What cannot be filled in stands there as a text.
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
                None => written::quoted(&filled.original),
            },
        }
    }
}

impl Filled {
    pub fn cel(&self, notes: &mut Notes) -> String {
        let taken = self.take(&self.cel, notes).map(str::to_owned);
        taken.unwrap_or_else(|| written::quoted(&self.original))
    }

    fn take<'f>(&self, written: &'f Result<String, String>, notes: &mut Notes) -> Option<&'f str> {
        match written {
            Ok(expression) => {
                self.notes.iter().for_each(|one| note(notes, one.clone()));
                Some(expression)
            }
            Err(why) => {
                let original = shown_text(&clipped(self.original.trim(), 400));
                note(notes, format!("`{}` is not translated: {why}", clipped(&original, 80)));
                None
            }
        }
    }
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
