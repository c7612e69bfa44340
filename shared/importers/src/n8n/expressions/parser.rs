//! Parses JavaScript expressions by operator precedence.

use super::lexer::{Token, tokens};
use super::tree::{Js, Link};

type Parsed = Result<Js, String>;

/// The deepest nesting of parentheses, brackets and prefix operators: the parser recurses into them.
const MAX_DEPTH: usize = 48;
/// The highest tree. Chains are parsed in a loop but written recursively. Our own limit is little more.
const MAX_HEIGHT: usize = 80;
/// From the loosest binding to the tightest.
const LEVELS: [&[&str]; 7] =
    [&["??"], &["||"], &["&&"], &["===", "!==", "==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

pub fn parse(text: &str) -> Parsed {
    parse_at(text, 0)
}

fn parse_at(text: &str, depth: usize) -> Parsed {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth };
    let expression = parser.expression()?;
    parser.consume(";");
    match parser.peek() {
        None if expression.height() > MAX_HEIGHT => Err(format!("it is nested deeper than {MAX_HEIGHT}")),
        None => Ok(expression),
        Some(token) => Err(unexpected(Some(token))),
    }
}

fn unexpected(token: Option<&Token>) -> String {
    match token {
        None => "the expression ends too early".to_owned(),
        Some(Token::Word(word)) => format!("unexpected `{word}`"),
        Some(Token::Sign(sign)) => format!("unexpected `{sign}`"),
        Some(_) => "unexpected value".to_owned(),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn consume(&mut self, sign: &str) -> bool {
        let is_there = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.consume(sign) { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        let expression = match self.arrow() {
            Some(parameter) => Js::Arrow(parameter, Box::new(self.expression()?)),
            None => self.conditional()?,
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// `x =>` or `(x) =>`
    fn arrow(&mut self) -> Option<String> {
        let (name, taken) = match self.tokens.get(self.at..)? {
            [Token::Word(name), Token::Sign("=>"), ..] => (name.clone(), 2),
            [Token::Sign("("), Token::Word(name), Token::Sign(")"), Token::Sign("=>"), ..] => (name.clone(), 4),
            _ => return None,
        };
        self.at += taken;
        Some(name)
    }

    fn conditional(&mut self) -> Parsed {
        let test = self.binary(0)?;
        if !self.consume("?") {
            return Ok(test);
        }
        let then = self.expression()?;
        self.expect(":")?;
        Ok(Js::Conditional(Box::new(test), Box::new(then), Box::new(self.expression()?)))
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(Token::Sign(sign)) = self.peek() {
            let Some(sign) = signs.iter().find(|known| *known == sign) else { break };
            self.at += 1;
            left = Js::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let mut signs = Vec::new();
        while let Some(Token::Sign(sign @ ("!" | "-" | "+"))) = self.peek() {
            signs.push(*sign);
            self.at += 1;
        }
        self.depth += signs.len();
        if self.depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        let of = self.chain()?;
        self.depth -= signs.len();
        Ok(signs.into_iter().rev().fold(of, |of, sign| match sign {
            "!" => Js::Not(Box::new(of)),
            "-" => Js::Negative(Box::new(of)),
            _ => Js::Chain(Box::new(Js::Name("Number".to_owned())), vec![Link::Call(vec![of])]),
        }))
    }

    fn chain(&mut self) -> Parsed {
        let root = self.primary()?;
        let mut links = Vec::new();
        loop {
            if self.consume("?.") {
                links.push(match self.peek() {
                    Some(Token::Sign("[")) => {
                        self.at += 1;
                        self.index()?
                    }
                    Some(Token::Sign("(")) => {
                        self.at += 1;
                        Link::Call(self.listed(")")?)
                    }
                    _ => Link::Member { name: self.word()?, is_optional: true },
                });
            } else if self.consume(".") {
                links.push(Link::Member { name: self.word()?, is_optional: false });
            } else if self.consume("[") {
                let index = self.index()?;
                links.push(index);
            } else if self.consume("(") {
                links.push(Link::Call(self.listed(")")?));
            } else {
                return Ok(if links.is_empty() { root } else { Js::Chain(Box::new(root), links) });
            }
        }
    }

    fn index(&mut self) -> Result<Link, String> {
        let index = self.expression()?;
        self.expect("]")?;
        Ok(match index {
            Js::Text(name) => Link::Member { name, is_optional: false },
            index => Link::At(index),
        })
    }

    fn word(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            token => Err(unexpected(token.as_ref())),
        }
    }

    fn listed(&mut self, close: &str) -> Result<Vec<Js>, String> {
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

    fn primary(&mut self) -> Parsed {
        Ok(match self.next() {
            Some(Token::Number(number)) => Js::Number(number),
            Some(Token::Text(text)) => Js::Text(text),
            Some(Token::Template(parts)) => {
                let parts = parts.into_iter().enumerate().filter(|(index, part)| index % 2 == 1 || !part.is_empty());
                let depth = self.depth;
                let parts = parts.map(|(index, part)| match index % 2 {
                    0 => Ok(Js::Text(part)),
                    _ => parse_at(&part, depth),
                });
                Js::Joined(parts.collect::<Result<_, _>>()?)
            }
            Some(Token::Word(word)) => return self.named(word),
            Some(Token::Sign("(")) => {
                let within = self.expression()?;
                self.expect(")")?;
                within
            }
            Some(Token::Sign("[")) => Js::List(self.listed("]")?),
            Some(Token::Sign("{")) => Js::Map(self.entries()?),
            token => return Err(unexpected(token.as_ref())),
        })
    }

    fn named(&mut self, word: String) -> Parsed {
        Ok(match word.as_str() {
            "true" => Js::Bool(true),
            "false" => Js::Bool(false),
            "null" => Js::Null,
            "undefined" => Js::Undefined,
            "new" => {
                let name = self.word()?;
                let arguments = if self.consume("(") { self.listed(")")? } else { Vec::new() };
                Js::New(name, arguments)
            }
            "function" | "return" | "var" | "let" | "const" | "if" | "for" | "while" | "await" | "async" | "this"
            | "typeof" | "delete" | "in" | "of" | "instanceof" => return Err(unexpected(Some(&Token::Word(word)))),
            _ => Js::Name(word),
        })
    }

    fn entries(&mut self) -> Result<Vec<(String, Js)>, String> {
        let mut entries = Vec::new();
        while !self.consume("}") {
            let (name, is_word) = match self.next() {
                Some(Token::Word(name)) => (name, true),
                Some(Token::Text(name) | Token::Number(name)) => (name, false),
                token => return Err(unexpected(token.as_ref())),
            };
            let value = match self.consume(":") {
                true => self.expression()?,
                false if is_word => Js::Name(name.clone()),
                false => return Err(unexpected(self.peek())),
            };
            entries.push((name, value));
            if !self.consume(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(entries)
    }
}
