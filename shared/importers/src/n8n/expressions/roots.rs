//! Roots of n8n's expressions: `$json`, `$('Node').item.json`, `$now`, `Math`.

use super::super::super::syntax::{member, quoted};
use super::place::{Place, Taken};
use super::tree::{Js, Link};
use super::writer::{Bound, Kind, Out, Writer, Written};

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
    pub fn rooted(&mut self, root: &Js, links: &[Link]) -> Written {
        let Js::Name(word) = root else {
            let of = match root {
                Js::New(name, given) => self.translation(name, given)?,
                other => self.value(other)?,
            };
            return self.linked(of, links);
        };
        if let Some(bound) = self.bound.iter().rev().find(|bound| bound.name == *word) {
            let links = match (bound.is_item, name(links.first())) {
                (true, Some("json")) => &links[1..],
                (true, _) => return Err("only the `json` of an item is available".to_owned()),
                (false, _) => links,
            };
            return self.linked(Out::path(bound_name(word), false), links);
        }
        match (word.as_str(), links) {
            ("$json", rest) => {
                let place = self.names.json()?;
                self.placed(&place, rest)
            }
            ("$input", rest) => {
                let place = self.names.json()?;
                match item(rest)? {
                    Item::Value(rest) => self.placed(&place, rest),
                    Item::All(rest) => self.all(&place, rest),
                }
            }
            ("$", [Link::Call(given), rest @ ..]) | ("$items", [Link::Call(given), rest @ ..]) => {
                let [Js::Text(node)] = &given[..] else { return Err("the name of the node is computed".to_owned()) };
                let place = self.names.node(node)?;
                if word == "$items" {
                    return self.all(&place, rest);
                }
                match item(rest)? {
                    Item::Value(rest) => self.placed(&place, rest),
                    Item::All(rest) => self.all(&place, rest),
                }
            }
            ("$node", [Link::Member { name: node, .. }, rest @ ..]) => {
                let place = self.names.node(node)?;
                match json(rest)? {
                    Item::Value(rest) | Item::All(rest) => self.placed(&place, rest),
                }
            }
            ("$vars" | "$env", [Link::Member { name: variable, .. }, rest @ ..]) => {
                self.note(&format!("variables are not imported: replace `vars.{variable}` by its value"));
                let of = Out::path(member("vars", variable), true);
                self.linked(of, rest)
            }
            ("$execution", [Link::Member { name: of, .. }, rest @ ..]) if of == "id" => {
                self.linked(Out::path("run.id", true), rest)
            }
            ("$itemIndex" | "$runIndex", []) if self.names.is_in_loop() => Ok(Out::path("vars.index", true)),
            (word @ ("$itemIndex" | "$runIndex"), []) => {
                self.note(&format!("`{word}` is always 0 outside a loop"));
                Ok(Out::tight("0", Kind::Number))
            }
            ("$now", rest) => self.linked(Out::tight("now()", Kind::Time), rest),
            ("DateTime", [Link::Member { name: of, .. }, Link::Call(given), rest @ ..]) if given.is_empty() => {
                match of.as_str() {
                    "now" | "utc" | "local" => self.linked(Out::tight("now()", Kind::Time), rest),
                    other => Err(format!("`DateTime.{other}` is not supported")),
                }
            }
            ("DateTime", [Link::Member { name: of, .. }, Link::Call(given), rest @ ..])
                if of == "fromISO" && given.len() == 1 =>
            {
                let text = self.value(&given[0])?.text;
                self.linked(Out::tight(format!("timestamp({text})"), Kind::Time), rest)
            }
            ("$fromAI", _) => Err("only the tools of an agent can have arguments from a model".to_owned()),
            (function, [Link::Call(given), rest @ ..]) => {
                let of = self.function(function, None, given)?;
                self.linked(of, rest)
            }
            (space, [Link::Member { name: function, .. }, Link::Call(given), rest @ ..]) if !space.starts_with('$') => {
                let of = self.function(space, Some(function), given)?;
                self.linked(of, rest)
            }
            (word, _) => Err(format!("`{word}` is not supported")),
        }
    }

    fn placed(&mut self, place: &Place, links: &[Link]) -> Written {
        if let Some(note) = &place.note {
            self.note(note);
        }
        let of = self.whole(place);
        match place.take(links)? {
            Taken::Approved { links: taken } => {
                // The decision may be spelled `approve` or `approved`.
                let text = match self.is_cel() {
                    true => format!("{}.decision.startsWith('approve')", of.parenthesized()),
                    false => format!("({}.decision | startswith('approve'))", of.parenthesized()),
                };
                self.linked(Out::tight(text, Kind::Bool), &links[taken..])
            }
            Taken::Path { members, links: taken, note } => {
                if let Some(note) = note {
                    self.note(note);
                }
                let of = members.iter().fold(of, |of, name| match name.parse::<usize>() {
                    Ok(index) => Out::path(format!("{}[{index}]", of.parenthesized()), true),
                    Err(_) => Out::path(member(&of.parenthesized(), name), true),
                });
                self.linked(of, &links[taken..])
            }
        }
    }

    /// The first of its paths that exists.
    fn whole(&self, place: &Place) -> Out {
        let out = |path: &String| Out::path(path.clone(), path.contains(['.', '[']));
        let mut paths = place.paths.iter().rev();
        let Some(last) = paths.next() else { return Out::path("input", false) };
        paths.fold(out(last), |rest, path| {
            let test = match self.is_cel() {
                true => Out::tight(format!("has({path})"), Kind::Bool),
                false => Out::loose(format!("{path} is defined"), Kind::Bool),
            };
            self.choice(&test, &out(path), &rest, Kind::Unknown)
        })
    }

    /// All items of a node, which are its one output here.
    fn all(&mut self, place: &Place, links: &[Link]) -> Written {
        self.note("a node has one output here, not a list of items");
        let value = self.placed(place, &[])?;
        let list = Out::tight(format!("[{}]", value.text), Kind::List);
        match links {
            [Link::Member { name, .. }, Link::Call(given), rest @ ..] if matches!(given[..], [Js::Arrow(..)]) => {
                let of = self.each(list, name, &given[0], true)?;
                self.linked(of, rest)
            }
            rest => self.linked(list, rest),
        }
    }

    /// `list.map(x => …)` and the other functions over lists.
    pub fn each(&mut self, list: Out, walk: &str, function: &Js, is_item: bool) -> Written {
        let Js::Arrow(parameter, body) = function else { return Err(format!("`{walk}` needs a function")) };
        if !self.is_cel() {
            return self.attributes(list, walk, parameter, body, is_item);
        }
        let (name, kind) = match walk {
            "map" => ("map", Kind::List),
            "filter" | "find" => ("filter", Kind::List),
            "some" => ("exists", Kind::Bool),
            "every" => ("all", Kind::Bool),
            other => return Err(format!("`{other}` is not supported")),
        };
        self.bound.push(Bound { name: parameter.clone(), is_item });
        let body = if walk == "map" { self.value(body) } else { self.test(body) };
        self.bound.pop();
        let text = format!("{}.{name}({}, {})", list.parenthesized(), bound_name(parameter), body?.text);
        Ok(match walk {
            "find" => Out::tight(format!("{text}.first()"), Kind::Unknown),
            _ => Out::tight(text, kind),
        })
    }

    /// In a template, `map` can only take a member of each element.
    fn attributes(&self, list: Out, walk: &str, parameter: &str, body: &Js, is_item: bool) -> Written {
        let refused = || Err("a template cannot process a list this way".to_owned());
        let Js::Chain(root, links) = body else { return refused() };
        let names: Option<Vec<&str>> = links.iter().map(|link| name(Some(link))).collect();
        let Some(mut names) = names.filter(|_| walk == "map" && **root == Js::Name(parameter.to_owned())) else {
            return refused();
        };
        if is_item && names.first() == Some(&"json") {
            names.remove(0);
        }
        if names.is_empty() || names.iter().any(|name| name.contains('.') || *name == "length") {
            return refused();
        }
        let text = format!("({} | map(attribute={}))", list.parenthesized(), quoted(&names.join(".")));
        Ok(Out::tight(text, Kind::List))
    }
}

/// Names that a function must not bind, because they are our variables or keywords.
fn bound_name(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("_{letters}")
}
