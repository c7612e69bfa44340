//! The expression tree (AST) that CEL and Jinja are parsed into.

use std::sync::Arc;

use super::functions::Function;
use super::operators::ExpressionOperator;
use super::{SyntaxError, TextPosition};
use domain::translated;

/// The maximum nesting of expressions. It bounds the recursion of parsing, evaluation and drop.
pub const MAX_DEPTH: u16 = 100;

/// A parsed expression, or the reason why it is refused.
pub type Parsed = Result<Expr, SyntaxError>;

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub at: TextPosition,
    depth: u16,
}

#[derive(Debug)]
pub enum ExprKind {
    Literal(Literal),
    Variable(Box<str>),
    /// With `optional`, a missing member is undefined, and an error only when it is used.
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
    /// With `lenient`, undefined operands are allowed, as in Jinja: undefined equals only undefined, and is in nothing.
    Binary {
        operator: ExpressionOperator,
        left: Box<Expr>,
        right: Box<Expr>,
        lenient: bool,
    },
    /// `&&` and `||` of CEL: an operand that fails does not matter if the other one decides.
    Logical {
        is_or: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `and` and `or` of Jinja, which return one of the operands.
    Either {
        is_or: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// The truth value that a template gives to a value.
    Truth(Box<Expr>),
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Has(Box<Expr>),
    /// The value if it is defined, otherwise the default.
    Default {
        value: Box<Expr>,
        otherwise: Box<Expr>,
        also_for_false: bool,
    },
    Comprehension(Box<Comprehension>),
    /// A match against a literal regular expression, which was validated.
    Matches {
        text: Box<Expr>,
        pattern: Box<str>,
    },
    Call {
        function: &'static Function,
        arguments: Vec<Expr>,
    },
}

/// A comprehension over a list or a map: a macro of CEL, or a filter of Jinja.
#[derive(Debug)]
pub struct Comprehension {
    pub over: Expr,
    pub variable: Arc<str>,
    /// With a second variable, the first one is the index or the key, and the second one the value.
    pub second: Option<Arc<str>>,
    pub kind: ComprehensionKind,
    /// The condition that selects elements.
    pub filter: Option<Expr>,
    /// The value that an element is mapped to.
    pub result: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    Collect,
    /// Collects the results in a map under their keys.
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

pub fn too_deep(at: TextPosition) -> SyntaxError {
    let message = translated!(
        "this is nested deeper than {MAX_DEPTH} levels; nest it less",
        "esto tiene más de {MAX_DEPTH} niveles de anidamiento; anídelo menos"
    );
    SyntaxError::new(at, message)
}

pub fn number_too_large(at: TextPosition) -> SyntaxError {
    SyntaxError::new(at, translated!("the number is too large", "el número es demasiado grande"))
}

pub fn not_finite(at: TextPosition) -> SyntaxError {
    SyntaxError::new(at, translated!("not a finite number", "no es un número finito"))
}

pub fn not_a_number(at: TextPosition) -> SyntaxError {
    SyntaxError::new(at, translated!("not a number", "no es un número"))
}

impl Expr {
    /// Creates a node, and refuses a tree that is nested too deeply to be evaluated.
    pub fn new(kind: ExprKind, at: TextPosition) -> Parsed {
        let mut depth = 0;
        kind.each_child(&mut |child| depth = depth.max(child.depth + 1));
        if depth > MAX_DEPTH {
            return Err(too_deep(at));
        }
        Ok(Self { kind, at, depth })
    }

    /// Returns the path, such as `input.user.name`, if the expression is a plain one.
    pub fn path(&self) -> Option<String> {
        match &self.kind {
            // Internal names begin with a NUL and are not shown.
            ExprKind::Variable(name) => (!name.starts_with('\0')).then(|| name.to_string()),
            ExprKind::Member { of, name, .. } => Some(format!("{}.{name}", of.path()?)),
            _ => None,
        }
    }
}

impl ExprKind {
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
            Self::Comprehension(comprehension) => {
                look(&comprehension.over);
                comprehension.filter.iter().chain(&comprehension.result).for_each(look);
            }
        }
    }
}
