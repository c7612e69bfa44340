//! Splits Python into tokens. Indentation becomes tokens, too.

/// Why the code is not translated, for the report.
pub type Refusal = String;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    Number(String),
    Text(String),
    /// The source of an f-string without its quotes, and whether it is raw.
    Format(String, bool),
    Sign(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
}

/// A token and its line.
pub type Placed = (Token, usize);

/// The operators, the longest first.
const SIGNS: [&str; 48] = [
    "**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "@=", "**", "//", "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=", "+", "-", "*", "/", "%",
    "<", ">", "&", "|", "^", "~", "@", "!",
];

pub fn read(source: &str) -> Result<Vec<Placed>, Refusal> {
    let mut lexer = Lexer { rest: source, line: 1, depth: 0, indents: vec![0], tokens: Vec::new() };
    lexer.read_all()?;
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    rest: &'s str,
    line: usize,
    /// The number of open brackets.
    depth: usize,
    indents: Vec<usize>,
    tokens: Vec<Placed>,
}

impl Lexer<'_> {
    fn read_all(&mut self) -> Result<(), Refusal> {
        let mut starts_line = true;
        loop {
            if starts_line && self.depth == 0 {
                self.read_indent()?;
            }
            starts_line = false;
            self.rest = self.rest.trim_start_matches([' ', '\t', '\u{c}', '\r']);
            let Some(c) = self.rest.chars().next() else { break };
            match c {
                '\n' => {
                    self.skip(1);
                    if self.depth == 0
                        && !matches!(
                            self.tokens.last(),
                            None | Some((Token::Newline | Token::Indent | Token::Dedent, _))
                        )
                    {
                        self.push(Token::Newline);
                    }
                    self.line += 1;
                    starts_line = true;
                }
                '#' => self.skip(self.rest.find('\n').unwrap_or(self.rest.len())),
                '\\' if self.rest[1..].trim_start_matches('\r').starts_with('\n') => {
                    self.skip(self.rest.find('\n').unwrap_or(0) + 1);
                    self.line += 1;
                }
                c if c.is_alphabetic() || c == '_' => self.read_word()?,
                c if c.is_ascii_digit() => self.read_number()?,
                '.' if self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.read_number()?,
                '"' | '\'' => self.read_text("")?,
                c => self.read_sign(c)?,
            }
        }
        if !matches!(self.tokens.last(), None | Some((Token::Newline, _))) {
            self.push(Token::Newline);
        }
        for _ in 1..self.indents.len() {
            self.push(Token::Dedent);
        }
        self.push(Token::End);
        Ok(())
    }

    fn push(&mut self, token: Token) {
        self.tokens.push((token, self.line));
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn fail<T>(&self, why: &str) -> Result<T, Refusal> {
        Err(format!("{why} in line {}", self.line))
    }

    fn read_indent(&mut self) -> Result<(), Refusal> {
        let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\u{c}']).len();
        let after = &self.rest[blank..];
        // Lines without a statement do not count.
        if after.is_empty() || after.starts_with(['\n', '\r', '#']) {
            return Ok(());
        }
        let width =
            self.rest[..blank].chars().fold(0, |width, c| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 });
        let current = self.indents.last().copied().unwrap_or(0);
        if width > current {
            self.indents.push(width);
            self.push(Token::Indent);
        }
        while self.indents.last().is_some_and(|indent| *indent > width) {
            self.indents.pop();
            self.push(Token::Dedent);
        }
        if self.indents.last() != Some(&width) {
            return self.fail("the indentation is wrong");
        }
        Ok(())
    }

    fn read_word(&mut self) -> Result<(), Refusal> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        let is_prefix = end <= 2 && word.chars().all(|c| "rRbBfFuU".contains(c));
        if is_prefix && self.rest[end..].starts_with(['"', '\'']) {
            let word = word.to_ascii_lowercase();
            self.skip(end);
            return self.read_text(&word);
        }
        self.push(Token::Name(word.to_owned()));
        self.skip(end);
        Ok(())
    }

    fn read_number(&mut self) -> Result<(), Refusal> {
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while let Some(byte) = bytes.get(end) {
            let is_sign = matches!(byte, b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || is_sign) {
                break;
            }
            end += 1;
        }
        let number = self.rest[..end].replace('_', "").to_ascii_lowercase();
        let is_plain =
            number.parse::<f64>().is_ok() && number.bytes().all(|byte| !byte.is_ascii_alphabetic() || byte == b'e');
        if !is_plain
            || number.len() > 20
            || (number.len() > 1 && number.starts_with('0') && !number.contains(['.', 'e']))
        {
            return self.fail("a number has an unusual form");
        }
        self.push(Token::Number(number));
        self.skip(end);
        Ok(())
    }

    fn read_text(&mut self, prefix: &str) -> Result<(), Refusal> {
        if prefix.contains('b') {
            return self.fail("bytes");
        }
        let quote = &self.rest[..1];
        let triple = quote.repeat(3);
        let quote = if self.rest.starts_with(&triple) { triple } else { quote.to_owned() };
        self.skip(quote.len());
        let (mut end, mut is_escaped) = (0, false);
        loop {
            let Some(c) = self.rest[end..].chars().next() else { return self.fail("a text does not end") };
            if !is_escaped && self.rest[end..].starts_with(&quote) {
                break;
            }
            if c == '\n' {
                if quote.len() == 1 && !is_escaped {
                    return self.fail("a text does not end");
                }
                self.line += 1;
            }
            is_escaped = c == '\\' && !is_escaped;
            end += c.len_utf8();
        }
        let inner = self.rest[..end].replace("\r\n", "\n");
        let is_raw = prefix.contains('r');
        let token = match prefix.contains('f') {
            true => Token::Format(inner, is_raw),
            false if is_raw => Token::Text(inner),
            false => Token::Text(unescape(&inner)?),
        };
        self.push(token);
        self.skip(end + quote.len());
        Ok(())
    }

    fn read_sign(&mut self, c: char) -> Result<(), Refusal> {
        let Some(sign) = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)) else {
            return self.fail(&format!("the character `{c}`"));
        };
        match sign {
            "(" | "[" | "{" => self.depth += 1,
            ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.push(Token::Sign(sign));
        self.skip(sign.len());
        Ok(())
    }
}

/// The text of a literal. An escape that Python does not know stays as it is.
pub fn unescape(source: &str) -> Result<String, Refusal> {
    let (mut text, mut rest) = (String::with_capacity(source.len()), source);
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let Some(c) = after.chars().next() else { return Err("a text ends with a backslash".to_owned()) };
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        rest = &after[c.len_utf8()..];
        match c {
            '\n' => {}
            '\\' | '\'' | '"' => text.push(c),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            '0' if !rest.starts_with(|c: char| c.is_digit(8)) => text.push('\0'),
            '0'..='7' | 'N' => return Err(format!("the escape `\\{c}` in a text")),
            'x' | 'u' | 'U' => {
                let code = rest.get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                let Some(decoded) = code.and_then(char::from_u32) else {
                    return Err(format!("the escape `\\{c}` in a text"));
                };
                text.push(decoded);
                rest = &rest[digits..];
            }
            c => {
                text.push('\\');
                text.push(c);
            }
        }
    }
    Ok(text + rest)
}
