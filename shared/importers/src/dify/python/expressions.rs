//! Parses the expressions of Python.

use super::lexer::{Token, read, unescape};
use super::parser::{Parsed, Parser};
use super::tree::{Argument, Clause, Collection, Expr, Part};

/// Words that cannot be names of variables.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
/// The operators of each precedence, the weakest first.
const PRECEDENCES: [&[&str]; 5] = [&["|"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%"]];

impl Parser {
    /// One expression, or a tuple without brackets.
    pub fn expressions(&mut self) -> Parsed<Expr> {
        let first = self.starred()?;
        if !matches!(self.peek(), Token::Sign(",")) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.takes(",") {
            if matches!(self.peek(), Token::Newline | Token::End | Token::Sign("=" | ")" | "]" | ":" | ";")) {
                break;
            }
            items.push(self.starred()?);
        }
        Ok(Expr::Tuple(items))
    }

    fn starred(&mut self) -> Parsed<Expr> {
        if self.takes("*") { Ok(Expr::Star(Box::new(self.binary(0)?))) } else { self.expression() }
    }

    /// The target of a loop. Its `in` is no operator.
    pub fn targets(&mut self) -> Parsed<Expr> {
        let first = self.binary(0)?;
        if !matches!(self.peek(), Token::Sign(",")) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.takes(",") && !self.is_word("in") {
            items.push(self.binary(0)?);
        }
        Ok(Expr::Tuple(items))
    }

    pub fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            if parser.takes_word("lambda") {
                let parameters = parser.parameters(":", false)?;
                parser.expect(":")?;
                return Ok(Expr::Lambda(parameters, Box::new(parser.expression()?)));
            }
            if let (Token::Name(name), Some((Token::Sign(":="), _))) =
                (parser.peek().clone(), parser.tokens.get(parser.at + 1))
            {
                parser.at += 2;
                return Ok(Expr::Walrus(name, Box::new(parser.expression()?)));
            }
            let then = parser.either()?;
            if !parser.takes_word("if") {
                return Ok(then);
            }
            let condition = parser.either()?;
            if !parser.takes_word("else") {
                return parser.fail("`else` is missing");
            }
            let otherwise = parser.expression()?;
            Ok(Expr::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)))
        })
    }

    fn either(&mut self) -> Parsed<Expr> {
        let mut left = self.both()?;
        while self.takes_word("or") {
            self.link()?;
            left = Expr::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.takes_word("and") {
            self.link()?;
            left = Expr::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Expr> {
        if self.takes_word("not") {
            return self.nested(|parser| Ok(Expr::Not(Box::new(parser.negation()?))));
        }
        let left = self.binary(0)?;
        let mut others = Vec::new();
        while let Some(operator) = self.comparison() {
            others.push((operator, self.binary(0)?));
        }
        Ok(if others.is_empty() { left } else { Expr::Compare(Box::new(left), others) })
    }

    fn comparison(&mut self) -> Option<&'static str> {
        let sign = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|sign| self.takes(sign));
        if sign.is_some() {
            return sign;
        }
        if self.takes_word("in") {
            return Some("in");
        }
        if self.takes_word("is") {
            return Some(if self.takes_word("not") { "is not" } else { "is" });
        }
        let is_not_in =
            self.is_word("not") && matches!(self.tokens.get(self.at + 1), Some((Token::Name(word), _)) if word == "in");
        self.at += 2 * usize::from(is_not_in);
        is_not_in.then_some("not in")
    }

    pub fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = PRECEDENCES.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            self.link()?;
            left = Expr::Binary(operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if self.takes("-") {
            return self.nested(|parser| Ok(Expr::Negative(Box::new(parser.unary()?))));
        }
        if self.takes("+") {
            return self.nested(Self::unary);
        }
        let base = self.postfix()?;
        if self.takes("**") {
            let exponent = self.nested(Self::unary)?;
            return Ok(Expr::Binary("**", Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.atom()?;
        loop {
            self.link()?;
            value = if self.takes(".") {
                Expr::Attribute(Box::new(value), self.name()?)
            } else if self.takes("(") {
                let arguments = self.arguments()?;
                Expr::Call(Box::new(value), arguments)
            } else if self.takes("[") {
                self.subscript(value)?
            } else {
                return Ok(value);
            };
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            let is_named = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("="), _)));
            if matches!(self.peek(), Token::Sign("**")) {
                return self.fail("`**` in a call");
            }
            if let (Token::Name(name), true) = (self.peek().clone(), is_named) {
                self.at += 2;
                arguments.push(Argument::Named(name, self.expression()?));
            } else {
                let value = self.starred()?;
                let is_generator = self.is_word("for");
                arguments.push(Argument::Plain(match is_generator {
                    true => Expr::Comprehension(Collection::Generator, Box::new(value), None, self.clauses()?),
                    false => value,
                }));
            }
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(arguments)
    }

    fn subscript(&mut self, value: Expr) -> Parsed<Expr> {
        let mut bounds = Vec::new();
        let mut current = None;
        while !self.takes("]") {
            if self.takes(":") {
                bounds.push(current.take());
            } else {
                current = Some(self.expressions()?);
                if !matches!(self.peek(), Token::Sign(":" | "]")) {
                    return self.fail("an unknown index");
                }
            }
        }
        match (bounds.is_empty(), current) {
            (true, Some(index)) => Ok(Expr::Index(Box::new(value), Box::new(index))),
            (false, last) if bounds.len() <= 2 => {
                bounds.push(last);
                Ok(Expr::Slice(Box::new(value), bounds))
            }
            _ => self.fail("an unknown index"),
        }
    }

    fn clauses(&mut self) -> Parsed<Vec<Clause>> {
        let mut clauses = Vec::new();
        while self.takes_word("for") {
            let target = self.targets()?;
            if !self.takes_word("in") {
                return self.fail("`in` is missing");
            }
            let items = self.either()?;
            let mut conditions = Vec::new();
            while self.takes_word("if") {
                conditions.push(self.either()?);
            }
            clauses.push(Clause { target, items, conditions });
        }
        Ok(clauses)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        match self.next() {
            Token::Name(name) => match &*name {
                "None" => Ok(Expr::None),
                "True" => Ok(Expr::Bool(true)),
                "False" => Ok(Expr::Bool(false)),
                word if KEYWORDS.contains(&word) => {
                    self.at -= 1;
                    self.fail(format!("`{word}`"))
                }
                _ => Ok(Expr::Name(name)),
            },
            Token::Number(number) => Ok(Expr::Number(number)),
            token @ (Token::Text(_) | Token::Format(..)) => self.texts(token),
            Token::Sign("(") => self.brackets(),
            Token::Sign("[") => self.nested(|parser| {
                let items = parser.items("]")?;
                parser.collection(Collection::List, items, "]")
            }),
            Token::Sign("{") => self.nested(Self::braces),
            _ => {
                self.at -= 1;
                self.fail("an unknown expression")
            }
        }
    }

    fn brackets(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            if parser.takes(")") {
                return Ok(Expr::Tuple(Vec::new()));
            }
            let value = parser.expressions()?;
            let value = match parser.is_word("for") {
                true => Expr::Comprehension(Collection::Generator, Box::new(value), None, parser.clauses()?),
                false => value,
            };
            parser.expect(")")?;
            Ok(value)
        })
    }

    /// Items up to the closing bracket, or up to `for`.
    fn items(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        while !matches!(self.peek(), Token::Sign(sign) if *sign == end) && !self.is_word("for") {
            items.push(self.starred()?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(items)
    }

    fn collection(&mut self, kind: Collection, mut items: Vec<Expr>, end: &str) -> Parsed<Expr> {
        let value = match (self.is_word("for"), items.len()) {
            (true, 1) => Expr::Comprehension(kind, Box::new(items.swap_remove(0)), None, self.clauses()?),
            _ if kind == Collection::List => Expr::List(items),
            _ => Expr::Set(items),
        };
        self.expect(end)?;
        Ok(value)
    }

    fn braces(&mut self) -> Parsed<Expr> {
        let mut entries = Vec::new();
        loop {
            if self.takes("}") {
                return Ok(Expr::Dict(entries));
            }
            if self.takes("**") {
                entries.push((None, self.binary(0)?));
            } else {
                let key = self.starred()?;
                if !self.takes(":") {
                    if !entries.is_empty() {
                        return self.fail("`:` is missing");
                    }
                    let mut items = vec![key];
                    if self.takes(",") {
                        items.extend(self.items("}")?);
                    }
                    return self.collection(Collection::Set, items, "}");
                }
                let value = self.expression()?;
                if self.is_word("for") && entries.is_empty() {
                    let clauses = self.clauses()?;
                    self.expect("}")?;
                    return Ok(Expr::Comprehension(Collection::Dict, Box::new(key), Some(Box::new(value)), clauses));
                }
                entries.push((Some(key), value));
            }
            if !self.takes(",") {
                self.expect("}")?;
                return Ok(Expr::Dict(entries));
            }
        }
    }

    /// Texts in a row are one text.
    fn texts(&mut self, first: Token) -> Parsed<Expr> {
        let mut parts = Vec::new();
        self.add_text(first, &mut parts)?;
        while matches!(self.peek(), Token::Text(_) | Token::Format(..)) {
            let token = self.next();
            self.add_text(token, &mut parts)?;
        }
        if parts.iter().all(|part| matches!(part, Part::Text(_))) {
            let texts = parts.into_iter().map(|part| match part {
                Part::Text(text) => text,
                Part::Value(..) => String::new(),
            });
            return Ok(Expr::Text(texts.collect()));
        }
        Ok(Expr::Format(parts))
    }

    fn add_text(&mut self, token: Token, parts: &mut Vec<Part>) -> Parsed<()> {
        match token {
            Token::Text(text) => parts.push(Part::Text(text)),
            Token::Format(source, is_raw) => self.format(&source, is_raw, parts)?,
            _ => {}
        }
        Ok(())
    }

    fn format(&mut self, source: &str, is_raw: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        if self.formats >= 3 {
            return self.fail("nested f-strings");
        }
        let mut rest = source;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                parts.push(Part::Text(rest[..1].to_owned()));
                rest = after;
            } else if rest.starts_with('}') {
                return self.fail("`}` in an f-string");
            } else if let Some(after) = rest.strip_prefix('{') {
                let Some(end) = value_end(after) else { return self.fail("`{` in an f-string") };
                parts.push(self.format_value(&after[..end])?);
                rest = &after[end + 1..];
            } else {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                let literal = &rest[..end];
                parts.push(Part::Text(if is_raw { literal.to_owned() } else { unescape(literal)? }));
                rest = &rest[end..];
            }
        }
        Ok(())
    }

    /// `value!r:format`
    fn format_value(&mut self, source: &str) -> Parsed<Part> {
        let tokens = read(&format!("({})", split_format(source).0))?;
        let mut inner = Self { tokens, at: 0, depth: self.depth, formats: self.formats + 1, links: self.links };
        let value = inner.expression()?;
        if !matches!(inner.peek(), Token::Newline) {
            return self.fail("an unknown f-string");
        }
        let (_, conversion, format) = split_format(source);
        if format.contains(['{', '}']) {
            return self.fail("a computed format");
        }
        Ok(Part::Value(value, conversion, format.to_owned()))
    }
}

/// The end of a value in an f-string: the brace that closes it.
fn value_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The value, its conversion and its format.
fn split_format(source: &str) -> (&str, Option<char>, &str) {
    let (mut depth, mut quote, mut end) = (0usize, None, source.len());
    for (at, c) in source.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ':') if depth == 0 => {
                end = at;
                break;
            }
            (None, '!') if depth == 0 && !source[at..].starts_with("!=") => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let rest = &source[end..];
    let conversion = rest.strip_prefix('!').and_then(|rest| rest.chars().next());
    let format = rest.split_once(':').map_or("", |(_, format)| format);
    (&source[..end], conversion, format)
}
