//! Writes the calls of Python as JavaScript.

use super::literals::{quote, quote_all};
use super::names::{Known, function, is_exception, is_field, member, method, variable};
use super::tree::{Argument, Expr, Parameter, Part};
use super::writer::{Writer, Written, split_arguments};

impl<'t> Writer<'t> {
    pub fn call(&mut self, called: &'t Expr, arguments: &'t [Argument]) -> Written {
        match called {
            Expr::Name(name) if self.is_variable(name) => self.call_variable(name, arguments),
            Expr::Name(name) if self.imports.contains_key(name) => {
                let path = self.imports[name].clone();
                self.call_member(&path, arguments)
            }
            Expr::Name(name) => self.call_function(name, arguments),
            Expr::Attribute(of, name) => {
                if let Some(path) = self.path(of) {
                    return self.call_member(&format!("{path}.{name}"), arguments);
                }
                self.call_method(of, name, arguments)
            }
            _ => Err("a call of a computed function".to_owned()),
        }
    }

    /// A function of the code, whose named arguments find their places.
    fn call_variable(&mut self, name: &str, arguments: &'t [Argument]) -> Written {
        let (plain, named) = split_arguments(arguments);
        let mut written = Vec::new();
        for value in &plain {
            written.push(match value {
                Expr::Star(items) => format!("...{}", self.iterated(items)?),
                value => self.value(value)?,
            });
        }
        if !named.is_empty() || self.functions.contains_key(name) {
            let Some(Some(parameters)) = self.functions.get(name).copied() else {
                return Err(format!("named arguments of `{name}`"));
            };
            let has_star = plain.iter().any(|value| matches!(value, Expr::Star(_)));
            if !has_star {
                self.place_named(name, parameters, named, &mut written)?;
            } else if !named.is_empty() {
                return Err(format!("named arguments of `{name}`"));
            }
        }
        Ok(format!("{}({})", variable(name), written.join(", ")))
    }

    fn place_named(
        &mut self,
        name: &str,
        parameters: &[Parameter],
        named: Vec<(&str, &'t Expr)>,
        written: &mut Vec<String>,
    ) -> Written<()> {
        let given = written.len();
        let mut rest: Vec<Option<String>> = vec![None; parameters.len().saturating_sub(given)];
        for (argument, value) in named {
            let place =
                parameters.iter().position(|parameter| parameter.name == argument).filter(|place| *place >= given);
            let Some(place) = place else { return Err(format!("the argument `{argument}` of `{name}`")) };
            rest[place - given] = Some(self.value(value)?);
        }
        let is_missing =
            |(place, value): (usize, &Option<String>)| value.is_none() && parameters[given + place].default.is_none();
        if given > parameters.len() || rest.iter().enumerate().any(is_missing) {
            return Err(format!("the number of arguments of `{name}`"));
        }
        while rest.last().is_some_and(Option::is_none) {
            rest.pop();
        }
        written.extend(rest.into_iter().map(|value| value.unwrap_or_else(|| "undefined".to_owned())));
        Ok(())
    }

    fn call_function(&mut self, name: &str, arguments: &'t [Argument]) -> Written {
        let (plain, named) = split_arguments(arguments);
        match name {
            "isinstance" => {
                let [value, kinds] = plain[..] else { return Err("`isinstance`".to_owned()) };
                let kinds = self.kinds(kinds)?;
                Ok(format!("$isinstance({}, {})", self.value(value)?, quote_all(&kinds)))
            }
            "set" | "dict" if named.is_empty() => {
                let javascript = if name == "set" { "$makeSet" } else { "$makeDict" }.to_owned();
                self.call_known(name, Known { javascript, parameters: vec!["v"] }, arguments, Vec::new())
            }
            "dict" if plain.is_empty() => {
                let mut entries = Vec::new();
                for (name, value) in named {
                    entries.push(format!("[{}, {}]", quote(name), self.value(value)?));
                }
                Ok(format!("new Map([{}])", entries.join(", ")))
            }
            "range" => {
                let mut written = Vec::new();
                for value in plain {
                    written.push(self.value(value)?);
                }
                Ok(format!("$range({})", written.join(", ")))
            }
            name if is_exception(name) => match plain[..] {
                [] => Ok(format!("$error({})", quote(name))),
                [value] => Ok(format!("$error({}, {})", quote(name), self.value(value)?)),
                _ => Err("an exception with several values".to_owned()),
            },
            name => match function(name) {
                Some(known) => self.call_known(name, known, arguments, Vec::new()),
                None => Err(format!("`{name}`")),
            },
        }
    }

    /// The names of the types in `isinstance`. Lists and tuples are the same here.
    fn kinds(&mut self, kinds: &Expr) -> Written<Vec<String>> {
        let kinds: Vec<&Expr> = match kinds {
            Expr::Tuple(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        let mut names = Vec::new();
        for kind in kinds {
            match kind {
                Expr::Name(name)
                    if matches!(&**name, "str" | "int" | "float" | "bool" | "list" | "dict" | "set" | "tuple") =>
                {
                    names.push(name.clone());
                }
                _ => return Err("`isinstance` with an unusual type".to_owned()),
            }
        }
        if names.iter().any(|name| name == "tuple") && !names.iter().any(|name| name == "list") {
            return Err("`isinstance` with `tuple`".to_owned());
        }
        Ok(names)
    }

    fn call_member(&mut self, path: &str, arguments: &'t [Argument]) -> Written {
        match member(path) {
            Some(known) => self.call_known(path, known, arguments, Vec::new()),
            None => Err(format!("`{path}`")),
        }
    }

    fn call_method(&mut self, of: &'t Expr, name: &str, arguments: &'t [Argument]) -> Written {
        if let (Expr::Text(text), "format") = (of, name) {
            return self.call_format(text, arguments);
        }
        if let Expr::Name(kind) = of
            && matches!(&**kind, "str" | "dict" | "list" | "int" | "float")
            && !self.is_variable(kind)
        {
            return Err(format!("`{kind}.{name}`"));
        }
        let Some(known) = method(name) else { return Err(format!("`.{name}`")) };
        let of = self.value(of)?;
        let of = if of.starts_with('-') || of.contains("=>") { format!("({of})") } else { of };
        if name == "sort" {
            let known = Known { javascript: known.javascript, parameters: vec!["key", "reverse"] };
            return self.call_known(name, known, arguments, vec![of]);
        }
        if name == "replace" && arguments.iter().all(|argument| matches!(argument, Argument::Named(..))) {
            let mut fields = Vec::new();
            for (field, value) in split_arguments(arguments).1 {
                if !is_field(field) && field != "tzinfo" {
                    return Err(format!("the argument `{field}` of `replace`"));
                }
                fields.push(format!("{field}: {}", self.value(value)?));
            }
            return Ok(format!("$changedDate({of}, {{{}}})", fields.join(", ")));
        }
        if name == "group" {
            let mut written = vec![of];
            for value in split_arguments(arguments).0 {
                written.push(self.value(value)?);
            }
            return Ok(format!("$m_group({})", written.join(", ")));
        }
        self.call_known(name, known, arguments, vec![of])
    }

    /// A call of the runtime: each argument at the place of its parameter.
    fn call_known(&mut self, name: &str, known: Known, arguments: &'t [Argument], mut written: Vec<String>) -> Written {
        let (plain, named) = split_arguments(arguments);
        let stars = known.parameters.iter().position(|parameter| *parameter == "*");
        let (mut places, parameters) = match stars {
            Some(at) => {
                let (before, rest) = plain.split_at_checked(at).ok_or_else(|| format!("the arguments of `{name}`"))?;
                let mut list = Vec::new();
                for value in rest {
                    list.push(match value {
                        Expr::Star(items) => format!("...{}", self.iterated(items)?),
                        value => self.value(value)?,
                    });
                }
                let mut places = Vec::new();
                for value in before {
                    places.push(self.value(value)?);
                }
                places.push(format!("[{}]", list.join(", ")));
                (places, &known.parameters[..])
            }
            None => {
                let mut places = Vec::new();
                for value in plain {
                    places.push(self.value(value)?);
                }
                (places, &known.parameters[..])
            }
        };
        if places.len() > parameters.len() {
            return Err(format!("the number of arguments of `{name}`"));
        }
        if name != "print" {
            let given = places.len();
            let mut rest: Vec<Option<String>> = vec![None; parameters.len() - given];
            for (argument, value) in named {
                let place = parameters.iter().position(|parameter| *parameter == argument && argument != "v");
                let Some(place) = place.filter(|place| *place >= given) else {
                    return Err(format!("the argument `{argument}` of `{name}`"));
                };
                rest[place - given] = Some(self.value(value)?);
            }
            while rest.last().is_some_and(Option::is_none) {
                rest.pop();
            }
            places.extend(rest.into_iter().map(|value| value.unwrap_or_else(|| "undefined".to_owned())));
        }
        written.extend(places);
        Ok(format!("{}({})", known.javascript, written.join(", ")))
    }

    /// `"… {} {name:.2f}".format(…)`
    fn call_format(&mut self, template: &str, arguments: &'t [Argument]) -> Written {
        let (plain, named) = split_arguments(arguments);
        let (mut parts, mut rest, mut next) = (Vec::new(), template, 0);
        while let Some(at) = rest.find(['{', '}']) {
            parts.push(Part::Text(rest[..at].to_owned()));
            let after = &rest[at..];
            if after.starts_with("{{") || after.starts_with("}}") {
                parts.push(Part::Text(after[..1].to_owned()));
                rest = &after[2..];
                continue;
            }
            let field = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let Some((field, behind)) = field else { return Err("the template of `format`".to_owned()) };
            let (name, format) = field.split_once(':').unwrap_or((field, ""));
            let place = if name.is_empty() { Some(next) } else { name.parse().ok() };
            next += usize::from(name.is_empty());
            let value = match place {
                Some(place) => plain.get(place).copied(),
                None => named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value),
            };
            let Some(value) = value else { return Err("the template of `format`".to_owned()) };
            let format = if format.is_empty() { String::new() } else { format!(", {}", quote(format)) };
            let value = self.value(value)?;
            parts.push(Part::Text(String::new()));
            parts.push(Part::Value(
                Expr::Text(format!("$format({value}{})", if format.is_empty() { ", \"\"" } else { &format })),
                None,
                String::new(),
            ));
            rest = behind;
        }
        parts.push(Part::Text(rest.to_owned()));
        let written = parts.into_iter().filter_map(|part| match part {
            Part::Text(text) if text.is_empty() => None,
            Part::Text(text) => Some(quote(&text)),
            Part::Value(Expr::Text(written), ..) => Some(written),
            Part::Value(..) => None,
        });
        let written: Vec<String> = written.collect();
        Ok(if written.is_empty() { "\"\"".to_owned() } else { format!("({})", written.join(" + ")) })
    }
}
