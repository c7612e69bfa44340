//! The path of a value in its document. It is formatted only when a finding is reported.

use std::fmt::Write;

use domain::text::shorten;

#[derive(Clone, Copy)]
pub enum Path<'p> {
    Root(&'p str),
    Name(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    pub fn name(&'p self, name: &'p str) -> Self {
        Self::Name(self, name)
    }

    pub fn index(&'p self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// Formats the path with every name in full, as `config.headers.Accept[0]`. It identifies a field.
    pub fn full(&self) -> String {
        self.format_with(str::to_owned)
    }

    /// Formats the path for messages, with long names shortened.
    pub fn display(&self) -> String {
        self.format_with(|name| shorten(name).into_owned())
    }

    fn format_with(&self, format_name: impl Fn(&str) -> String + Copy) -> String {
        let mut segments = vec![self];
        let mut at = self;
        while let Self::Name(parent, _) | Self::Index(parent, _) = at {
            segments.push(parent);
            at = parent;
        }
        let mut path = String::new();
        for segment in segments.into_iter().rev() {
            // Writing to a string does not fail.
            let _ = match segment {
                Self::Root(root) => write!(path, "{root}"),
                Self::Name(_, name) => write!(path, ".{}", format_name(name)),
                Self::Index(_, index) => write!(path, "[{index}]"),
            };
        }
        path
    }

    /// The length of the full path in bytes. An index counts as four.
    pub fn len(&self) -> usize {
        match self {
            Self::Root(root) => root.len(),
            Self::Name(parent, name) => parent.len() + 1 + name.len(),
            Self::Index(parent, _) => parent.len() + 4,
        }
    }
}
