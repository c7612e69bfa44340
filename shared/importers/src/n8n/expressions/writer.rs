//! Writes an expression in CEL or Jinja.

use super::super::super::pieces::{Notes, note};
use super::super::super::syntax::{member, quoted};
use super::tree::{Js, Link};
use super::{Language, MAX_BYTES, Names};

pub type Written = Result<Out, String>;

/// A written part.
#[derive(Clone, Debug)]
pub struct Out {
    pub text: String,
    pub kind: Kind,
    /// It needs no parentheses next to an operator.
    pub is_tight: bool,
    /// It is a path whose existence can be tested.
    pub is_path: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Unknown,
    Text,
    Bool,
    Number,
    List,
    Time,
}

impl Out {
    pub fn tight(text: impl Into<String>, kind: Kind) -> Self {
        Self { text: text.into(), kind, is_tight: true, is_path: false }
    }

    pub fn loose(text: impl Into<String>, kind: Kind) -> Self {
        Self { is_tight: false, ..Self::tight(text, kind) }
    }

    pub fn path(text: impl Into<String>, has_members: bool) -> Self {
        Self { is_path: has_members, ..Self::tight(text, Kind::Unknown) }
    }

    /// The text, in parentheses where needed.
    pub fn parenthesized(&self) -> String {
        if self.is_tight { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// A parameter of an arrow function.
pub struct Bound {
    pub name: String,
    /// It is an item, whose `json` is the value itself.
    pub is_item: bool,
}

pub struct Writer<'n> {
    pub language: Language,
    pub names: &'n dyn Names,
    pub notes: Notes,
    pub bound: Vec<Bound>,
}

impl<'n> Writer<'n> {
    pub fn new(language: Language, names: &'n dyn Names) -> Self {
        Self { language, names, notes: Notes::new(), bound: Vec::new() }
    }

    pub fn is_cel(&self) -> bool {
        self.language == Language::Cel
    }

    pub fn note(&mut self, text: &str) {
        note(&mut self.notes, text);
    }

    pub fn value(&mut self, js: &Js) -> Written {
        let out = self.written(js)?;
        within_bounds(out)
    }

    fn written(&mut self, js: &Js) -> Written {
        Ok(match js {
            Js::Null | Js::Undefined => Out::tight(if self.is_cel() { "null" } else { "none" }, Kind::Unknown),
            Js::Bool(value) => Out::tight(value.to_string(), Kind::Bool),
            Js::Number(number) => Out::tight(number.clone(), Kind::Number),
            Js::Text(text) => Out::tight(quoted(text), Kind::Text),
            Js::Joined(parts) => return self.joined(parts),
            Js::Name(_) | Js::New(..) => return self.rooted(js, &[]),
            Js::Chain(root, links) => return self.rooted(root, links),
            Js::Not(of) => {
                let of = self.test(of)?;
                Out::loose(format!("{}{}", if self.is_cel() { "!" } else { "not " }, of.parenthesized()), Kind::Bool)
            }
            Js::Negative(of) => Out::loose(format!("-{}", self.value(of)?.parenthesized()), Kind::Number),
            Js::Binary(sign, left, right) => return self.binary(sign, left, right),
            Js::Conditional(test, then, otherwise) => {
                let (test, then, otherwise) = (self.test(test)?, self.value(then)?, self.value(otherwise)?);
                let kind = if then.kind == otherwise.kind { then.kind } else { Kind::Unknown };
                self.choice(&test, &then, &otherwise, kind)
            }
            Js::List(items) => {
                let items = items.iter().map(|item| self.value(item).map(|out| out.text));
                Out::tight(format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")), Kind::List)
            }
            Js::Map(entries) => {
                let entries = entries.iter().map(|(name, value)| {
                    let value = self.value(value)?.text;
                    Ok(format!("{}: {value}", quoted(name)))
                });
                let entries = entries.collect::<Result<Vec<_>, String>>()?.join(", ");
                // `}}` would end the Jinja tag.
                let space = if self.is_cel() { "" } else { " " };
                Out::tight(format!("{{{entries}{space}}}"), Kind::Unknown)
            }
            Js::Arrow(..) => return Err("a function is not supported here".to_owned()),
        })
    }

    pub fn choice(&self, test: &Out, then: &Out, otherwise: &Out, kind: Kind) -> Out {
        let (test, then, otherwise) = (test.parenthesized(), then.parenthesized(), otherwise.parenthesized());
        match self.language {
            Language::Cel => Out::loose(format!("{test} ? {then} : {otherwise}"), kind),
            Language::Jinja => Out::loose(format!("{then} if {test} else {otherwise}"), kind),
        }
    }

    /// The value as a string that can be concatenated.
    fn text(&self, out: &Out) -> String {
        match (out.kind, self.language) {
            (Kind::Text, _) => out.parenthesized(),
            (_, Language::Cel) => format!("string({})", out.text),
            (_, Language::Jinja) => format!("({} | string)", out.parenthesized()),
        }
    }

    fn joined(&mut self, parts: &[Js]) -> Written {
        let parts =
            parts.iter().map(|part| self.value(part).map(|out| self.text(&out))).collect::<Result<Vec<_>, _>>()?;
        Ok(match (&parts[..], self.language) {
            ([], _) => Out::tight("''", Kind::Text),
            ([one], _) => Out::tight(one.clone(), Kind::Text),
            (parts, Language::Cel) => Out::tight(format!("[{}].join('')", parts.join(", ")), Kind::Text),
            (parts, Language::Jinja) => Out::loose(parts.join(" ~ "), Kind::Text),
        })
    }

    /// The value as a condition. In JavaScript zero, null and the empty string are false.
    pub fn test(&mut self, js: &Js) -> Written {
        if let Js::Binary(sign @ ("&&" | "||"), left, right) = js {
            let (left, right) = (self.test(left)?, self.test(right)?);
            return Ok(self.logical(sign, &left, &right));
        }
        let out = self.value(js)?;
        Ok(self.truth(out))
    }

    pub fn truth(&self, out: Out) -> Out {
        if out.kind == Kind::Bool || !self.is_cel() {
            return out;
        }
        let is_something = format!("!({} in [null, false, 0, ''])", out.parenthesized());
        let text = if out.is_path { format!("has({}) && {is_something}", out.text) } else { is_something };
        Out::loose(text, Kind::Bool)
    }

    pub fn logical(&self, sign: &str, left: &Out, right: &Out) -> Out {
        let sign = match (sign, self.language) {
            (sign, Language::Cel) => sign,
            ("&&", Language::Jinja) => "and",
            (_, Language::Jinja) => "or",
        };
        Out::loose(format!("{} {sign} {}", left.parenthesized(), right.parenthesized()), Kind::Bool)
    }

    fn binary(&mut self, sign: &'static str, left: &Js, right: &Js) -> Written {
        let is_nothing = |js: &Js| matches!(js, Js::Null | Js::Undefined);
        match sign {
            "==" | "===" | "!=" | "!==" if is_nothing(right) => {
                let of = self.value(left)?;
                return Ok(self.nothing(sign, &of, right == &Js::Undefined));
            }
            "&&" | "||" | "??" => return self.either(sign, left, right),
            "+" => return self.sum(left, right),
            _ => {}
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        let (sign, kind) = match sign {
            "===" => ("==", Kind::Bool),
            "!==" => ("!=", Kind::Bool),
            "-" if left.kind == Kind::Time => (sign, Kind::Unknown),
            "-" | "*" | "/" | "%" => (sign, Kind::Number),
            sign => (sign, Kind::Bool),
        };
        // Division in JavaScript never truncates.
        if sign == "/" && self.is_cel() {
            return Ok(Out::loose(format!("double({}) / {}", left.text, right.parenthesized()), kind));
        }
        Ok(Out::loose(format!("{} {sign} {}", left.parenthesized(), right.parenthesized()), kind))
    }

    fn sum(&mut self, left: &Js, right: &Js) -> Written {
        let (one, other) = (self.value(left)?, self.value(right)?);
        if one.kind == Kind::Text || other.kind == Kind::Text {
            let (one, other) = (self.text(&one), self.text(&other));
            let sign = if self.is_cel() { "+" } else { "~" };
            return Ok(Out::loose(format!("{one} {sign} {other}"), Kind::Text));
        }
        let kind = if one.kind == other.kind { one.kind } else { Kind::Unknown };
        Ok(Out::loose(format!("{} + {}", one.parenthesized(), other.parenthesized()), kind))
    }

    /// Tests for existence: `x == null`, `x !== undefined`.
    fn nothing(&self, sign: &str, of: &Out, is_undefined: bool) -> Out {
        let is_negated = sign.starts_with('!');
        let (there, null) = match self.language {
            Language::Cel => (format!("has({})", of.text), format!("{} != null", of.parenthesized())),
            Language::Jinja => {
                (format!("{} is defined", of.parenthesized()), format!("{} is not none", of.parenthesized()))
            }
        };
        let and = if self.is_cel() { "&&" } else { "and" };
        let is_something = match (of.is_path, is_undefined && sign.len() == 3) {
            (true, true) => there,
            (true, false) => format!("{there} {and} {null}"),
            (false, _) => null,
        };
        match is_negated {
            true => Out::loose(is_something, Kind::Bool),
            false => Out::loose(format!("{}({is_something})", if self.is_cel() { "!" } else { "not " }), Kind::Bool),
        }
    }

    /// One of two values, as JavaScript's `||` and `??` select it.
    fn either(&mut self, sign: &'static str, left: &Js, right: &Js) -> Written {
        let (one, other) = (self.value(left)?, self.value(right)?);
        if one.kind == Kind::Bool && other.kind == Kind::Bool && sign != "??" {
            return Ok(self.logical(sign, &one, &other));
        }
        let kind = if one.kind == other.kind { one.kind } else { Kind::Unknown };
        if sign == "??" {
            let there = self.nothing("!=", &one, false);
            return Ok(self.choice(&there, &one, &other, kind));
        }
        if !self.is_cel() {
            return Ok(Out { kind, ..self.logical(sign, &one, &other) });
        }
        let test = self.truth(one.clone());
        Ok(if sign == "||" { self.choice(&test, &one, &other, kind) } else { self.choice(&test, &other, &one, kind) })
    }

    /// Applies members, indexes and calls to a value.
    pub fn linked(&mut self, mut of: Out, links: &[Link]) -> Written {
        let mut links = links.iter().peekable();
        let (mut is_optional, mut asked) = (false, None);
        while let Some(link) = links.next() {
            of = match link {
                Link::Member { name, is_optional: may_lack } => match links.peek() {
                    Some(Link::Call(arguments)) => {
                        if *may_lack && of.is_path {
                            asked = Some(of.clone());
                        }
                        links.next();
                        self.method(of, name, arguments)?
                    }
                    _ if name == "length" => self.size(&of),
                    _ => {
                        is_optional |= may_lack;
                        Out::path(member(&of.parenthesized(), name), of.is_path || is_plain(&of))
                    }
                },
                Link::At(index) => {
                    let index = self.value(index)?.text;
                    Out::path(format!("{}[{index}]", of.parenthesized()), of.is_path || is_plain(&of))
                }
                Link::Call(_) => return Err("calling a value as a function is not supported".to_owned()),
            };
            of = within_bounds(of)?;
        }
        if is_optional && of.is_path {
            asked = Some(of.clone());
        }
        Ok(match asked {
            None => of,
            Some(asked) => self.if_there(&asked, of),
        })
    }

    /// A value that exists only when another one does.
    fn if_there(&self, asked: &Out, of: Out) -> Out {
        match self.language {
            Language::Cel => Out::loose(format!("has({}) ? {} : null", asked.text, of.text), Kind::Unknown),
            Language::Jinja if asked.text == of.text => of,
            Language::Jinja => {
                let text = format!("{} if {} is defined", of.text, asked.parenthesized());
                Out { is_path: true, ..Out::loose(text, Kind::Unknown) }
            }
        }
    }

    pub fn size(&self, of: &Out) -> Out {
        match self.language {
            Language::Cel => Out::tight(format!("size({})", of.text), Kind::Number),
            Language::Jinja => Out::tight(format!("({} | length)", of.parenthesized()), Kind::Number),
        }
    }
}

/// Refuses a text that grew too long: it may double at every level and link.
fn within_bounds(out: Out) -> Written {
    if out.text.len() > 2 * MAX_BYTES { Err("the translation is too long".to_owned()) } else { Ok(out) }
}

/// A bare name, such as `input`.
fn is_plain(of: &Out) -> bool {
    of.is_tight && of.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
