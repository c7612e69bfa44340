//! The lexer of CEL: splits a text into tokens.

use super::super::tree::{not_a_number, not_finite, number_too_large};
use super::super::{SyntaxError, TextPosition, hints};
use domain::translated;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// An integer without its sign, which is an operator.
    Int(u64),
    /// An integer with the suffix `u`.
    Uint(u64),
    Float(f64),
    Text(Box<str>),
    Word(Box<str>),
    /// The name of a field in backticks.
    Field(Box<str>),
    Sign(&'static str),
    End,
}

/// The operators and brackets, longer ones first.
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", "{", "}", ".", ",", "-", "+", "*", "/", "%", "?", ":", "!",
    "<", ">",
];

struct Lexer<'t> {
    rest: &'t str,
    at: TextPosition,
    /// Whether the previous token is a dot.
    is_behind_dot: bool,
}

/// Returns the tokens of a text, the last of them [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<(Token, TextPosition)>, SyntaxError> {
    let mut lexer = Lexer { rest: text, at: TextPosition { line: 1, column: 1 }, is_behind_dot: false };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let at = lexer.at;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        lexer.is_behind_dot = token == Token::Sign(".");
        tokens.push((token, at));
        if is_end {
            return Ok(tokens);
        }
    }
}

impl<'t> Lexer<'t> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.at = TextPosition { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let text = &self.rest[..bytes];
        for _ in text.chars() {
            self.next();
        }
        text
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn skip_space(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, SyntaxError> {
        let at = self.at;
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        let second = self.rest[first.len_utf8()..].chars().next().unwrap_or(' ');
        if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
            return self.number(at);
        }
        if let Some(text) = self.text(at)? {
            return Ok(text);
        }
        if let Some(field) = self.field() {
            return Ok(field);
        }
        if first.is_alphabetic() || first == '_' {
            return Ok(Token::Word(self.take_while(|c| c.is_alphanumeric() || c == '_').into()));
        }
        for sign in SIGNS {
            if self.rest.starts_with(sign) {
                self.take(sign.len());
                return Ok(Token::Sign(sign));
            }
        }
        let message = translated!("`{}` is not valid here", "`{}` no es válido aquí", first.escape_debug());
        Err(SyntaxError::new(at, message.with(&hints::cel_sign(self.rest))))
    }

    /// A field name in backticks, as in x.`content-type`.
    fn field(&mut self) -> Option<Token> {
        let within = self.rest.strip_prefix('`').filter(|_| self.is_behind_dot)?;
        let name = &within[..within.find('`')?];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        self.take(name.len() + 2);
        Some(Token::Field(name.into()))
    }

    fn number(&mut self, at: TextPosition) -> Result<Token, SyntaxError> {
        let problem = || not_a_number(at);
        if self.rest.starts_with("0x") || self.rest.starts_with("0X") {
            self.take(2);
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            let number = u64::from_str_radix(digits, 16).map_err(|_| problem())?;
            return self.integer(number, at);
        }
        let start = self.rest;
        self.take_while(|c| c.is_ascii_digit());
        let mut is_whole = true;
        if self.rest.starts_with('.') && self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            is_whole = false;
            self.next();
            self.take_while(|c| c.is_ascii_digit());
        }
        if self.rest.starts_with(['e', 'E']) {
            is_whole = false;
            self.next();
            if self.rest.starts_with(['+', '-']) {
                self.next();
            }
            self.take_while(|c| c.is_ascii_digit());
        }
        let digits = &start[..start.len() - self.rest.len()];
        if is_whole {
            let number = digits.parse().map_err(|_| number_too_large(at))?;
            return self.integer(number, at);
        }
        let number: f64 = digits.parse().map_err(|_| problem())?;
        if number.is_infinite() {
            return Err(not_finite(at));
        }
        self.end_of_number(at)?;
        Ok(Token::Float(number))
    }

    fn integer(&mut self, number: u64, at: TextPosition) -> Result<Token, SyntaxError> {
        let is_unsigned = self.rest.starts_with(['u', 'U']);
        if is_unsigned {
            self.next();
        }
        self.end_of_number(at)?;
        Ok(if is_unsigned { Token::Uint(number) } else { Token::Int(number) })
    }

    fn end_of_number(&self, at: TextPosition) -> Result<(), SyntaxError> {
        if self.rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return Err(not_a_number(at));
        }
        Ok(())
    }

    fn text(&mut self, at: TextPosition) -> Result<Option<Token>, SyntaxError> {
        let prefix = self.rest.len() - self.rest.trim_start_matches(['r', 'R', 'b', 'B']).len();
        let Some(quote) = self.rest[prefix..].chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return Ok(None);
        };
        let marks = &self.rest[..prefix];
        if prefix > 1 || marks.contains(['b', 'B']) {
            let message =
                translated!("bytes are not supported; write a string", "no se admiten bytes; escriba una cadena");
            return Err(SyntaxError::new(at, message));
        }
        let is_raw = prefix == 1;
        self.take(prefix);
        let triple: String = [quote; 3].iter().collect();
        let is_long = self.rest.starts_with(&triple);
        let close = if is_long { triple } else { quote.to_string() };
        self.take(close.len());

        let mut text = String::new();
        loop {
            if self.rest.starts_with(&close) {
                self.take(close.len());
                return Ok(Some(Token::Text(text.into())));
            }
            let here = self.at;
            match self.next() {
                None => {
                    let message = translated!(
                        "the string is not closed; add the closing quote",
                        "la cadena no está cerrada; añada la comilla de cierre"
                    );
                    return Err(SyntaxError::new(at, message));
                }
                Some('\n') if !is_long => {
                    let message =
                        translated!("the string is not closed on its line", "la cadena no está cerrada en su línea");
                    return Err(SyntaxError::new(at, message));
                }
                Some('\\') if !is_raw => text.push(self.escape_sequence(here)?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape_sequence(&mut self, at: TextPosition) -> Result<char, SyntaxError> {
        let problem =
            || SyntaxError::new(at, translated!("unknown escape sequence", "secuencia de escape desconocida"));
        let code = |lexer: &mut Self, digits: usize, radix| {
            let code = lexer.rest.get(..digits).and_then(|code| u32::from_str_radix(code, radix).ok());
            let c = code.and_then(char::from_u32).ok_or_else(problem)?;
            lexer.take(digits);
            Ok(c)
        };
        let is_octal = self.rest.starts_with(|c: char| matches!(c, '0'..='3'));
        if is_octal {
            return code(self, 3, 8);
        }
        match self.next().ok_or_else(problem)? {
            'a' => Ok('\x07'),
            'b' => Ok('\x08'),
            'f' => Ok('\x0c'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\x0b'),
            c @ ('\\' | '\'' | '"' | '`' | '?') => Ok(c),
            'x' | 'X' => code(self, 2, 16),
            'u' => code(self, 4, 16),
            'U' => code(self, 8, 16),
            _ => Err(problem()),
        }
    }
}
