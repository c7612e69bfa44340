//! Jinja templates: parsed by minijinja, rendered by our evaluator. A template cannot include another one. Macros are
//! not supported, because recursive macros would be programs.

mod depth;
mod filters;
mod is_tests;
mod lower;
mod nodes;
mod render;
mod size;

use std::collections::HashSet;
use std::sync::Arc;

use domain::language::Translated;
use domain::translated;
use minijinja::machinery::{ast, parse};

use super::evaluate::Evaluation;
use super::references::{self, VariableReference};
use super::tree::Expr;
use super::{EvaluationError, Scope, SyntaxError, TextPosition, hints};

pub const MAX_BYTES: usize = 64 * 1024;

/// A parsed template.
#[derive(Debug)]
pub struct JinjaTemplate {
    body: Vec<Statement>,
    /// Whether the template is a single `{{ … }}`, whose value may be used as it is and not as text.
    is_value: bool,
}

#[derive(Debug)]
enum Statement {
    Text(Box<str>),
    Print(Expr),
    For(Box<For>),
    /// Renders the first branch whose test is true; the last branch may have no test.
    If(Vec<(Option<Expr>, Vec<Statement>)>),
    With {
        values: Vec<(Target, Expr)>,
        body: Vec<Statement>,
    },
    Set {
        target: Target,
        value: Expr,
    },
    /// Renders the body to a text, applies a filter over [`BLOCK`] to it, and binds it to a name or prints it.
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
    /// Whether the body uses the variable `loop`.
    uses_loop: bool,
    body: Vec<Statement>,
    otherwise: Vec<Statement>,
}

/// The variable that a value is bound to, or the variables for its elements.
#[derive(Debug)]
enum Target {
    Name(Arc<str>),
    Names(Vec<Arc<str>>),
}

/// The internal variable that a block filter is applied to. It cannot be written in a template.
const BLOCK: &str = "\0block";

impl JinjaTemplate {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let start = TextPosition { line: 1, column: 1 };
        if text.len() > MAX_BYTES {
            let message = translated!(
                "the template is longer than 65536 bytes; shorten it",
                "la plantilla tiene más de 65536 bytes; acórtela"
            );
            return Err(SyntaxError::new(start, message));
        }
        size::check(text)?;
        let parsed = parse(text, "template", Default::default()).map_err(|error| syntax_problem(&error, text))?;
        let ast::Stmt::Template(template) = &parsed else {
            return Err(SyntaxError::new(start, translated!("not a template", "no es una plantilla")));
        };
        let body = lower::statements(&template.children)?;
        let is_value = matches!(&body[..], [Statement::Print(_)]);
        Ok(Self { body, is_value })
    }

    /// Returns the variables that the template refers to and does not bind itself.
    pub fn references(&self) -> Vec<VariableReference> {
        let mut names = HashSet::from(["loop", BLOCK]);
        visit_statements(&self.body, &mut |statement| collect_bound_names(statement, &mut names));
        collect_references(&self.body, &|name| names.contains(name))
    }

    pub fn render(&self, scope: &Scope) -> Result<String, EvaluationError> {
        render::Rendering::new(Evaluation::new(scope)).text(&self.body)
    }

    /// Returns the value of a template that is a single `{{ … }}`, otherwise its text.
    pub fn value(&self, scope: &Scope) -> Result<serde_json::Value, EvaluationError> {
        match &self.body[..] {
            [Statement::Print(expr)] if self.is_value => {
                let mut evaluation = Evaluation::new(scope);
                let value = evaluation.defined(expr)?;
                value.output(&mut evaluation.budget).map_err(|cause| EvaluationError::new(cause, expr))
            }
            _ => self.render(scope).map(Into::into),
        }
    }
}

/// Converts a syntax error of minijinja. Its message quotes only the template, which is the user's own text.
fn syntax_problem(error: &minijinja::Error, text: &str) -> SyntaxError {
    let line = error.line().unwrap_or(1) as u32;
    let start = error.range().map_or(0, |range| range.start);
    let before = text.get(..start).unwrap_or_default();
    let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
    // minijinja writes its messages in English only.
    let detail = Translated::untranslated(error.detail().map_or_else(|| error.kind().to_string(), str::to_owned));
    let hint = text.get(start..).map(hints::jinja_sign).unwrap_or_default();
    SyntaxError::new(TextPosition { line, column }, detail.with(&hint))
}

/// Collects the variables that statements refer to and do not bind.
fn collect_references(body: &[Statement], is_bound: &dyn Fn(&str) -> bool) -> Vec<VariableReference> {
    let mut found = Vec::new();
    visit_statements(body, &mut |statement| {
        for expr in expressions(statement) {
            references::collect(expr, is_bound, &mut found);
        }
    });
    found
}

/// Visits every statement, including nested ones.
fn visit_statements<'t>(body: &'t [Statement], look: &mut dyn FnMut(&'t Statement)) {
    for statement in body {
        look(statement);
        match statement {
            Statement::For(for_loop) => {
                visit_statements(&for_loop.body, look);
                visit_statements(&for_loop.otherwise, look);
            }
            Statement::If(branches) => branches.iter().for_each(|(_, body)| visit_statements(body, look)),
            Statement::With { body, .. } | Statement::Capture { body, .. } => visit_statements(body, look),
            Statement::Text(_) | Statement::Print(_) | Statement::Set { .. } => {}
        }
    }
}

fn collect_bound_names<'t>(statement: &'t Statement, names: &mut HashSet<&'t str>) {
    let mut add = |target: &'t Target| match target {
        Target::Name(name) => {
            names.insert(name);
        }
        Target::Names(all) => names.extend(all.iter().map(|name| &**name)),
    };
    match statement {
        Statement::For(for_loop) => add(&for_loop.target),
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
        Statement::For(for_loop) => std::iter::once(&for_loop.over).chain(&for_loop.filter).collect(),
        Statement::If(branches) => branches.iter().filter_map(|(test, _)| test.as_ref()).collect(),
        Statement::With { values, .. } => values.iter().map(|(_, value)| value).collect(),
        Statement::Capture { filter, .. } => filter.iter().collect(),
    }
}
