//! JavaScript, so far as workflows use it to fill in values.

/// An expression. How deep it nests and how long it is, its reader bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Js {
    Null,
    Undefined,
    Bool(bool),
    /// As our languages write it.
    Number(String),
    Text(String),
    /// A text between back quotes.
    Joined(Vec<Js>),
    Name(String),
    /// `$json.a['b'].c()`
    Chain(Box<Js>, Vec<Link>),
    /// `new Date(…)`
    New(String, Vec<Js>),
    Not(Box<Js>),
    Negative(Box<Js>),
    Binary(&'static str, Box<Js>, Box<Js>),
    Conditional(Box<Js>, Box<Js>, Box<Js>),
    List(Vec<Js>),
    Map(Vec<(String, Js)>),
    /// `x => …`
    Arrow(String, Box<Js>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    Member { name: String, is_optional: bool },
    At(Js),
    Call(Vec<Js>),
}
