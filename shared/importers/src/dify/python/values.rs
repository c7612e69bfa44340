//! Writes the expressions of Python as JavaScript. `calls.rs` writes the calls.

use super::literals::{operation, quote};
use super::names::{constant, function, is_field, variable};
use super::tree::{Clause, Collection, Expr, Part};
use super::writer::{Writer, Written, is_simple};

impl<'t> Writer<'t> {
    /// The expression, where an argument may be.
    pub fn value(&mut self, value: &'t Expr) -> Written {
        Ok(match value {
            Expr::None => "null".to_owned(),
            Expr::Bool(value) => value.to_string(),
            Expr::Number(number) => write_number(number)?,
            Expr::Text(text) => quote(text),
            Expr::Format(parts) => self.format(parts)?,
            Expr::Name(name) => self.name(name)?,
            Expr::List(items) | Expr::Tuple(items) => format!("[{}]", self.items(items)?),
            Expr::Set(items) => format!("$makeSet([{}])", self.items(items)?),
            Expr::Dict(entries) => self.dict(entries)?,
            Expr::Negative(value) => match &**value {
                Expr::Number(number) if !number.contains(['.', 'e']) => format!("-{}", write_number(number)?),
                value => format!("$neg({})", self.value(value)?),
            },
            Expr::Not(_) | Expr::Compare(..) => self.condition(value)?,
            Expr::And(left, right) | Expr::Or(left, right) => {
                if self.is_condition(left) && self.is_condition(right) {
                    return self.condition(value);
                }
                let name = if matches!(value, Expr::And(..)) { "$and" } else { "$or" };
                let right = self.value(right)?;
                format!("{name}({}, () => {right})", self.value(left)?)
            }
            Expr::Binary(operator, left, right) => {
                if matches!((&**left, *operator), (Expr::Text(_) | Expr::Format(_), "%")) {
                    return Err("formatting with `%`".to_owned());
                }
                let is_text = *operator == "+" && self.is_text(left) && self.is_text(right);
                let (left, right) = (self.value(left)?, self.value(right)?);
                if is_text { format!("{left} + {right}") } else { operation(operator, &left, &right)? }
            }
            Expr::Choice(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                format!("(({condition}) ? {} : {})", self.value(then)?, self.value(otherwise)?)
            }
            Expr::Call(called, arguments) => self.call(called, arguments)?,
            Expr::Attribute(of, name) => self.attribute(of, name)?,
            Expr::Index(of, index) => format!("$at({}, {})", self.value(of)?, self.value(index)?),
            Expr::Slice(of, bounds) => {
                let mut parts = vec![self.value(of)?];
                for bound in bounds {
                    parts.push(bound.as_ref().map_or(Ok("null".to_owned()), |bound| self.value(bound))?);
                }
                format!("$slice({})", parts.join(", "))
            }
            Expr::Lambda(parameters, body) => {
                if parameters.iter().any(|parameter| parameter.default.is_some()) {
                    return Err("a default of a lambda".to_owned());
                }
                let names: Vec<String> = parameters.iter().map(|parameter| variable(&parameter.name)).collect();
                self.scopes.push(parameters.iter().map(|parameter| parameter.name.clone()).collect());
                let body = self.value(body)?;
                self.scopes.pop();
                format!("({}) => {body}", names.join(", "))
            }
            Expr::Comprehension(kind, value, other, clauses) => {
                self.comprehension(*kind, value, other.as_deref(), clauses)?
            }
            Expr::Walrus(name, value) => format!("({} = {})", variable(name), self.value(value)?),
            Expr::Star(_) => return Err("`*` before a value".to_owned()),
        })
    }

    pub fn items(&mut self, items: &'t [Expr]) -> Written {
        let mut written = Vec::new();
        for item in items {
            written.push(match item {
                Expr::Star(items) => format!("...{}", self.iterated(items)?),
                item => self.value(item)?,
            });
        }
        Ok(written.join(", "))
    }

    /// A value that is iterated.
    pub fn iterated(&mut self, items: &'t Expr) -> Written {
        let written = self.value(items)?;
        let is_list = match items {
            Expr::List(_) | Expr::Tuple(_) | Expr::Comprehension(..) => true,
            Expr::Call(called, _) => match &**called {
                Expr::Name(name) => {
                    matches!(&**name, "range" | "enumerate" | "zip" | "sorted" | "list") && !self.is_variable(name)
                }
                Expr::Attribute(_, name) => {
                    matches!(&**name, "items" | "keys" | "values" | "split" | "splitlines" | "findall")
                }
                _ => false,
            },
            _ => false,
        };
        Ok(if is_list { written } else { format!("$iter({written})") })
    }

    fn name(&mut self, name: &str) -> Written {
        if self.is_variable(name) {
            return Ok(variable(name));
        }
        if let Some(path) = self.imports.get(name) {
            return constant(path).map(str::to_owned).ok_or_else(|| format!("`{path}`"));
        }
        match name {
            "set" => Ok("$makeSet".to_owned()),
            "dict" => Ok("$makeDict".to_owned()),
            "__name__" => Ok("\"main\"".to_owned()),
            name => match function(name).filter(|known| !known.parameters.contains(&"*")) {
                Some(known) => Ok(known.javascript),
                None => Err(format!("`{name}`")),
            },
        }
    }

    /// The path of a module or of its member.
    pub fn path(&self, value: &Expr) -> Option<String> {
        match value {
            Expr::Name(name) if !self.is_variable(name) => self.imports.get(name).cloned(),
            Expr::Attribute(of, name) => Some(format!("{}.{name}", self.path(of)?)),
            _ => None,
        }
    }

    fn attribute(&mut self, of: &'t Expr, name: &str) -> Written {
        if let Some(path) = self.path(of) {
            let path = format!("{path}.{name}");
            return constant(&path).map(str::to_owned).ok_or_else(|| format!("`{path}`"));
        }
        match of {
            Expr::Call(called, arguments)
                if name == "__name__" && matches!(&**called, Expr::Name(of) if of == "type") =>
            {
                match &arguments[..] {
                    [super::tree::Argument::Plain(value)] => Ok(format!("$typeName({})", self.value(value)?)),
                    _ => Err("`type`".to_owned()),
                }
            }
            Expr::Name(kind) if matches!(&**kind, "str" | "dict" | "list") && !self.is_variable(kind) => {
                super::names::method(name).map(|known| known.javascript).ok_or_else(|| format!("`.{name}`"))
            }
            of if is_field(name) => Ok(format!("$field({}, {})", self.value(of)?, quote(name))),
            _ => Err(format!("`.{name}`")),
        }
    }

    fn dict(&mut self, entries: &'t [(Option<Expr>, Expr)]) -> Written {
        let mut written = Vec::new();
        for (key, value) in entries {
            written.push(match key {
                Some(key) => {
                    let is_text = self.is_text(key);
                    let key = self.value(key)?;
                    let key = if is_text { key } else { format!("$key({key})") };
                    format!("[{key}, {}]", self.value(value)?)
                }
                None => format!("...$makeDict({})", self.value(value)?),
            });
        }
        Ok(if written.is_empty() { "new Map()".to_owned() } else { format!("new Map([{}])", written.join(", ")) })
    }

    pub fn format(&mut self, parts: &'t [Part]) -> Written {
        let mut written = "`".to_owned();
        for part in parts {
            match part {
                Part::Text(text) => {
                    written.push_str(
                        &text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${").replace('\r', "\\r"),
                    );
                }
                Part::Value(value, None, format) if format.is_empty() && typed(value).is_some() => {
                    let value = typed(value).map_or(Ok(String::new()), |value| self.value(value))?;
                    written.push_str(&format!("<class '${{$typeName({value})}}'>"));
                }
                Part::Value(value, conversion, format) => {
                    let is_text = self.is_text(value);
                    let value = self.value(value)?;
                    let value = match conversion {
                        None => value,
                        Some('r') => format!("$repr({value})"),
                        Some('s') => format!("$str({value})"),
                        Some(_) => return Err("a conversion in an f-string".to_owned()),
                    };
                    let value = match (format.is_empty(), is_text || conversion.is_some()) {
                        (true, true) => value,
                        (true, false) => format!("$str({value})"),
                        (false, _) => format!("$format({value}, {})", quote(format)),
                    };
                    written.push_str(&format!("${{{value}}}"));
                }
            }
        }
        written.push('`');
        Ok(written)
    }

    fn comprehension(
        &mut self,
        kind: Collection,
        value: &'t Expr,
        other: Option<&'t Expr>,
        clauses: &'t [Clause],
    ) -> Written {
        let [first, ..] = clauses else { return Err("a comprehension".to_owned()) };
        // The first list is evaluated outside.
        let mut items = self.iterated(&first.items)?;
        let targets: Vec<&Expr> = clauses.iter().map(|clause| &clause.target).collect();
        self.own_targets(&targets);
        let (mut head, mut closing) = (String::new(), String::new());
        for (place, clause) in clauses.iter().enumerate() {
            if place > 0 {
                items = self.iterated(&clause.items)?;
            }
            match &clause.target {
                Expr::Name(name) => head.push_str(&format!("for (const {} of {items}) ", variable(name))),
                target => {
                    let item = self.temporary();
                    let (pattern, count) = self.pattern(target)?;
                    head.push_str(&format!(
                        "for (const {item} of {items}) {{ const {pattern} = $unpack({item}, {count}); "
                    ));
                    closing.push_str(" }");
                }
            }
            for condition in &clause.conditions {
                let condition = self.condition(condition)?;
                head.push_str(&format!("if ({condition}) "));
            }
        }
        let value_text = self.value(value)?;
        let is_text = self.is_text(value);
        let yielded = match (kind, other) {
            (Collection::Dict, Some(other)) => {
                let key = if is_text { value_text } else { format!("$key({value_text})") };
                format!("[{key}, {}]", self.value(other)?)
            }
            _ => value_text,
        };
        self.scopes.pop();
        let generator = format!("(function* () {{ {head}yield {yielded};{closing} }})()");
        Ok(match kind {
            Collection::Generator => generator,
            Collection::List => format!("[...{generator}]"),
            Collection::Set => format!("$makeSet({generator})"),
            Collection::Dict => format!("new Map({generator})"),
        })
    }

    /// Whether the value is a bool for sure.
    pub fn is_condition(&self, value: &Expr) -> bool {
        match value {
            Expr::Bool(_) | Expr::Not(_) | Expr::Compare(..) => true,
            Expr::And(left, right) | Expr::Or(left, right) => self.is_condition(left) && self.is_condition(right),
            Expr::Call(called, _) => match &**called {
                Expr::Name(name) => matches!(&**name, "isinstance" | "any" | "all" | "bool") && !self.is_variable(name),
                Expr::Attribute(_, name) => {
                    matches!(&**name, "startswith" | "endswith" | "isdigit" | "isspace" | "isalpha")
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the value is a text for sure.
    pub fn is_text(&self, value: &Expr) -> bool {
        match value {
            Expr::Text(_) | Expr::Format(_) => true,
            Expr::Binary("+", left, right) => self.is_text(left) && self.is_text(right),
            Expr::Call(called, _) => match &**called {
                Expr::Name(name) => matches!(&**name, "str" | "repr") && !self.is_variable(name),
                Expr::Attribute(of, name) => {
                    matches!(&**name, "join" | "strip" | "lower" | "upper" | "lstrip" | "rstrip")
                        && self.path(of).is_none()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The expression as a condition: a bool of JavaScript.
    pub fn condition(&mut self, value: &'t Expr) -> Written {
        Ok(match value {
            Expr::Not(value) => {
                let condition = self.condition(value)?;
                let is_tight =
                    matches!(**value, Expr::Call(..) | Expr::Name(_) | Expr::Index(..)) && !condition.contains(' ');
                if is_tight { format!("!{condition}") } else { format!("!({condition})") }
            }
            Expr::And(left, right) => format!("({} && {})", self.condition(left)?, self.condition(right)?),
            Expr::Or(left, right) => format!("({} || {})", self.condition(left)?, self.condition(right)?),
            Expr::Compare(left, others) => {
                if others.len() > 1 && others[..others.len() - 1].iter().any(|(_, value)| !is_simple(value)) {
                    return Err("a chain of comparisons".to_owned());
                }
                let (mut parts, mut left) = (Vec::new(), &**left);
                for (operator, right) in others {
                    parts.push(self.compare(left, operator, right)?);
                    left = right;
                }
                if parts.len() == 1 { parts.swap_remove(0) } else { format!("({})", parts.join(" && ")) }
            }
            value if self.is_condition(value) => self.value(value)?,
            value => format!("$truth({})", self.value(value)?),
        })
    }

    fn compare(&mut self, left: &'t Expr, operator: &str, right: &'t Expr) -> Written {
        if let (Some(value), Expr::Name(kind), "==" | "!=" | "is" | "is not") = (typed(left), right, operator)
            && matches!(&**kind, "str" | "int" | "float" | "bool" | "list" | "dict")
            && !self.is_variable(kind)
        {
            let sign = if matches!(operator, "==" | "is") { "===" } else { "!==" };
            return Ok(format!("$typeName({}) {sign} {}", self.value(value)?, quote(kind)));
        }
        let is_text = matches!(left, Expr::Text(_)) || matches!(right, Expr::Text(_));
        let is_single = matches!(right, Expr::None | Expr::Bool(_));
        let (one, other) = (self.value(left)?, self.value(right)?);
        let tight = |text: String, value: &Expr| match value {
            Expr::Binary(..) | Expr::Lambda(..) | Expr::Compare(..) | Expr::Not(_) => format!("({text})"),
            _ => text,
        };
        Ok(match operator {
            "==" if is_text || matches!(right, Expr::None) => {
                format!("{} === {}", tight(one, left), tight(other, right))
            }
            "!=" if is_text || matches!(right, Expr::None) => {
                format!("{} !== {}", tight(one, left), tight(other, right))
            }
            "==" => format!("$eq({one}, {other})"),
            "!=" => format!("!$eq({one}, {other})"),
            "<" => format!("$lt({one}, {other})"),
            "<=" => format!("$le({one}, {other})"),
            ">" => format!("$gt({one}, {other})"),
            ">=" => format!("$ge({one}, {other})"),
            "in" => format!("$contains({other}, {one})"),
            "not in" => format!("!$contains({other}, {one})"),
            "is" if is_single => format!("{} === {other}", tight(one, left)),
            "is not" if is_single => format!("{} !== {other}", tight(one, left)),
            other => return Err(format!("the operator `{other}`")),
        })
    }
}

/// The value in `type(value)`.
fn typed(value: &Expr) -> Option<&Expr> {
    let Expr::Call(called, arguments) = value else { return None };
    match (&**called, &arguments[..]) {
        (Expr::Name(name), [super::tree::Argument::Plain(value)]) if name == "type" => Some(value),
        _ => None,
    }
}

fn write_number(number: &str) -> Written {
    if number.contains(['.', 'e']) {
        let value: f64 = number.parse().map_err(|_| "a number".to_owned())?;
        return Ok(if value.fract() == 0.0 { format!("$real({value:?})") } else { format!("{value:?}") });
    }
    match number.parse::<u64>() {
        Ok(value) if value < 1 << 53 => Ok(value.to_string()),
        _ => Err("a large number".to_owned()),
    }
}
