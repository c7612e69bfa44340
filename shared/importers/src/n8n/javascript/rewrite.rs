//! Two things that expressions of n8n mean otherwise than JavaScript. `$if` evaluates only the value that it chooses: its values become
//! functions. `isEmpty` and `isNotEmpty` are also methods of what is missing: their calls become calls of the library.

use std::borrow::Cow;
use std::ops::Range;

use engine::script::tokens::{self, Kind, Token};

const EMPTY: [&str; 2] = ["isEmpty", "isNotEmpty"];

/// A part of the code, and what it becomes.
type Edit = (Range<usize>, String);

/// The code as it is, if nothing in it means something else or it cannot be read.
pub fn rewrite(code: &str) -> Cow<'_, str> {
    if !["$if", "isEmpty", "isNotEmpty"].iter().any(|name| code.contains(name)) {
        return code.into();
    }
    let Some(tokens) = tokens::read(code) else { return code.into() };
    let Some(code_tokens) = Tokens::new(code, tokens) else { return code.into() };
    let mut edits = Vec::new();
    for at in 0..code_tokens.list.len() {
        code_tokens.defer_values(at, &mut edits);
    }
    for at in 0..code_tokens.list.len() {
        code_tokens.call_library(at, &mut edits);
    }
    // An argument becomes a function before its beginning becomes a call.
    edits.sort_by_key(|(range, _)| range.start);
    let (mut written, mut end) = (String::with_capacity(code.len() + 64), 0);
    for (range, text) in edits {
        written.push_str(&code[end..range.start]);
        written.push_str(&text);
        end = range.end;
    }
    written.push_str(&code[end..]);
    written.into()
}

struct Tokens<'c> {
    code: &'c str,
    list: Vec<Token>,
    /// For each bracket, the one that belongs to it.
    partners: Vec<usize>,
}

impl<'c> Tokens<'c> {
    /// None if the brackets do not fit.
    fn new(code: &'c str, list: Vec<Token>) -> Option<Self> {
        let (mut partners, mut open) = (vec![0; list.len()], Vec::new());
        for (at, token) in list.iter().enumerate() {
            match token.kind {
                Kind::Open => open.push(at),
                Kind::Close => {
                    let begin: usize = open.pop()?;
                    (partners[begin], partners[at]) = (at, begin);
                }
                _ => {}
            }
        }
        open.is_empty().then_some(Self { code, list, partners })
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.list.get(at).is_some_and(|token| token.text(self.code) == text)
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.list.get(at).map(|token| token.kind)
    }

    /// Makes functions of the values of a call `$if(test, value, other)`, unless they are literals.
    fn defer_values(&self, at: usize, edits: &mut Vec<Edit>) {
        let is_call = self.is(at, "$if") && self.is(at + 1, "(");
        if !is_call || at.checked_sub(1).is_some_and(|before| self.kind(before) == Some(Kind::Dot)) {
            return;
        }
        for Range { start, end } in self.arguments(at + 1).skip(1) {
            let (Some(first), Some(last)) = (self.list.get(start), self.list[..end].last()) else { continue };
            if start + 1 >= end || self.is(start, ".") {
                continue;
            }
            let is_object = self.is(start, "{");
            let (begin, close) = if is_object { ("() => (", ")") } else { ("() => ", "") };
            edits.push((first.start..first.start, begin.to_owned()));
            edits.push((last.end..last.end, close.to_owned()));
        }
    }

    /// The tokens of each argument of a call.
    fn arguments(&self, open: usize) -> impl Iterator<Item = Range<usize>> {
        let close = self.partners[open];
        let (mut at, mut start) = (open + 1, open + 1);
        std::iter::from_fn(move || {
            while at < close {
                match self.list[at].kind {
                    Kind::Comma => {
                        at += 1;
                        return Some(std::mem::replace(&mut start, at)..at - 1);
                    }
                    Kind::Open => at = self.partners[at] + 1,
                    _ => at += 1,
                }
            }
            (start < close).then(|| std::mem::replace(&mut start, close)..close)
        })
    }

    /// Makes `n8n.extend(value, "isEmpty")` of a call `value.isEmpty()`. The library knows such a call that is the whole expression.
    fn call_library(&self, at: usize, edits: &mut Vec<Edit>) {
        let name = self.list[at].text(self.code);
        let is_call = EMPTY.contains(&name) && self.is(at + 1, "(") && self.is(at + 2, ")");
        let Some(dot) = at.checked_sub(1).filter(|dot| is_call && self.kind(*dot) == Some(Kind::Dot)) else { return };
        let Some(begin) = self.value_before(dot) else { return };
        let (value, call) = (self.list[begin], self.list[at + 2]);
        let is_whole = (0..begin).all(|at| self.is(at, "!")) && at + 3 == self.list.len();
        // `a?.b.isEmpty()` is not called if `a` is missing.
        if (begin..at).any(|at| self.is(at, "?.")) {
            return;
        }
        if !is_whole || !is_path(&self.code[value.start..self.list[dot].start]) {
            edits.push((value.start..value.start, "n8n.extend(".to_owned()));
            edits.push((self.list[dot].start..call.end, format!(", \"{name}\")")));
        }
    }

    /// Where the value begins that ends before a token, such as `$json.a["b"].c`.
    fn value_before(&self, end: usize) -> Option<usize> {
        let mut begin = end;
        loop {
            let last = begin.checked_sub(1)?;
            begin = match self.kind(last)? {
                Kind::Word | Kind::Literal => last,
                Kind::Close if !self.is(last, "}") => self.partners[last],
                _ => return None,
            };
            let before = begin.checked_sub(1);
            match before.and_then(|before| self.kind(before)) {
                Some(Kind::Dot) => begin -= 1,
                _ if before.is_some_and(|before| self.is(before, "new")) => return before,
                // The brackets belong to what is before them.
                Some(Kind::Word | Kind::Literal | Kind::Close)
                    if self.kind(begin) == Some(Kind::Open) && !self.begins_value(before) => {}
                _ => return Some(begin),
            }
        }
    }

    fn begins_value(&self, before: Option<usize>) -> bool {
        tokens::begins_value(self.code, before.map(|before| &self.list[before]))
    }
}

/// Whether the library finds the value in an expression: only names, and quoted ones without spaces.
fn is_path(value: &str) -> bool {
    let path = value.strip_prefix("$(").and_then(|rest| rest.split_once(')')).map_or(value, |(_, path)| path);
    path.chars().all(|c| c.is_ascii_alphanumeric() || "_$.?[]'\"".contains(c))
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    #[test]
    fn values_of_if_are_functions_unless_they_are_literals() {
        for (code, written) in [
            ("$if($json.a, 1, \"b\")", "$if($json.a, 1, \"b\")"),
            ("$if($json.a, $json.a.b, 'x')", "$if($json.a, () => $json.a.b, 'x')"),
            ("$if(f(1, 2), {a: [1, 2]}, g())", "$if(f(1, 2), () => ({a: [1, 2]}), () => g())"),
            ("$if(a, $if(b, c.d, 1), 2)", "$if(a, () => $if(b, () => c.d, 1), 2)"),
            (
                "$if(/[/)]/.test(a), a.b, `${$if(1, 2)}, )`) + 1",
                "$if(/[/)]/.test(a), () => a.b, `${$if(1, 2)}, )`) + 1",
            ),
            ("$if(\n  a, // why, so\n  b.c,\n)", "$if(\n  a, // why, so\n  () => b.c,\n)"),
            ("x.$if(a, b.c)", "x.$if(a, b.c)"),
            ("$if(a, b.c", "$if(a, b.c"),
            ("$if(a / 2, b / c, 1)", "$if(a / 2, () => b / c, 1)"),
        ] {
            assert_eq!(rewrite(code), written);
        }
    }

    #[test]
    fn missing_values_may_be_empty() {
        for (code, written) in [
            ("!$json.a.isEmpty()", "!$json.a.isEmpty()"),
            ("$('A b').item.json['c'].isEmpty()", "$('A b').item.json['c'].isEmpty()"),
            ("$json['a b'].isEmpty()", "n8n.extend($json['a b'], \"isEmpty\")"),
            ("$json.a.isEmpty() || b", "n8n.extend($json.a, \"isEmpty\") || b"),
            ("a ? !$json.b[\"c\"].isNotEmpty() : 1", "a ? !n8n.extend($json.b[\"c\"], \"isNotEmpty\") : 1"),
            ("a?.b.isEmpty() ?? c?.isEmpty()", "a?.b.isEmpty() ?? c?.isEmpty()"),
            ("$('A').all()[0].json.isEmpty() && 1", "n8n.extend($('A').all()[0].json, \"isEmpty\") && 1"),
            ("f(1).isEmpty()", "n8n.extend(f(1), \"isEmpty\")"),
            ("(a || b.c).isEmpty()", "n8n.extend((a || b.c), \"isEmpty\")"),
            ("!new Date(a).isEmpty()", "!n8n.extend(new Date(a), \"isEmpty\")"),
            ("return [].isEmpty()", "return n8n.extend([], \"isEmpty\")"),
            ("$if(x, a.b.isEmpty(), 1)", "$if(x, () => n8n.extend(a.b, \"isEmpty\"), 1)"),
            ("a.isEmpty(1) + isEmpty()", "a.isEmpty(1) + isEmpty()"),
            ("'a.isEmpty() + ' + `b.isEmpty()`", "'a.isEmpty() + ' + `b.isEmpty()`"),
        ] {
            assert_eq!(rewrite(code), written);
        }
    }
}
