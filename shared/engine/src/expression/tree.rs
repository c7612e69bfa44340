//! The one form that conditions and templates are read into, whatever language they are written in.

use std::sync::Arc;

use super::functions::Function;
use super::operators::Operator;
use super::{Position, Problem};

/// How deep expressions nest: reading, evaluating and dropping one recurses no further than this.
pub const MAX_DEPTH: u16 = 100;

#[derive(Debug)]
pub struct Expr {
    pub kind: Kind,
    pub at: Position,
    depth: u16,
}

#[derive(Debug)]
pub enum Kind {
    Literal(Literal),
    Variable(Box<str>),
    /// `optional`: what is not there is undefined, and no error until it is used.
    Member {
        of: Box<Expr>,
        name: Box<str>,
        optional: bool,
    },
    Index {
        of: Box<Expr>,
        index: Box<Expr>,
        optional: bool,
    },
    Slice {
        of: Box<Expr>,
        bounds: Box<[Option<Expr>; 3]>,
    },
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    /// `lenient`: what is not there equals nothing else and is in nothing, as in Jinja; elsewhere it is an error.
    Binary {
        operator: Operator,
        left: Box<Expr>,
        right: Box<Expr>,
        lenient: bool,
    },
    /// CEL's: an operand that fails does not matter when the other decides.
    Logical {
        is_or: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Jinja's: one of the operands itself.
    Either {
        is_or: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// What a template takes as true.
    Truth(Box<Expr>),
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Has(Box<Expr>),
    /// The first when it is there, else the second.
    Default {
        value: Box<Expr>,
        otherwise: Box<Expr>,
        also_for_false: bool,
    },
    Each(Box<Each>),
    /// A pattern that is written out, and known to be one.
    Matches {
        text: Box<Expr>,
        pattern: Box<str>,
    },
    Call {
        function: &'static Function,
        arguments: Vec<Expr>,
    },
}

/// A walk over a list.
#[derive(Debug)]
pub struct Each {
    pub over: Expr,
    pub variable: Arc<str>,
    /// With it the first is the place in a list or the key in a map, and this is the value.
    pub second: Option<Arc<str>>,
    pub what: Walk,
    /// Which elements count.
    pub filter: Option<Expr>,
    /// What an element becomes.
    pub result: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    Collect,
    /// The results under the keys that they are made of.
    CollectMap,
    All,
    Exists,
    ExistsOne,
}

#[derive(Debug)]
pub enum Literal {
    Undefined,
    Null,
    Bool(bool),
    Int(i64),
    Large(u64),
    Float(f64),
    Text(Box<str>),
}

impl Expr {
    /// Refuses what nests deeper than can be evaluated.
    pub fn new(kind: Kind, at: Position) -> Result<Self, Problem> {
        let mut depth = 0;
        kind.each_child(&mut |child| depth = depth.max(child.depth + 1));
        if depth > MAX_DEPTH {
            return Err(Problem::new(at, format!("nests deeper than {MAX_DEPTH}")));
        }
        Ok(Self { kind, at, depth })
    }

    /// `input.user.name`, when it is a plain path.
    pub fn path(&self) -> Option<String> {
        match &self.kind {
            // Some names cannot be written, and are nothing to show.
            Kind::Variable(name) => (!name.starts_with('\0')).then(|| name.to_string()),
            Kind::Member { of, name, .. } => Some(format!("{}.{name}", of.path()?)),
            _ => None,
        }
    }
}

impl Kind {
    pub fn each_child(&self, look: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Literal(_) | Self::Variable(_) => {}
            Self::Member { of: one, .. }
            | Self::Not(one)
            | Self::Negative(one)
            | Self::Truth(one)
            | Self::Has(one)
            | Self::Matches { text: one, .. } => {
                look(one);
            }
            Self::Index { of: left, index: right, .. }
            | Self::Binary { left, right, .. }
            | Self::Logical { left, right, .. }
            | Self::Either { left, right, .. }
            | Self::Default { value: left, otherwise: right, .. } => {
                look(left);
                look(right);
            }
            Self::Slice { of, bounds } => {
                look(of);
                bounds.iter().flatten().for_each(look);
            }
            Self::List(items) | Self::Call { arguments: items, .. } => items.iter().for_each(look),
            Self::Map(entries) => entries.iter().for_each(|(key, value)| {
                look(key);
                look(value);
            }),
            Self::Conditional { test, then, otherwise } => {
                look(test);
                look(then);
                look(otherwise);
            }
            Self::Each(each) => {
                look(&each.over);
                each.filter.iter().chain(&each.result).for_each(look);
            }
        }
    }
}
