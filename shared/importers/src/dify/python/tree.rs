//! The syntax tree of the supported part of Python. Annotations of types are not kept.

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    None,
    Bool(bool),
    /// A number as it is written, without `_`.
    Number(String),
    Text(String),
    /// An f-string.
    Format(Vec<Part>),
    Name(String),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Set(Vec<Expr>),
    /// The entries of a dict. One without a key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Compare(Box<Expr>, Vec<(&'static str, Expr)>),
    /// `then if condition else other`, in the order condition, then, other.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Argument>),
    Attribute(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Vec<Option<Expr>>),
    Lambda(Vec<Parameter>, Box<Expr>),
    Comprehension(Collection, Box<Expr>, Option<Box<Expr>>, Vec<Clause>),
    Walrus(String, Box<Expr>),
    /// `*value`, in a call or a list.
    Star(Box<Expr>),
}

/// A part of an f-string.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    /// A value, with its conversion (`r`, `s`) and its format.
    Value(Expr, Option<char>, String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Plain(Expr),
    Named(String, Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub default: Option<Expr>,
}

/// What a comprehension gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    List,
    Set,
    Dict,
    Generator,
}

/// `for target in items if condition …`
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub target: Expr,
    pub items: Expr,
    pub conditions: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Expr(Expr),
    Assign(Vec<Expr>, Expr),
    /// `target += value`, with the operator without `=`.
    Update(Expr, &'static str, Expr),
    If(Vec<(Expr, Vec<Statement>)>, Vec<Statement>),
    For(Expr, Expr, Vec<Statement>),
    While(Expr, Vec<Statement>),
    Try(Try),
    Return(Option<Expr>),
    Raise(Option<Expr>),
    Delete(Vec<Expr>),
    Assert(Expr, Option<Expr>),
    Break,
    Continue,
    Pass,
    Define(Function),
    /// A module, and the name that it has in this code.
    Import(String, String),
    /// A module, its member, and the name of the member in this code.
    ImportFrom(String, String, String),
    /// `global` and `nonlocal`
    Outer(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    pub body: Vec<Statement>,
    pub handlers: Vec<Handler>,
    pub otherwise: Vec<Statement>,
    pub finally: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The names of the exceptions. None for all of them.
    pub kinds: Option<Vec<String>>,
    pub name: Option<String>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}
