//! The parser of CEL, by operator precedence: <https://github.com/google/cel-spec/blob/master/doc/langdef.md>. Bytes,
//! messages and optional values are not supported, because JSON has none.

use super::super::functions::{self, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{Expr, ExprKind, Literal, MAX_DEPTH, Parsed, number_too_large, too_deep};
use super::super::{SyntaxError, TextPosition, hints};
use super::lexer::{Token, tokens};
use super::macros::{build_comprehension, find_macro};
use super::nodes::{balanced, binary, build_call, member, optional};
use domain::translated;

/// The objects that hold functions in JavaScript, for hints.
const OBJECTS: [&str; 7] = ["Array", "Date", "JSON", "Math", "Number", "Object", "String"];

struct Parser {
    /// The tokens; the last one is [`Token::End`].
    tokens: std::iter::Peekable<std::vec::IntoIter<(Token, TextPosition)>>,
    end: TextPosition,
    depth: u16,
}

pub fn parse(text: &str) -> Parsed {
    let tokens = tokens(text)?;
    let end = tokens.last().map(|(_, at)| *at).unwrap_or_default();
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), end, depth: 0 };
    let expr = parser.expression()?;
    match parser.next() {
        (Token::End, _) => Ok(expr),
        (token, at) => Err(unexpected(&token, at)),
    }
}

fn unexpected(token: &Token, at: TextPosition) -> SyntaxError {
    let what = match token {
        Token::End => translated!("the expression ends too early", "la expresión termina demasiado pronto"),
        Token::Sign(sign) => translated!("`{sign}` is not expected here", "no se espera `{sign}` aquí"),
        Token::Word(word) => {
            translated!("`{word}` is not expected here", "no se espera `{word}` aquí").with(&hints::cel_word(word))
        }
        Token::Int(_) | Token::Uint(_) | Token::Float(_) => {
            translated!("a number is not expected here", "no se espera un número aquí")
        }
        Token::Text(_) => translated!("a string is not expected here", "no se espera una cadena aquí"),
        Token::Field(_) => {
            translated!("a field's name is not expected here", "no se espera el nombre de un campo aquí")
        }
    };
    SyntaxError::new(at, what)
}

/// The absolute value of the smallest integer.
const LEAST: u64 = i64::MIN.unsigned_abs();

fn boxed(parsed: Parsed) -> Result<Box<Expr>, SyntaxError> {
    parsed.map(Box::new)
}

impl Parser {
    fn peek(&mut self) -> &Token {
        self.tokens.peek().map_or(&Token::End, |(token, _)| token)
    }

    fn at(&mut self) -> TextPosition {
        self.tokens.peek().map_or(self.end, |(_, at)| *at)
    }

    fn next(&mut self) -> (Token, TextPosition) {
        self.tokens.next().unwrap_or((Token::End, self.end))
    }

    /// Consumes the operator if it is the next token, and returns whether it was.
    fn consume(&mut self, sign: &str) -> bool {
        let is_there = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if is_there {
            self.next();
        }
        is_there
    }

    fn expect(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.consume(sign) {
            return Ok(());
        }
        let (token, at) = self.next();
        let SyntaxError { at, message } = unexpected(&token, at);
        Err(SyntaxError::new(at, message.with(&translated!(": `{sign}` is missing", ": falta `{sign}`"))))
    }

    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.at()));
        }
        let test = self.logical(true)?;
        let at = self.at();
        let expr = if self.consume("?") {
            if let Token::Sign(sign @ ("?" | ".")) = *self.peek() {
                let sign = format!("?{sign}");
                let message = translated!("`{sign}` is not valid here", "`{sign}` no es válido aquí");
                return Err(SyntaxError::new(at, message.with(&hints::cel_sign(&sign))));
            }
            let then = boxed(self.expression())?;
            self.expect(":")?;
            let otherwise = boxed(self.expression())?;
            Expr::new(ExprKind::Conditional { test: Box::new(test), then, otherwise }, at)?
        } else {
            test
        };
        self.depth -= 1;
        Ok(expr)
    }

    /// Parses a chain of `||` or `&&`. Long chains are common, so the tree is balanced.
    fn logical(&mut self, is_or: bool) -> Parsed {
        let sign = if is_or { "||" } else { "&&" };
        let mut parts = Vec::new();
        loop {
            parts.push(if is_or { self.logical(false)? } else { self.relation()? });
            if !self.consume(sign) {
                return balanced(parts, is_or);
            }
        }
    }

    fn relation(&mut self) -> Parsed {
        let mut left = self.sum()?;
        loop {
            let at = self.at();
            let operator = match self.peek() {
                Token::Sign("==") => ExpressionOperator::Equal,
                Token::Sign("!=") => ExpressionOperator::NotEqual,
                Token::Sign("<") => ExpressionOperator::Less,
                Token::Sign("<=") => ExpressionOperator::AtMost,
                Token::Sign(">") => ExpressionOperator::Greater,
                Token::Sign(">=") => ExpressionOperator::AtLeast,
                Token::Word(word) if &**word == "in" => ExpressionOperator::In,
                _ => return Ok(left),
            };
            self.next();
            left = binary(operator, left, self.sum()?, at)?;
        }
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let at = self.at();
            let operator = match self.peek() {
                Token::Sign("+") => ExpressionOperator::Add,
                Token::Sign("-") => ExpressionOperator::Subtract,
                _ => return Ok(left),
            };
            self.next();
            left = binary(operator, left, self.product()?, at)?;
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let at = self.at();
            let operator = match self.peek() {
                Token::Sign("*") => ExpressionOperator::Multiply,
                Token::Sign("/") => ExpressionOperator::Divide,
                Token::Sign("%") => ExpressionOperator::Remainder,
                _ => return Ok(left),
            };
            self.next();
            left = binary(operator, left, self.unary()?, at)?;
        }
    }

    fn unary(&mut self) -> Parsed {
        let mut signs = Vec::new();
        while let Token::Sign(sign @ ("!" | "-")) = *self.peek() {
            let (_, at) = self.next();
            signs.push((sign, at));
        }
        // The smallest integer has no positive counterpart, so its sign is parsed with it.
        let mut expr = match (signs.last(), self.peek()) {
            (Some(&("-", at)), Token::Int(LEAST)) => {
                self.next();
                signs.pop();
                Expr::new(ExprKind::Literal(Literal::Int(i64::MIN)), at)?
            }
            _ => self.member()?,
        };
        for (sign, at) in signs.into_iter().rev() {
            let of = Box::new(expr);
            expr = Expr::new(if sign == "!" { ExprKind::Not(of) } else { ExprKind::Negative(of) }, at)?;
        }
        Ok(expr)
    }

    fn member(&mut self) -> Parsed {
        let mut of = self.primary()?;
        loop {
            let at = self.at();
            if self.consume(".") {
                of = match self.next() {
                    (Token::Field(name), at) => member(of, name, at)?,
                    (Token::Word(name), at) if self.consume("(") => self.call_on(of, &name, at)?,
                    (Token::Word(name), at) => member(of, name, at)?,
                    (token, at) => return Err(unexpected(&token, at)),
                };
            } else if self.consume("[") {
                let index = boxed(self.expression())?;
                self.expect("]")?;
                of = Expr::new(ExprKind::Index { of: Box::new(of), index, optional: false }, at)?;
            } else {
                return Ok(of);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let (token, at) = self.next();
        let kind = match token {
            Token::Int(number) => ExprKind::Literal(Literal::Int(number.try_into().map_err(|_| number_too_large(at))?)),
            Token::Uint(number) => {
                ExprKind::Literal(i64::try_from(number).map_or(Literal::Large(number), Literal::Int))
            }
            Token::Float(number) => ExprKind::Literal(Literal::Float(number)),
            Token::Text(text) => ExprKind::Literal(Literal::Text(text)),
            Token::Sign("(") => {
                let within = self.expression()?;
                self.expect(")")?;
                return Ok(within);
            }
            Token::Sign("[") => ExprKind::List(self.listed("]")?),
            Token::Sign("{") if matches!(self.peek(), Token::Sign("{" | "%")) => {
                return Err(SyntaxError::new(at, hints::BRACES));
            }
            Token::Sign("{") => ExprKind::Map(self.entries()?),
            Token::Word(word) => return self.named(word, at),
            token => return Err(unexpected(&token, at)),
        };
        Expr::new(kind, at)
    }

    fn named(&mut self, word: Box<str>, at: TextPosition) -> Parsed {
        const RESERVED: [&str; 18] = [
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "in",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while",
        ];
        if self.consume("(") {
            return self.call(&word, at);
        }
        let is_operand =
            matches!(self.peek(), Token::Word(_) | Token::Int(_) | Token::Uint(_) | Token::Float(_) | Token::Text(_));
        let kind = match &*word {
            "not" | "NOT" if is_operand => return Err(unexpected(&Token::Word(word), at)),
            "true" => ExprKind::Literal(Literal::Bool(true)),
            "false" => ExprKind::Literal(Literal::Bool(false)),
            "null" => ExprKind::Literal(Literal::Null),
            reserved if RESERVED.contains(&reserved) => return Err(unexpected(&Token::Word(word), at)),
            _ => ExprKind::Variable(word),
        };
        Expr::new(kind, at)
    }

    /// Parses expressions separated by commas, up to the closing token.
    fn listed(&mut self, close: &str) -> Result<Vec<Expr>, SyntaxError> {
        let mut items = Vec::new();
        while !self.consume(close) {
            items.push(self.expression()?);
            if !self.consume(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn entries(&mut self) -> Result<Vec<(Expr, Expr)>, SyntaxError> {
        let mut entries = Vec::new();
        while !self.consume("}") {
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
            if !self.consume(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(entries)
    }

    /// `f(…)`
    fn call(&mut self, name: &str, at: TextPosition) -> Parsed {
        let mut arguments = self.listed(")")?;
        if name == "has" {
            return match (arguments.len(), arguments.pop().map(|argument| argument.kind)) {
                (1, Some(kind @ (ExprKind::Member { .. } | ExprKind::Index { .. }))) => {
                    let of = Expr::new(optional(kind), at)?;
                    Expr::new(ExprKind::Has(Box::new(of)), at)
                }
                _ => {
                    let message = translated!(
                        "`has` takes one field, such as has(input.user.name)",
                        "`has` recibe un campo, como has(input.user.name)"
                    );
                    Err(SyntaxError::new(at, message))
                }
            };
        }
        build_call(name, arguments, at)
    }

    /// `x.f(…)`
    fn call_on(&mut self, of: Expr, name: &str, at: TextPosition) -> Parsed {
        let arguments = self.listed(")")?;
        match &of.kind {
            ExprKind::Variable(space) if matches!(&**space, "math" | "lists") => {
                return build_call(&format!("{space}.{name}"), arguments, at);
            }
            ExprKind::Variable(space) if OBJECTS.contains(&&**space) => {
                let hint = match functions::find_cel_function(name) {
                    Some(_) => translated!("; write {name}(x)", "; escriba {name}(x)"),
                    None => suggestions::suggest_in_cel(name),
                };
                let message = translated!("there is no `{space}`", "no existe `{space}`");
                return Err(SyntaxError::new(of.at, message.with(&hint)));
            }
            _ => {}
        }
        match find_macro(name, arguments.len()) {
            Some((kind, has_second)) => build_comprehension(kind, has_second, of, name, arguments, at),
            None => build_call(name, std::iter::once(of).chain(arguments).collect(), at),
        }
    }
}
