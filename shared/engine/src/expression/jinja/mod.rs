//! Texts, in Jinja: minijinja reads them, the tree of this platform renders them. One template knows no other, so there
//! are no includes; macros are left out, since with recursion they would be programs.

mod depth;
mod filters;
mod lower;
mod render;
mod size;
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use minijinja::machinery::{ast, parse};

use super::evaluate::Evaluation;
use super::references::{self, Reference};
use super::tree::Expr;
use super::{Failure, Position, Problem, Scope, hints};

pub const MAX_BYTES: usize = 64 * 1024;

/// A text with places to fill.
#[derive(Debug)]
pub struct Template {
    body: Vec<Statement>,
    /// A lone `{{ … }}`: its value may be taken as it is, and not as text.
    is_value: bool,
}

#[derive(Debug)]
enum Statement {
    Text(Box<str>),
    Print(Expr),
    For(Box<For>),
    /// The first branch that is true; the last may have no test.
    If(Vec<(Option<Expr>, Vec<Statement>)>),
    With {
        values: Vec<(Target, Expr)>,
        body: Vec<Statement>,
    },
    Set {
        target: Target,
        value: Expr,
    },
    /// What the body prints, changed by a filter over [`BLOCK`]: bound to a name, or printed.
    Capture {
        name: Option<Arc<str>>,
        filter: Option<Expr>,
        body: Vec<Statement>,
    },
}

#[derive(Debug)]
struct For {
    target: Target,
    over: Expr,
    filter: Option<Expr>,
    /// Whether the body asks `loop` where it is.
    tells_place: bool,
    body: Vec<Statement>,
    otherwise: Vec<Statement>,
}

/// The name that a value gets, or the names that its elements get.
#[derive(Debug)]
enum Target {
    Name(Arc<str>),
    Names(Vec<Arc<str>>),
}

/// What a filter over a block is called on. No name that can be written.
const BLOCK: &str = "\0block";

impl Template {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let start = Position { line: 1, column: 1 };
        if text.len() > MAX_BYTES {
            return Err(Problem::new(start, "a template has at most 65536 bytes"));
        }
        size::check(text)?;
        let read = parse(text, "template", Default::default()).map_err(|error| syntax(&error, text))?;
        let ast::Stmt::Template(template) = &read else { return Err(Problem::new(start, "not a template")) };
        let body = lower::statements(&template.children)?;
        let is_value = matches!(&body[..], [Statement::Print(_)]);
        Ok(Self { body, is_value })
    }

    /// What it names of what is around it.
    pub fn references(&self) -> Vec<Reference> {
        let mut names = HashSet::from(["loop", BLOCK]);
        each(&self.body, &mut |statement| bound(statement, &mut names));
        named(&self.body, &|name| names.contains(name))
    }

    pub fn render(&self, scope: &Scope) -> Result<String, Failure> {
        render::Rendering::new(Evaluation::new(scope)).text(&self.body)
    }

    /// The value of a template that is nothing but one `{{ … }}`, else its text.
    pub fn value(&self, scope: &Scope) -> Result<serde_json::Value, Failure> {
        match &self.body[..] {
            [Statement::Print(expr)] if self.is_value => {
                let mut evaluation = Evaluation::new(scope);
                let value = evaluation.defined(expr)?;
                value.output(&mut evaluation.budget).map_err(|why| Failure::new(why, expr))
            }
            _ => self.render(scope).map(Into::into),
        }
    }
}

/// What minijinja finds wrong. Its words speak of the template, which is the user's own.
fn syntax(error: &minijinja::Error, text: &str) -> Problem {
    let line = error.line().unwrap_or(1) as u32;
    let start = error.range().map_or(0, |range| range.start);
    let before = text.get(..start).unwrap_or_default();
    let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let hint = text.get(start..).and_then(hints::jinja_sign).map(|hint| format!("; {hint}")).unwrap_or_default();
    let detail = format!("{detail}{hint}");
    Problem::new(Position { line, column }, detail)
}

/// What statements name that the text does not bind itself.
fn named(body: &[Statement], is_bound: &dyn Fn(&str) -> bool) -> Vec<Reference> {
    let mut found = Vec::new();
    each(body, &mut |statement| {
        for expr in expressions(statement) {
            references::collect(expr, is_bound, &mut found);
        }
    });
    found
}

/// Every statement, those within others too.
fn each<'t>(body: &'t [Statement], look: &mut dyn FnMut(&'t Statement)) {
    for statement in body {
        look(statement);
        match statement {
            Statement::For(walk) => {
                each(&walk.body, look);
                each(&walk.otherwise, look);
            }
            Statement::If(branches) => branches.iter().for_each(|(_, body)| each(body, look)),
            Statement::With { body, .. } | Statement::Capture { body, .. } => each(body, look),
            Statement::Text(_) | Statement::Print(_) | Statement::Set { .. } => {}
        }
    }
}

fn bound<'t>(statement: &'t Statement, names: &mut HashSet<&'t str>) {
    let mut add = |target: &'t Target| match target {
        Target::Name(name) => {
            names.insert(name);
        }
        Target::Names(all) => names.extend(all.iter().map(|name| &**name)),
    };
    match statement {
        Statement::For(walk) => add(&walk.target),
        Statement::Set { target, .. } => add(target),
        Statement::With { values, .. } => values.iter().for_each(|(target, _)| add(target)),
        Statement::Capture { name: Some(name), .. } => {
            names.insert(name);
        }
        _ => {}
    }
}

fn expressions(statement: &Statement) -> Vec<&Expr> {
    match statement {
        Statement::Text(_) => Vec::new(),
        Statement::Print(expr) | Statement::Set { value: expr, .. } => vec![expr],
        Statement::For(walk) => std::iter::once(&walk.over).chain(&walk.filter).collect(),
        Statement::If(branches) => branches.iter().filter_map(|(test, _)| test.as_ref()).collect(),
        Statement::With { values, .. } => values.iter().map(|(_, value)| value).collect(),
        Statement::Capture { filter, .. } => filter.iter().collect(),
    }
}
