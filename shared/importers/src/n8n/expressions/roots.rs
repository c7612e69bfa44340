//! Roots of n8n's expressions: `$json`, `$('Node').item.json`, `$now`, `Math`.

use super::super::super::syntax::{member, quote};
use super::named_value::{NamedValue, Translated};
use super::tree::{Js, Link};
use super::writer::{Fragment, Parameter, ValueKind, WriteResult, Writer};

fn name(link: Option<&Link>) -> Option<&str> {
    match link {
        Some(Link::Member { name, .. }) => Some(name),
        _ => None,
    }
}

/// The links after `$('Node')` or `$input`.
enum Item<'l> {
    Value(&'l [Link]),
    All(&'l [Link]),
}

fn item(links: &[Link]) -> Result<Item<'_>, String> {
    match links {
        [Link::Member { name, .. }, rest @ ..] if name == "item" => json(rest),
        [Link::Member { name, .. }, Link::Call(given), rest @ ..] => match (name.as_str(), given.is_empty()) {
            ("first" | "last", true) | ("itemMatching", false) => json(rest),
            ("all", true) => match rest {
                [Link::At(Js::Number(_)), rest @ ..] => json(rest),
                rest => Ok(Item::All(rest)),
            },
            _ => Err(format!("`{name}` of a node is not supported")),
        },
        _ => Err("only the output of a node is available".to_owned()),
    }
}

fn json(links: &[Link]) -> Result<Item<'_>, String> {
    match name(links.first()) {
        Some("json") => Ok(Item::Value(&links[1..])),
        Some("binary") => Err("files are not supported".to_owned()),
        _ => Err("only the `json` of an item is available".to_owned()),
    }
}

impl Writer<'_> {
    pub fn root(&mut self, root: &Js, links: &[Link]) -> WriteResult {
        let Js::Name(word) = root else {
            let of = match root {
                Js::New(name, given) => self.construct(name, given)?,
                other => self.value(other)?,
            };
            return self.apply_links(of, links);
        };
        if let Some(parameter) = self.parameters.iter().rev().find(|parameter| parameter.name == *word) {
            let links = match (parameter.is_item, name(links.first())) {
                (true, Some("json")) => &links[1..],
                (true, _) => return Err("only the `json` of an item is available".to_owned()),
                (false, _) => links,
            };
            return self.apply_links(Fragment::path(parameter_name(word), false), links);
        }
        match (word.as_str(), links) {
            ("$json", rest) => {
                let value = self.names.input()?;
                self.named_value(&value, rest)
            }
            ("$input", rest) => {
                let value = self.names.input()?;
                match item(rest)? {
                    Item::Value(rest) => self.named_value(&value, rest),
                    Item::All(rest) => self.all_items(&value, rest),
                }
            }
            ("$", [Link::Call(given), rest @ ..]) | ("$items", [Link::Call(given), rest @ ..]) => {
                let [Js::Text(node)] = &given[..] else { return Err("the name of the node is computed".to_owned()) };
                let value = self.names.node(node)?;
                if word == "$items" {
                    return self.all_items(&value, rest);
                }
                match item(rest)? {
                    Item::Value(rest) => self.named_value(&value, rest),
                    Item::All(rest) => self.all_items(&value, rest),
                }
            }
            ("$node", [Link::Member { name: node, .. }, rest @ ..]) => {
                let value = self.names.node(node)?;
                match json(rest)? {
                    Item::Value(rest) | Item::All(rest) => self.named_value(&value, rest),
                }
            }
            ("$vars" | "$env", [Link::Member { name: variable, .. }, rest @ ..]) => {
                self.note(&format!("variables are not imported: replace `vars.{variable}` by its value"));
                let of = Fragment::path(member("vars", variable), true);
                self.apply_links(of, rest)
            }
            ("$execution", [Link::Member { name: of, .. }, rest @ ..]) if of == "id" => {
                self.apply_links(Fragment::path("run.id", true), rest)
            }
            ("$itemIndex" | "$runIndex", []) if self.names.is_in_loop() => Ok(Fragment::path("vars.index", true)),
            (word @ ("$itemIndex" | "$runIndex"), []) => {
                self.note(&format!("`{word}` is always 0 outside a loop"));
                Ok(Fragment::tight("0", ValueKind::Number))
            }
            ("$now", rest) => self.apply_links(Fragment::tight("now()", ValueKind::Time), rest),
            ("DateTime", [Link::Member { name: of, .. }, Link::Call(given), rest @ ..]) if given.is_empty() => {
                match of.as_str() {
                    "now" | "utc" | "local" => self.apply_links(Fragment::tight("now()", ValueKind::Time), rest),
                    other => Err(format!("`DateTime.{other}` is not supported")),
                }
            }
            ("DateTime", [Link::Member { name: of, .. }, Link::Call(given), rest @ ..])
                if of == "fromISO" && given.len() == 1 =>
            {
                let text = self.value(&given[0])?.text;
                self.apply_links(Fragment::tight(format!("timestamp({text})"), ValueKind::Time), rest)
            }
            ("$fromAI", _) => Err("only the tools of an agent can have arguments from a model".to_owned()),
            (function, [Link::Call(given), rest @ ..]) => {
                let of = self.function(function, None, given)?;
                self.apply_links(of, rest)
            }
            (space, [Link::Member { name: function, .. }, Link::Call(given), rest @ ..]) if !space.starts_with('$') => {
                let of = self.function(space, Some(function), given)?;
                self.apply_links(of, rest)
            }
            (word, _) => Err(format!("`{word}` is not supported")),
        }
    }

    fn named_value(&mut self, value: &NamedValue, links: &[Link]) -> WriteResult {
        if let Some(note) = &value.note {
            self.note(note);
        }
        let of = self.first_path(value);
        match value.translate_links(links)? {
            Translated::Approved { links: count } => {
                // The decision may be spelled `approve` or `approved`.
                let text = match self.is_cel() {
                    true => format!("{}.decision.startsWith('approve')", of.parenthesized()),
                    false => format!("({}.decision | startswith('approve'))", of.parenthesized()),
                };
                self.apply_links(Fragment::tight(text, ValueKind::Bool), &links[count..])
            }
            Translated::Path { members, links: count, note } => {
                if let Some(note) = note {
                    self.note(note);
                }
                let of = members.iter().fold(of, |of, name| match name.parse::<usize>() {
                    Ok(index) => Fragment::path(format!("{}[{index}]", of.parenthesized()), true),
                    Err(_) => Fragment::path(member(&of.parenthesized(), name), true),
                });
                self.apply_links(of, &links[count..])
            }
        }
    }

    /// The first of its paths that exists.
    fn first_path(&self, value: &NamedValue) -> Fragment {
        let out = |path: &String| Fragment::path(path.clone(), path.contains(['.', '[']));
        let mut paths = value.paths.iter().rev();
        let Some(last) = paths.next() else { return Fragment::path("input", false) };
        paths.fold(out(last), |rest, path| {
            let test = match self.is_cel() {
                true => Fragment::tight(format!("has({path})"), ValueKind::Bool),
                false => Fragment::loose(format!("{path} is defined"), ValueKind::Bool),
            };
            self.conditional(&test, &out(path), &rest, ValueKind::Unknown)
        })
    }

    /// All items of a node, which are its one output here.
    fn all_items(&mut self, value: &NamedValue, links: &[Link]) -> WriteResult {
        self.note("a node has one output here, not a list of items");
        let output = self.named_value(value, &[])?;
        let list = Fragment::tight(format!("[{}]", output.text), ValueKind::List);
        match links {
            [Link::Member { name, .. }, Link::Call(given), rest @ ..] if matches!(given[..], [Js::Arrow(..)]) => {
                let of = self.list_function(list, name, &given[0], true)?;
                self.apply_links(of, rest)
            }
            rest => self.apply_links(list, rest),
        }
    }

    /// `list.map(x => …)` and the other functions over lists.
    pub fn list_function(&mut self, list: Fragment, method: &str, function: &Js, is_item: bool) -> WriteResult {
        let Js::Arrow(parameter, body) = function else { return Err(format!("`{method}` needs a function")) };
        if !self.is_cel() {
            return self.attribute_map(list, method, parameter, body, is_item);
        }
        let (name, kind) = match method {
            "map" => ("map", ValueKind::List),
            "filter" | "find" => ("filter", ValueKind::List),
            "some" => ("exists", ValueKind::Bool),
            "every" => ("all", ValueKind::Bool),
            other => return Err(format!("`{other}` is not supported")),
        };
        self.parameters.push(Parameter { name: parameter.clone(), is_item });
        let body = if method == "map" { self.value(body) } else { self.test(body) };
        self.parameters.pop();
        let text = format!("{}.{name}({}, {})", list.parenthesized(), parameter_name(parameter), body?.text);
        Ok(match method {
            "find" => Fragment::tight(format!("{text}.first()"), ValueKind::Unknown),
            _ => Fragment::tight(text, kind),
        })
    }

    /// In a template, `map` can only take a member of each element.
    fn attribute_map(&self, list: Fragment, method: &str, parameter: &str, body: &Js, is_item: bool) -> WriteResult {
        let refuse = || Err("a template cannot process a list this way".to_owned());
        let Js::Chain(root, links) = body else { return refuse() };
        let names: Option<Vec<&str>> = links.iter().map(|link| name(Some(link))).collect();
        let Some(mut names) = names.filter(|_| method == "map" && **root == Js::Name(parameter.to_owned())) else {
            return refuse();
        };
        if is_item && names.first() == Some(&"json") {
            names.remove(0);
        }
        if names.is_empty() || names.iter().any(|name| name.contains('.') || *name == "length") {
            return refuse();
        }
        let text = format!("({} | map(attribute={}))", list.parenthesized(), quote(&names.join(".")));
        Ok(Fragment::tight(text, ValueKind::List))
    }
}

/// Names that a function must not bind, because they are our variables or keywords.
fn parameter_name(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("_{letters}")
}
