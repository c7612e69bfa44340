//! The methods and functions of JavaScript and n8n that have an equivalent here.

use super::dates::{duration, strftime};
use super::tree::Js;
use super::writer::{Fragment, ValueKind, WriteResult, Writer};

struct Method {
    name: &'static str,
    /// The minimum and maximum number of arguments.
    takes: (usize, usize),
    cel: Option<&'static str>,
    jinja: Option<&'static str>,
    returns: ValueKind,
}

const fn method(
    name: &'static str,
    takes: (usize, usize),
    cel: Option<&'static str>,
    jinja: Option<&'static str>,
    returns: ValueKind,
) -> Method {
    Method { name, takes, cel, jinja, returns }
}

/// JavaScript rounds halves up, and what it rounds prints without a fraction. Jinja's `round` does neither.
fn round_in_jinja(of: &Fragment) -> Fragment {
    Fragment::tight(format!("(({} + 0.5) | floor)", of.parenthesized()), ValueKind::Number)
}

const METHODS: [Method; 41] = [
    method("toLowerCase", (0, 0), Some("lower"), Some("lower"), ValueKind::Text),
    method("toUpperCase", (0, 0), Some("upper"), Some("upper"), ValueKind::Text),
    method("toTitleCase", (0, 0), None, Some("title"), ValueKind::Text),
    method("urlEncode", (0, 0), None, Some("urlencode"), ValueKind::Text),
    method("trim", (0, 0), Some("trim"), Some("trim"), ValueKind::Text),
    method("includes", (1, 1), Some("contains"), Some("contains"), ValueKind::Bool),
    method("startsWith", (1, 1), Some("startsWith"), Some("startswith"), ValueKind::Bool),
    method("endsWith", (1, 1), Some("endsWith"), Some("endswith"), ValueKind::Bool),
    method("split", (1, 1), Some("split"), Some("split"), ValueKind::List),
    method("replaceAll", (2, 2), Some("replace"), Some("replace"), ValueKind::Text),
    method("indexOf", (1, 1), Some("indexOf"), Some("find"), ValueKind::Number),
    method("lastIndexOf", (1, 1), Some("lastIndexOf"), None, ValueKind::Number),
    method("charAt", (1, 1), Some("charAt"), None, ValueKind::Text),
    method("toString", (0, 0), Some("string"), Some("string"), ValueKind::Text),
    method("toISOString", (0, 0), Some("string"), Some("string"), ValueKind::Text),
    method("toISO", (0, 0), Some("string"), Some("string"), ValueKind::Text),
    method("toJsonString", (0, 0), Some("toJson"), Some("tojson"), ValueKind::Text),
    method("parseJson", (0, 0), Some("fromJson"), Some("fromjson"), ValueKind::Unknown),
    method("toNumber", (0, 0), Some("double"), Some("float"), ValueKind::Number),
    method("toFloat", (0, 0), Some("double"), Some("float"), ValueKind::Number),
    method("toInt", (0, 0), Some("int"), Some("int"), ValueKind::Number),
    method("reverse", (0, 0), Some("reverse"), Some("reverse"), ValueKind::List),
    method("first", (0, 0), Some("first"), Some("first"), ValueKind::Unknown),
    method("last", (0, 0), Some("last"), Some("last"), ValueKind::Unknown),
    method("unique", (0, 0), Some("distinct"), Some("unique(case_sensitive=true)"), ValueKind::List),
    method("removeDuplicates", (0, 0), Some("distinct"), Some("unique(case_sensitive=true)"), ValueKind::List),
    method("flat", (0, 0), Some("flatten"), Some("flatten"), ValueKind::List),
    method("sum", (0, 0), Some("sum"), Some("sum"), ValueKind::Number),
    method("max", (0, 0), Some("max"), Some("max"), ValueKind::Unknown),
    method("min", (0, 0), Some("min"), Some("min"), ValueKind::Unknown),
    method("round", (0, 1), Some("round"), Some("round"), ValueKind::Number),
    method("keys", (0, 0), Some("keys"), Some("keys"), ValueKind::List),
    method("values", (0, 0), Some("values"), Some("values"), ValueKind::List),
    method("getFullYear", (0, 0), Some("getFullYear"), None, ValueKind::Number),
    method("getMonth", (0, 0), Some("getMonth"), None, ValueKind::Number),
    method("getDate", (0, 0), Some("getDate"), None, ValueKind::Number),
    method("getDay", (0, 0), Some("getDayOfWeek"), None, ValueKind::Number),
    method("getHours", (0, 0), Some("getHours"), None, ValueKind::Number),
    method("getMinutes", (0, 0), Some("getMinutes"), None, ValueKind::Number),
    method("getSeconds", (0, 0), Some("getSeconds"), None, ValueKind::Number),
    method("getMilliseconds", (0, 0), Some("getMilliseconds"), None, ValueKind::Number),
];

impl Writer<'_> {
    /// `of.name(…)`
    pub fn method(&mut self, of: Fragment, name: &str, given: &[Js]) -> WriteResult {
        if name == "round" && given.is_empty() && !self.is_cel() {
            return Ok(round_in_jinja(&of));
        }
        if let Some(known) = METHODS.iter().find(|method| method.name == name) {
            if !(known.takes.0..=known.takes.1).contains(&given.len()) {
                return Err(format!("these arguments of `{name}` are not supported"));
            }
            return self.apply(of, name, (known.cel, known.jinja), given, known.returns);
        }
        match (name, given) {
            ("join", [] | [_]) => {
                let comma = [Js::Text(",".to_owned())];
                self.apply(
                    of,
                    name,
                    (Some("join"), Some("join")),
                    if given.is_empty() { &comma } else { given },
                    ValueKind::Text,
                )
            }
            // JavaScript's `replace` replaces only the first match.
            ("replace", [from @ Js::Text(_), to]) => {
                let given = [from.clone(), to.clone(), Js::Number("1".to_owned())];
                self.apply(of, name, (Some("replace"), Some("replace")), &given, ValueKind::Text)
            }
            ("toFixed", [] | [Js::Number(_)]) => {
                let digits = if let [Js::Number(digits)] = given { digits.as_str() } else { "0" };
                if digits.len() != 1 {
                    return Err("`toFixed` takes at most 9 decimals".to_owned());
                }
                Ok(Fragment::tight(self.format_number(digits, &of), ValueKind::Text))
            }
            ("slice", [from, to @ ..]) if to.len() < 2 => self.slice(of, from, to.first()),
            // Only strings have `substring`.
            ("substring", [from, to @ ..]) if to.len() < 2 => {
                self.slice(Fragment { kind: ValueKind::Text, ..of }, from, to.first())
            }
            ("isEmpty" | "isNotEmpty", []) => {
                let sign = if name == "isEmpty" { "==" } else { ">" };
                Ok(Fragment::loose(format!("{} {sign} 0", self.size(&of).text), ValueKind::Bool))
            }
            ("map" | "filter" | "some" | "every" | "find", [function]) => self.list_function(of, name, function, false),
            ("plus" | "minus", _) => {
                let duration = duration(given).ok_or_else(|| format!("the argument of `{name}` is computed"))?;
                let sign = if name == "plus" { "+" } else { "-" };
                Ok(Fragment::loose(format!("{} {sign} duration('{duration}')", of.parenthesized()), ValueKind::Time))
            }
            ("toFormat" | "format", [Js::Text(format)]) if !self.is_cel() => {
                let format = strftime(format)?;
                Ok(Fragment::tight(format!("({} | date('{format}'))", of.parenthesized()), ValueKind::Text))
            }
            // A time prints in ISO 8601, which starts with its date.
            ("toFormat" | "format", [Js::Text(format)]) if format == "yyyy-MM-dd" && of.kind == ValueKind::Time => {
                Ok(Fragment::tight(format!("string({}).substring(0, 10)", of.text), ValueKind::Text))
            }
            ("toFormat" | "format", _) => Err("dates can be formatted in templates only".to_owned()),
            ("toUTC" | "setZone" | "toDateTime" | "toLocal" | "valueOf", _) if of.kind == ValueKind::Time => Ok(of),
            _ => Err(format!("`{name}` is not supported")),
        }
    }

    /// A number with a fixed number of decimals.
    fn format_number(&self, digits: &str, of: &Fragment) -> String {
        match self.is_cel() {
            true => format!("'%.{digits}f'.format([{}])", of.text),
            false => format!("('%.{digits}f' | format({}))", of.text),
        }
    }

    /// A slice of a string or list. JavaScript allows bounds outside the value.
    fn slice(&mut self, of: Fragment, from: &Js, to: Option<&Js>) -> WriteResult {
        if !self.is_cel() {
            let from = self.value(from)?.parenthesized();
            let to = to.map_or(Ok(String::new()), |to| self.value(to).map(|to| to.parenthesized()))?;
            return Ok(Fragment::tight(format!("{}[{from}:{to}]", of.parenthesized()), of.kind));
        }
        let (from, to) = (self.bound(&of, from)?, to.map(|to| self.bound(&of, to)).transpose()?);
        let (held, whole) = (of.parenthesized(), self.size(&of).text);
        let text = match &to {
            Some(to) => format!("{held}.substring({from}, {to})"),
            None => format!("{held}.substring({from})"),
        };
        let list = format!("{held}.slice({from}, {})", to.unwrap_or(whole));
        Ok(match of.kind {
            ValueKind::Text => Fragment::tight(text, ValueKind::Text),
            ValueKind::List => Fragment::tight(list, ValueKind::List),
            _ => Fragment::loose(format!("type({}) == 'list' ? {list} : {text}", of.text), ValueKind::Unknown),
        })
    }

    /// A slice bound, clamped to the value. A negative one counts from the end.
    fn bound(&mut self, of: &Fragment, at: &Js) -> Result<String, String> {
        let whole = self.size(of).text;
        Ok(match at {
            Js::Number(number) if number == "0" => "0".to_owned(),
            Js::Negative(number) => format!("[{whole} - {}, 0].max()", self.value(number)?.parenthesized()),
            at => format!("[{}, {whole}].min()", self.value(at)?.text),
        })
    }

    fn apply(
        &mut self,
        of: Fragment,
        name: &str,
        (cel, jinja): (Option<&str>, Option<&str>),
        given: &[Js],
        returns: ValueKind,
    ) -> WriteResult {
        let given = given.iter().map(|value| self.value(value).map(|out| out.text)).collect::<Result<Vec<_>, _>>()?;
        let given = given.join(", ");
        match (self.is_cel(), cel, jinja) {
            (true, Some(cel), _) => Ok(Fragment::tight(format!("{}.{cel}({given})", of.parenthesized()), returns)),
            (false, _, Some(jinja)) if given.is_empty() => {
                Ok(Fragment::tight(format!("({} | {jinja})", of.parenthesized()), returns))
            }
            (false, _, Some(jinja)) => {
                Ok(Fragment::tight(format!("({} | {jinja}({given}))", of.parenthesized()), returns))
            }
            _ => Err(format!(
                "`{name}` is not supported {}",
                if self.is_cel() { "in an expression" } else { "in a template" }
            )),
        }
    }

    /// `name(…)`, or `space.name(…)`
    pub fn function(&mut self, name: &str, within: Option<&str>, given: &[Js]) -> WriteResult {
        if let ("Math", Some("round"), [of], false) = (name, within, given, self.is_cel()) {
            return Ok(round_in_jinja(&self.value(of)?));
        }
        let mut on_first = |cel, jinja, returns| match given.split_first() {
            Some((first, rest)) => {
                let of = self.value(first)?;
                self.apply(of, name, (cel, jinja), rest, returns)
            }
            None => Err(format!("`{name}` needs an argument")),
        };
        match (name, within, given.len()) {
            ("String", None, 1) => on_first(Some("string"), Some("string"), ValueKind::Text),
            ("Number", None, 1) | ("parseFloat", None, 1) | ("Number", Some("parseFloat"), 1) => {
                on_first(Some("double"), Some("float"), ValueKind::Number)
            }
            ("parseInt", None, 1 | 2) | ("Number", Some("parseInt"), 1 | 2) => {
                let of = self.value(&given[0])?;
                self.apply(of, name, (Some("int"), Some("int")), &[], ValueKind::Number)
            }
            ("encodeURIComponent" | "encodeURI", None, 1) => on_first(None, Some("urlencode"), ValueKind::Text),
            ("JSON", Some("stringify"), 1..=3) => {
                let of = self.value(&given[0])?;
                self.apply(of, name, (Some("toJson"), Some("tojson")), &[], ValueKind::Text)
            }
            ("JSON", Some("parse"), 1) => on_first(Some("fromJson"), Some("fromjson"), ValueKind::Unknown),
            ("Object", Some("keys"), 1) => on_first(Some("keys"), Some("keys"), ValueKind::List),
            ("Object", Some("values"), 1) => on_first(Some("values"), Some("values"), ValueKind::List),
            ("Math", Some(function @ ("round" | "floor" | "ceil" | "abs")), 1) => {
                on_first(Some(function), Some(function), ValueKind::Number)
            }
            ("Math", Some(function @ ("max" | "min")), 1..=16) | (function @ ("$max" | "$min"), None, 1..=16) => {
                let list = self.value(&Js::List(given.to_vec()))?;
                let function = function.trim_start_matches('$');
                self.apply(list, name, (Some(function), Some(function)), &[], ValueKind::Number)
            }
            ("Array", Some("isArray"), 1) => {
                let of = self.value(&given[0])?;
                Ok(match self.is_cel() {
                    true => Fragment::loose(format!("type({}) == 'list'", of.text), ValueKind::Bool),
                    // A text and a map are sequences, too.
                    false => {
                        let of = of.parenthesized();
                        Fragment::loose(
                            format!("{of} is sequence and {of} is not string and {of} is not mapping"),
                            ValueKind::Bool,
                        )
                    }
                })
            }
            ("Boolean", None, 1) => self.test(&given[0]).map(|out| Fragment { kind: ValueKind::Bool, ..out }),
            ("$if", None, 3) => {
                let choice =
                    Js::Conditional(Box::new(given[0].clone()), Box::new(given[1].clone()), Box::new(given[2].clone()));
                self.value(&choice)
            }
            ("$ifEmpty", None, 2) => {
                self.value(&Js::Binary("||", Box::new(given[0].clone()), Box::new(given[1].clone())))
            }
            ("Date", Some("now"), 0) => Ok(Fragment::loose(
                if self.is_cel() { "int(now()) * 1000" } else { "(now() | int) * 1000" },
                ValueKind::Number,
            )),
            (name, Some(function), _) => Err(format!("`{name}.{function}` is not supported")),
            (name, None, _) => Err(format!("`{name}` is not supported")),
        }
    }

    /// `new Date(…)`
    pub fn construct(&mut self, name: &str, given: &[Js]) -> WriteResult {
        match (name, given) {
            ("Date", []) => Ok(Fragment::tight("now()", ValueKind::Time)),
            ("Date", [at]) => {
                let at = self.value(at)?.text;
                Ok(Fragment::tight(format!("timestamp({at})"), ValueKind::Time))
            }
            _ => Err(format!("`new {name}` is not supported")),
        }
    }
}
