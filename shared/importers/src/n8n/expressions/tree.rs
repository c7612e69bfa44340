//! The syntax tree of the JavaScript that workflows use in expressions.

/// An expression. The parser bounds its depth and length.
#[derive(Clone, Debug, PartialEq)]
pub enum Js {
    Null,
    Undefined,
    Bool(bool),
    /// The literal in our languages.
    Number(String),
    Text(String),
    /// A template literal.
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

impl Js {
    /// The height of the tree, where each link of a chain adds one. Computed without recursion, because a tree that is too
    /// deep must not be walked recursively.
    pub fn height(&self) -> usize {
        let (mut highest, mut open) = (0, vec![(self, 1)]);
        while let Some((js, height)) = open.pop() {
            highest = highest.max(height);
            let below = height + if let Self::Chain(_, links) = js { links.len() } else { 1 };
            match js {
                Self::Null | Self::Undefined | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Name(_) => {}
                Self::Not(of) | Self::Negative(of) | Self::Arrow(_, of) => open.push((of, below)),
                Self::Joined(items) | Self::New(_, items) | Self::List(items) => {
                    open.extend(items.iter().map(|item| (item, below)));
                }
                Self::Map(entries) => open.extend(entries.iter().map(|(_, entry)| (entry, below))),
                Self::Binary(_, left, right) => open.extend([(&**left, below), (&**right, below)]),
                Self::Conditional(test, then, otherwise) => {
                    open.extend([test, then, otherwise].map(|part| (&**part, below)));
                }
                Self::Chain(root, links) => {
                    open.push((root, below));
                    for link in links {
                        match link {
                            Link::Member { .. } => {}
                            Link::At(index) => open.push((index, below)),
                            Link::Call(given) => open.extend(given.iter().map(|given| (given, below))),
                        }
                    }
                }
            }
        }
        highest
    }
}
