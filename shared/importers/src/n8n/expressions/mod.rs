//! n8n's expressions are JavaScript inside `{{ }}`, in strings that start with `=`. They are translated to CEL, or to Jinja
//! inside templates. What has no equivalent keeps its original text, with the reason.

mod dates;
mod lexer;
mod methods;
mod named_value;
mod parser;
mod roots;
mod tree;
mod writer;

use super::super::pieces::{Piece, Pieces, Placeholder, TOO_MANY};
use engine::expression::{Expression, JinjaTemplate};

pub use named_value::{NamedValue, SENDER, Shape};
use tree::{Js, Link};
use writer::Writer;

/// The longest expression that is translated, which is also our own limit.
const MAX_BYTES: usize = 4 * 1024;
/// The most pieces of one template.
const MAX_PIECES: usize = 400;

/// Resolves the names in an expression.
pub trait Names {
    /// The input of the node.
    fn input(&self) -> Result<NamedValue, String>;
    /// The output of a node, by name.
    fn node(&self, name: &str) -> Result<NamedValue, String>;
    /// Counts an expression. False when the limit is reached and it must not be translated.
    fn charge(&self) -> bool;
    /// Whether the expression is evaluated once for each element of a loop.
    fn is_in_loop(&self) -> bool;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Cel,
    Jinja,
}

/// Splits a parameter. A string that starts with `=` is a template; any other is literal text.
pub fn pieces(text: &str, names: &dyn Names) -> Pieces {
    let Some(mut rest) = text.strip_prefix('=') else { return Pieces::text(text) };
    let mut pieces = Vec::new();
    while let Some(start) = rest.find("{{") {
        let Some(length) = find_closing_braces(&rest[start + 2..]) else { break };
        if pieces.len() >= MAX_PIECES {
            pieces.push(Piece::Placeholder(Placeholder::untranslatable(rest.to_owned(), TOO_MANY)));
            rest = "";
            break;
        }
        if start > 0 {
            pieces.push(Piece::Text(rest[..start].to_owned()));
        }
        pieces.push(Piece::Placeholder(translate_placeholder(&rest[start + 2..start + 2 + length], names)));
        rest = &rest[start + 2 + length + 2..];
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    // White space around a single expression is not part of the value.
    let is_value = |piece: &Piece| matches!(piece, Piece::Placeholder(_));
    let is_blank = |piece: &Piece| matches!(piece, Piece::Text(text) if text.trim().is_empty());
    if pieces.iter().filter(|piece| is_value(piece)).count() == 1
        && pieces.iter().all(|piece| is_value(piece) || is_blank(piece))
    {
        pieces.retain(is_value);
    }
    Pieces(pieces)
}

/// The position of the closing braces, outside quotes and nested braces.
fn find_closing_braces(text: &str) -> Option<usize> {
    let (mut quote, mut depth, mut is_escaped) = (None, 0usize, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 && text[at..].starts_with("}}") => return Some(at),
            (None, '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    // An apostrophe, not a quote: take the next closing braces.
    text.find("}}")
}

fn translate_placeholder(source: &str, names: &dyn Names) -> Placeholder {
    let original = format!("{{{{{source}}}}}");
    let charged = if names.charge() { Ok(()) } else { Err("the workflow has too many expressions".to_owned()) };
    let parsed = match charged.and_then(|()| parser::parse(source)) {
        Ok(parsed) => parsed,
        Err(why) => return Placeholder::untranslatable(original, why),
    };
    let mut notes = Vec::new();
    let mut write = |js: &Js, language| {
        let mut writer = Writer::new(language, names);
        let mut text = writer.value(js).map(|out| out.text)?;
        // With `?.`, a missing value prints nothing.
        if language == Language::Jinja && may_lack(js) {
            text = format!("({text}) | default('')");
        }
        let problem = match language {
            Language::Cel => Expression::parse(&text).err(),
            Language::Jinja => JinjaTemplate::parse(&format!("{{{{ {text} }}}}")).err(),
        };
        for note in writer.notes {
            super::super::notes::note(&mut notes, note);
        }
        problem.map_or(Ok(text), |problem| Err(problem.message.en))
    };
    let (cel, jinja) = (write(&parsed, Language::Cel), write(&parsed, Language::Jinja));
    let json_value = stringified_value(&parsed).and_then(|of| write(of, Language::Cel).ok());
    Placeholder { original, cel, jinja, json_value, notes }
}

/// `$json?.a`
fn may_lack(js: &Js) -> bool {
    let is_optional = |link: &Link| matches!(link, Link::Member { is_optional: true, .. });
    matches!(js, Js::Chain(_, links) if links.iter().any(is_optional))
}

/// `x` of `JSON.stringify(x)`.
fn stringified_value(js: &Js) -> Option<&Js> {
    let Js::Chain(root, links) = js else { return None };
    match (&**root, &links[..]) {
        (Js::Name(json), [Link::Member { name, .. }, Link::Call(given)]) if json == "JSON" && name == "stringify" => {
            given.first()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
