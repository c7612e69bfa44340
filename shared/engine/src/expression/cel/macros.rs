//! The macros of CEL: calls that bind a variable to each element of a list or a map.

use std::sync::Arc;

use super::super::tree::{Comprehension, ComprehensionKind, Expr, ExprKind, Parsed};
use super::super::{SyntaxError, TextPosition};
use domain::translated;

/// Returns the macro with a name and a number of arguments, and whether it has two variables.
pub fn find_macro(name: &str, arguments: usize) -> Option<(ComprehensionKind, bool)> {
    match (name, arguments) {
        ("all", 2 | 3) => Some((ComprehensionKind::All, arguments == 3)),
        ("exists", 2 | 3) => Some((ComprehensionKind::Exists, arguments == 3)),
        ("exists_one" | "existsOne", 2 | 3) => Some((ComprehensionKind::ExistsOne, arguments == 3)),
        ("map", 2 | 3) | ("filter", 2) => Some((ComprehensionKind::Collect, false)),
        ("transformList", 3 | 4) => Some((ComprehensionKind::Collect, true)),
        ("transformMap", 3 | 4) => Some((ComprehensionKind::CollectMap, true)),
        _ => None,
    }
}

/// The forms of each macro, for messages about wrong calls.
pub const MACROS: [(&str, &[&str]); 9] = [
    ("has", &["has(x.y)"]),
    ("all", &["list.all(x, test)", "list.all(i, x, test)"]),
    ("exists", &["list.exists(x, test)", "list.exists(i, x, test)"]),
    ("exists_one", &["list.exists_one(x, test)", "list.exists_one(i, x, test)"]),
    ("existsOne", &["list.existsOne(x, test)", "list.existsOne(i, x, test)"]),
    ("map", &["list.map(x, result)", "list.map(x, test, result)"]),
    ("filter", &["list.filter(x, test)"]),
    ("transformList", &["list.transformList(i, x, result)", "list.transformList(i, x, test, result)"]),
    ("transformMap", &["map.transformMap(k, v, result)", "map.transformMap(k, v, test, result)"]),
];

/// `list.f(x, …)`, `list.f(i, x, …)`
pub fn build_comprehension(
    kind: ComprehensionKind,
    has_second: bool,
    over: Expr,
    name: &str,
    arguments: Vec<Expr>,
    at: TextPosition,
) -> Parsed {
    let mut arguments = arguments.into_iter();
    let mut variable = || match arguments.next().map(|argument| argument.kind) {
        Some(ExprKind::Variable(variable)) => Ok(Arc::from(variable)),
        _ if has_second => {
            let message = translated!(
                "{name} needs two variable names first: {name}(i, x, …)",
                "{name} necesita primero dos nombres de variables: {name}(i, x, …)"
            );
            Err(SyntaxError::new(at, message))
        }
        _ => {
            let message = translated!(
                "{name} needs a variable name first: {name}(x, …)",
                "{name} necesita primero un nombre de variable: {name}(x, …)"
            );
            Err(SyntaxError::new(at, message))
        }
    };
    let first: Arc<str> = variable()?;
    let second: Option<Arc<str>> = has_second.then(variable).transpose()?;
    if second.as_ref() == Some(&first) {
        let message = translated!(
            "the two variables of {name} must have different names",
            "las dos variables de {name} deben tener nombres distintos"
        );
        return Err(SyntaxError::new(at, message));
    }
    let makes = matches!(name, "map" | "transformList" | "transformMap");
    let (filter, result) = match (arguments.next(), arguments.next()) {
        (result, None) if makes => (None, result),
        (filter, result) => (filter, result),
    };
    Expr::new(
        ExprKind::Comprehension(Box::new(Comprehension { over, variable: first, second, kind, filter, result })),
        at,
    )
}
