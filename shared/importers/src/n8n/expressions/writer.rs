//! Writes an expression in CEL or Jinja.

use super::super::super::notes::{Notes, note};
use super::super::super::syntax::{member, quote};
use super::tree::{Js, Link};
use super::{Language, MAX_BYTES, Names};

pub type WriteResult = Result<Fragment, String>;

/// A written part.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub text: String,
    pub kind: ValueKind,
    /// It needs no parentheses next to an operator.
    pub is_tight: bool,
    /// It is a path whose existence can be tested.
    pub is_path: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Unknown,
    Text,
    Bool,
    Number,
    List,
    Time,
}

impl Fragment {
    pub fn tight(text: impl Into<String>, kind: ValueKind) -> Self {
        Self { text: text.into(), kind, is_tight: true, is_path: false }
    }

    pub fn loose(text: impl Into<String>, kind: ValueKind) -> Self {
        Self { is_tight: false, ..Self::tight(text, kind) }
    }

    pub fn path(text: impl Into<String>, has_members: bool) -> Self {
        Self { is_path: has_members, ..Self::tight(text, ValueKind::Unknown) }
    }

    /// The text, in parentheses where needed.
    pub fn parenthesized(&self) -> String {
        if self.is_tight { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// A parameter of an arrow function.
pub struct Parameter {
    pub name: String,
    /// It is an item, whose `json` is the value itself.
    pub is_item: bool,
}

pub struct Writer<'n> {
    pub language: Language,
    pub names: &'n dyn Names,
    pub notes: Notes,
    pub parameters: Vec<Parameter>,
}

impl<'n> Writer<'n> {
    pub fn new(language: Language, names: &'n dyn Names) -> Self {
        Self { language, names, notes: Notes::new(), parameters: Vec::new() }
    }

    pub fn is_cel(&self) -> bool {
        self.language == Language::Cel
    }

    pub fn note(&mut self, text: &str) {
        note(&mut self.notes, text);
    }

    pub fn value(&mut self, js: &Js) -> WriteResult {
        let out = self.unchecked(js)?;
        check_length(out)
    }

    fn unchecked(&mut self, js: &Js) -> WriteResult {
        Ok(match js {
            Js::Null | Js::Undefined => {
                Fragment::tight(if self.is_cel() { "null" } else { "none" }, ValueKind::Unknown)
            }
            Js::Bool(value) => Fragment::tight(value.to_string(), ValueKind::Bool),
            Js::Number(number) => Fragment::tight(number.clone(), ValueKind::Number),
            Js::Text(text) => Fragment::tight(quote(text), ValueKind::Text),
            Js::Joined(parts) => return self.concatenate(parts),
            Js::Name(_) | Js::New(..) => return self.root(js, &[]),
            Js::Chain(root, links) => return self.root(root, links),
            Js::Not(of) => {
                let of = self.test(of)?;
                Fragment::loose(
                    format!("{}{}", if self.is_cel() { "!" } else { "not " }, of.parenthesized()),
                    ValueKind::Bool,
                )
            }
            Js::Negative(of) => Fragment::loose(format!("-{}", self.value(of)?.parenthesized()), ValueKind::Number),
            Js::Binary(sign, left, right) => return self.binary(sign, left, right),
            Js::Conditional(test, then, otherwise) => {
                let (test, then, otherwise) = (self.test(test)?, self.value(then)?, self.value(otherwise)?);
                let kind = if then.kind == otherwise.kind { then.kind } else { ValueKind::Unknown };
                self.conditional(&test, &then, &otherwise, kind)
            }
            Js::List(items) => {
                let items = items.iter().map(|item| self.value(item).map(|out| out.text));
                Fragment::tight(format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")), ValueKind::List)
            }
            Js::Map(entries) => {
                let entries = entries.iter().map(|(name, value)| {
                    let value = self.value(value)?.text;
                    Ok(format!("{}: {value}", quote(name)))
                });
                let entries = entries.collect::<Result<Vec<_>, String>>()?.join(", ");
                // `}}` would end the Jinja tag.
                let space = if self.is_cel() { "" } else { " " };
                Fragment::tight(format!("{{{entries}{space}}}"), ValueKind::Unknown)
            }
            Js::Arrow(..) => return Err("a function is not supported here".to_owned()),
        })
    }

    pub fn conditional(&self, test: &Fragment, then: &Fragment, otherwise: &Fragment, kind: ValueKind) -> Fragment {
        let (test, then, otherwise) = (test.parenthesized(), then.parenthesized(), otherwise.parenthesized());
        match self.language {
            Language::Cel => Fragment::loose(format!("{test} ? {then} : {otherwise}"), kind),
            Language::Jinja => Fragment::loose(format!("{then} if {test} else {otherwise}"), kind),
        }
    }

    /// The value as a string that can be concatenated.
    fn text(&self, out: &Fragment) -> String {
        match (out.kind, self.language) {
            (ValueKind::Text, _) => out.parenthesized(),
            (_, Language::Cel) => format!("string({})", out.text),
            (_, Language::Jinja) => format!("({} | string)", out.parenthesized()),
        }
    }

    fn concatenate(&mut self, parts: &[Js]) -> WriteResult {
        let parts =
            parts.iter().map(|part| self.value(part).map(|out| self.text(&out))).collect::<Result<Vec<_>, _>>()?;
        Ok(match (&parts[..], self.language) {
            ([], _) => Fragment::tight("''", ValueKind::Text),
            ([one], _) => Fragment::tight(one.clone(), ValueKind::Text),
            (parts, Language::Cel) => Fragment::tight(format!("[{}].join('')", parts.join(", ")), ValueKind::Text),
            (parts, Language::Jinja) => Fragment::loose(parts.join(" ~ "), ValueKind::Text),
        })
    }

    /// The value as a condition. In JavaScript zero, null and the empty string are false.
    pub fn test(&mut self, js: &Js) -> WriteResult {
        if let Js::Binary(sign @ ("&&" | "||"), left, right) = js {
            let (left, right) = (self.test(left)?, self.test(right)?);
            return Ok(self.logical(sign, &left, &right));
        }
        let out = self.value(js)?;
        Ok(self.truth(out))
    }

    pub fn truth(&self, out: Fragment) -> Fragment {
        if out.kind == ValueKind::Bool || !self.is_cel() {
            return out;
        }
        let is_something = format!("!({} in [null, false, 0, ''])", out.parenthesized());
        let text = if out.is_path { format!("has({}) && {is_something}", out.text) } else { is_something };
        Fragment::loose(text, ValueKind::Bool)
    }

    pub fn logical(&self, sign: &str, left: &Fragment, right: &Fragment) -> Fragment {
        let sign = match (sign, self.language) {
            (sign, Language::Cel) => sign,
            ("&&", Language::Jinja) => "and",
            (_, Language::Jinja) => "or",
        };
        Fragment::loose(format!("{} {sign} {}", left.parenthesized(), right.parenthesized()), ValueKind::Bool)
    }

    fn binary(&mut self, sign: &'static str, left: &Js, right: &Js) -> WriteResult {
        let is_null = |js: &Js| matches!(js, Js::Null | Js::Undefined);
        match sign {
            "==" | "===" | "!=" | "!==" if is_null(right) => {
                let of = self.value(left)?;
                return Ok(self.existence_test(sign, &of, right == &Js::Undefined));
            }
            "&&" | "||" | "??" => return self.select(sign, left, right),
            "+" => return self.sum(left, right),
            _ => {}
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        let (sign, kind) = match sign {
            "===" => ("==", ValueKind::Bool),
            "!==" => ("!=", ValueKind::Bool),
            "-" if left.kind == ValueKind::Time => (sign, ValueKind::Unknown),
            "-" | "*" | "/" | "%" => (sign, ValueKind::Number),
            sign => (sign, ValueKind::Bool),
        };
        // Division in JavaScript never truncates.
        if sign == "/" && self.is_cel() {
            return Ok(Fragment::loose(format!("double({}) / {}", left.text, right.parenthesized()), kind));
        }
        Ok(Fragment::loose(format!("{} {sign} {}", left.parenthesized(), right.parenthesized()), kind))
    }

    fn sum(&mut self, left: &Js, right: &Js) -> WriteResult {
        let (one, other) = (self.value(left)?, self.value(right)?);
        if one.kind == ValueKind::Text || other.kind == ValueKind::Text {
            let (one, other) = (self.text(&one), self.text(&other));
            let sign = if self.is_cel() { "+" } else { "~" };
            return Ok(Fragment::loose(format!("{one} {sign} {other}"), ValueKind::Text));
        }
        let kind = if one.kind == other.kind { one.kind } else { ValueKind::Unknown };
        Ok(Fragment::loose(format!("{} + {}", one.parenthesized(), other.parenthesized()), kind))
    }

    /// Tests for existence: `x == null`, `x !== undefined`.
    fn existence_test(&self, sign: &str, of: &Fragment, is_undefined: bool) -> Fragment {
        let is_negated = sign.starts_with('!');
        let (exists, null) = match self.language {
            Language::Cel => (format!("has({})", of.text), format!("{} != null", of.parenthesized())),
            Language::Jinja => {
                (format!("{} is defined", of.parenthesized()), format!("{} is not none", of.parenthesized()))
            }
        };
        let and = if self.is_cel() { "&&" } else { "and" };
        let is_something = match (of.is_path, is_undefined && sign.len() == 3) {
            (true, true) => exists,
            (true, false) => format!("{exists} {and} {null}"),
            (false, _) => null,
        };
        match is_negated {
            true => Fragment::loose(is_something, ValueKind::Bool),
            false => Fragment::loose(
                format!("{}({is_something})", if self.is_cel() { "!" } else { "not " }),
                ValueKind::Bool,
            ),
        }
    }

    /// One of two values, as JavaScript's `||` and `??` select it.
    fn select(&mut self, sign: &'static str, left: &Js, right: &Js) -> WriteResult {
        let (one, other) = (self.value(left)?, self.value(right)?);
        if one.kind == ValueKind::Bool && other.kind == ValueKind::Bool && sign != "??" {
            return Ok(self.logical(sign, &one, &other));
        }
        let kind = if one.kind == other.kind { one.kind } else { ValueKind::Unknown };
        if sign == "??" {
            let exists = self.existence_test("!=", &one, false);
            return Ok(self.conditional(&exists, &one, &other, kind));
        }
        if !self.is_cel() {
            return Ok(Fragment { kind, ..self.logical(sign, &one, &other) });
        }
        let test = self.truth(one.clone());
        Ok(if sign == "||" {
            self.conditional(&test, &one, &other, kind)
        } else {
            self.conditional(&test, &other, &one, kind)
        })
    }

    /// Applies members, indexes and calls to a value.
    pub fn apply_links(&mut self, mut of: Fragment, links: &[Link]) -> WriteResult {
        let mut links = links.iter().peekable();
        let (mut is_optional, mut guarded) = (false, None);
        while let Some(link) = links.next() {
            of = match link {
                Link::Member { name, is_optional: may_lack } => match links.peek() {
                    Some(Link::Call(arguments)) => {
                        if *may_lack && of.is_path {
                            guarded = Some(of.clone());
                        }
                        links.next();
                        self.method(of, name, arguments)?
                    }
                    _ if name == "length" => self.size(&of),
                    _ => {
                        is_optional |= may_lack;
                        Fragment::path(member(&of.parenthesized(), name), of.is_path || is_bare_name(&of))
                    }
                },
                Link::At(index) => {
                    let index = self.value(index)?.text;
                    Fragment::path(format!("{}[{index}]", of.parenthesized()), of.is_path || is_bare_name(&of))
                }
                Link::Call(_) => return Err("calling a value as a function is not supported".to_owned()),
            };
            of = check_length(of)?;
        }
        if is_optional && of.is_path {
            guarded = Some(of.clone());
        }
        Ok(match guarded {
            None => of,
            Some(guarded) => self.guard_existence(&guarded, of),
        })
    }

    /// A value that exists only when another one does.
    fn guard_existence(&self, guarded: &Fragment, of: Fragment) -> Fragment {
        match self.language {
            Language::Cel => Fragment::loose(format!("has({}) ? {} : null", guarded.text, of.text), ValueKind::Unknown),
            Language::Jinja if guarded.text == of.text => of,
            Language::Jinja => {
                let text = format!("{} if {} is defined", of.text, guarded.parenthesized());
                Fragment { is_path: true, ..Fragment::loose(text, ValueKind::Unknown) }
            }
        }
    }

    pub fn size(&self, of: &Fragment) -> Fragment {
        match self.language {
            Language::Cel => Fragment::tight(format!("size({})", of.text), ValueKind::Number),
            Language::Jinja => Fragment::tight(format!("({} | length)", of.parenthesized()), ValueKind::Number),
        }
    }
}

/// Refuses a text that grew too long: it may double at every level and link.
fn check_length(out: Fragment) -> WriteResult {
    if out.text.len() > 2 * MAX_BYTES { Err("the translation is too long".to_owned()) } else { Ok(out) }
}

/// A bare name, such as `input`.
fn is_bare_name(of: &Fragment) -> bool {
    of.is_tight && of.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
