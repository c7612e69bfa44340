//! Parses the statements of Python. `expressions.rs` parses the expressions.

use super::lexer::{Placed, Refusal, Token, read};
use super::tree::{Expr, Function, Handler, Parameter, Statement, Try};

/// The deepest nesting of expressions and blocks.
const MAX_DEPTH: usize = 40;
/// The most operators and calls of one statement.
const MAX_LINKS: usize = 400;

pub struct Parser {
    pub tokens: Vec<Placed>,
    pub at: usize,
    pub depth: usize,
    /// How deep the source is inside of f-strings.
    pub formats: usize,
    /// The operators and calls of the current statement. Each one makes the tree deeper.
    pub links: usize,
}

pub type Parsed<T> = Result<T, Refusal>;

/// The statements of a module.
pub fn parse(source: &str) -> Parsed<Vec<Statement>> {
    let mut parser = Parser { tokens: read(source)?, at: 0, depth: 0, formats: 0, links: 0 };
    let mut statements = Vec::new();
    while *parser.peek() != Token::End {
        parser.statement(&mut statements)?;
    }
    Ok(statements)
}

impl Parser {
    pub fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub fn fail<T>(&self, why: impl AsRef<str>) -> Parsed<T> {
        let line = self.tokens.get(self.at.min(self.tokens.len() - 1)).map_or(1, |(_, line)| *line);
        Err(format!("{} in line {line}", why.as_ref()))
    }

    pub fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(next) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    pub fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        self.at += usize::from(is_next);
        is_next
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(next) if next == word)
    }

    pub fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.fail(format!("`{sign}` is missing")) }
    }

    pub fn name(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Name(name) => Ok(name),
            _ => self.fail("a name is missing"),
        }
    }

    /// Runs a part of the parser one level deeper.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("too deep nesting");
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Counts an operator or a call.
    pub fn link(&mut self) -> Parsed<()> {
        self.links += 1;
        if self.links > MAX_LINKS { self.fail("a very long statement") } else { Ok(()) }
    }

    fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        if matches!(self.peek(), Token::Newline) {
            self.at += 1;
            return Ok(());
        }
        let Token::Name(word) = self.peek().clone() else { return self.simple_line(into) };
        let is_compound =
            !matches!(self.tokens.get(self.at + 1), Some((Token::Sign("=" | "." | "," | "(" | "[" | ":"), _)))
                || matches!(&*word, "if" | "while" | "for" | "try");
        match &*word {
            "if" => into.push(self.nested(Self::choice)?),
            "for" => into.push(self.nested(Self::each)?),
            "while" => {
                self.at += 1;
                let condition = self.expression()?;
                let body = self.block()?;
                self.refuse_else()?;
                into.push(Statement::While(condition, body));
            }
            "try" => into.push(self.nested(Self::attempt)?),
            "def" => into.push(Statement::Define(self.nested(Self::function)?)),
            "class" | "with" | "async" | "match" | "yield" | "await" if is_compound => {
                return self.fail(format!("`{word}`"));
            }
            _ => return self.simple_line(into),
        }
        Ok(())
    }

    /// Statements of one line, between `;`.
    fn simple_line(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        loop {
            self.simple(into)?;
            if !self.takes(";") || matches!(self.peek(), Token::Newline) {
                break;
            }
        }
        match self.next() {
            Token::Newline | Token::End => Ok(()),
            _ => {
                self.at -= 1;
                self.fail("an unknown statement")
            }
        }
    }

    fn simple(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        self.links = 0;
        let ends = |token: &Token| matches!(token, Token::Newline | Token::Sign(";") | Token::End);
        if self.takes_word("import") {
            return self.imports(into);
        }
        if self.takes_word("from") {
            return self.members(into);
        }
        if self.takes_word("global") || self.takes_word("nonlocal") {
            let mut names = vec![self.name()?];
            while self.takes(",") {
                names.push(self.name()?);
            }
            into.push(Statement::Outer(names));
            return Ok(());
        }
        let statement = if self.takes_word("return") {
            Statement::Return(if ends(self.peek()) { None } else { Some(self.expressions()?) })
        } else if self.takes_word("raise") {
            let raised = if ends(self.peek()) { None } else { Some(self.expression()?) };
            if self.takes_word("from") {
                self.expression()?;
            }
            Statement::Raise(raised)
        } else if self.takes_word("pass") {
            Statement::Pass
        } else if self.takes_word("break") {
            Statement::Break
        } else if self.takes_word("continue") {
            Statement::Continue
        } else if self.takes_word("del") {
            match self.expressions()? {
                Expr::Tuple(targets) => Statement::Delete(targets),
                target => Statement::Delete(vec![target]),
            }
        } else if self.takes_word("assert") {
            let condition = self.expression()?;
            let message = if self.takes(",") { Some(self.expression()?) } else { None };
            Statement::Assert(condition, message)
        } else {
            self.assignment()?
        };
        into.push(statement);
        Ok(())
    }

    fn assignment(&mut self) -> Parsed<Statement> {
        let first = self.expressions()?;
        if self.takes(":") {
            self.expression()?;
            return match self.takes("=") {
                true => Ok(Statement::Assign(vec![first], self.expressions()?)),
                false => Ok(Statement::Pass),
            };
        }
        for (sign, operator) in
            [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/"), ("//=", "//"), ("%=", "%"), ("**=", "**"), ("|=", "|")]
        {
            if self.takes(sign) {
                return Ok(Statement::Update(first, operator, self.expressions()?));
            }
        }
        let mut parts = vec![first];
        while self.takes("=") {
            parts.push(self.expressions()?);
        }
        match (parts.pop(), parts.is_empty()) {
            (Some(value), false) => Ok(Statement::Assign(parts, value)),
            (Some(value), true) => Ok(Statement::Expr(value)),
            (None, _) => self.fail("an unknown statement"),
        }
    }

    fn dotted(&mut self) -> Parsed<String> {
        let mut name = self.name()?;
        while self.takes(".") {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    fn imports(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        loop {
            let module = self.dotted()?;
            let name = if self.takes_word("as") { self.name()? } else { module.clone() };
            into.push(Statement::Import(module, name));
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn members(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        let module = self.dotted()?;
        if !self.takes_word("import") {
            return self.fail("`import` is missing");
        }
        let has_brackets = self.takes("(");
        loop {
            let member = self.name()?;
            let name = if self.takes_word("as") { self.name()? } else { member.clone() };
            into.push(Statement::ImportFrom(module.clone(), member, name));
            if !self.takes(",") || matches!(self.peek(), Token::Sign(")")) {
                break;
            }
        }
        if has_brackets { self.expect(")") } else { Ok(()) }
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect(":")?;
        let mut body = Vec::new();
        if !matches!(self.peek(), Token::Newline) {
            self.simple_line(&mut body)?;
            return Ok(body);
        }
        self.at += 1;
        if self.next() != Token::Indent {
            return self.fail("a block is empty");
        }
        self.nested(|parser| {
            while !matches!(parser.peek(), Token::Dedent | Token::End) {
                parser.statement(&mut body)?;
            }
            parser.at += 1;
            Ok(body)
        })
    }

    fn refuse_else(&mut self) -> Parsed<()> {
        if self.is_word("else") { self.fail("`else` of a loop") } else { Ok(()) }
    }

    fn choice(&mut self) -> Parsed<Statement> {
        let (mut branches, mut otherwise) = (Vec::new(), Vec::new());
        while self.takes_word(if branches.is_empty() { "if" } else { "elif" }) {
            let condition = self.expression()?;
            branches.push((condition, self.block()?));
        }
        if self.takes_word("else") {
            otherwise = self.block()?;
        }
        Ok(Statement::If(branches, otherwise))
    }

    fn each(&mut self) -> Parsed<Statement> {
        self.at += 1;
        let target = self.targets()?;
        if !self.takes_word("in") {
            return self.fail("`in` is missing");
        }
        let items = self.expressions()?;
        let body = self.block()?;
        self.refuse_else()?;
        Ok(Statement::For(target, items, body))
    }

    fn attempt(&mut self) -> Parsed<Statement> {
        self.at += 1;
        let mut attempt = Try { body: self.block()?, handlers: Vec::new(), otherwise: Vec::new(), finally: Vec::new() };
        while self.takes_word("except") {
            let kinds = match self.peek() {
                Token::Sign(":") => None,
                _ => Some(self.kinds()?),
            };
            let name = if self.takes_word("as") { Some(self.name()?) } else { None };
            attempt.handlers.push(Handler { kinds, name, body: self.block()? });
        }
        if self.takes_word("else") {
            attempt.otherwise = self.block()?;
        }
        if self.takes_word("finally") {
            attempt.finally = self.block()?;
        }
        if attempt.handlers.is_empty() && attempt.finally.is_empty() {
            return self.fail("`except` is missing");
        }
        Ok(Statement::Try(attempt))
    }

    /// The names of exceptions, without their modules.
    fn kinds(&mut self) -> Parsed<Vec<String>> {
        let kinds = match self.expression()? {
            Expr::Tuple(kinds) => kinds,
            kind => vec![kind],
        };
        let name = |kind| match kind {
            Expr::Name(name) | Expr::Attribute(_, name) => Some(name),
            _ => None,
        };
        match kinds.into_iter().map(name).collect() {
            Some(names) => Ok(names),
            None => self.fail("an exception that is computed"),
        }
    }

    fn function(&mut self) -> Parsed<Function> {
        self.at += 1;
        let name = self.name()?;
        self.expect("(")?;
        let parameters = self.parameters(")", true)?;
        self.expect(")")?;
        if self.takes("->") {
            self.expression()?;
        }
        Ok(Function { name, parameters, body: self.block()? })
    }

    /// The parameters of a function, or of a lambda, which has no types.
    pub fn parameters(&mut self, end: &str, has_types: bool) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !matches!(self.peek(), Token::Sign(sign) if *sign == end) {
            if matches!(self.peek(), Token::Sign("*" | "**" | "/")) {
                return self.fail("a function with `*` parameters");
            }
            let name = self.name()?;
            if has_types && self.takes(":") {
                self.expression()?;
            }
            let default = if self.takes("=") { Some(self.expression()?) } else { None };
            parameters.push(Parameter { name, default });
            if !self.takes(",") {
                break;
            }
        }
        Ok(parameters)
    }
}
