//! Filters of Jinja. Most are functions; those that iterate over a list become comprehensions of the tree.

use std::borrow::Cow;

use super::super::calls::wrong_count;
use super::super::functions::jinja::{is_index, printf};
use super::super::tree::{Comprehension, ComprehensionKind, Expr, ExprKind, Literal, Parsed};
use super::super::{SyntaxError, TextPosition};
use super::is_tests;
use super::nodes::{
    arrange_arguments, call, find_filter, map_from_named, missing_argument, negate_if, refuse_unknown_names,
};
use domain::language::Translated;
use domain::translated;

/// `of | name(…)`
pub fn build_filter(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: TextPosition) -> Parsed {
    match name {
        "attr" => {
            let [index] = arrange_arguments(name, ["name"], placed, named, at)?;
            let missing = Translated::new("`attr` takes 1 argument: the name", "`attr` recibe 1 argumento: el nombre");
            let index = Box::new(index.ok_or_else(|| SyntaxError::new(at, missing))?);
            Expr::new(ExprKind::Index { of: Box::new(of), index, optional: true }, at)
        }
        "default" | "d" => default(name, of, placed, named, at),
        "map" if placed.is_empty() => {
            let [path, otherwise] = arrange_arguments(name, ["attribute", "default"], placed, named, at)?;
            let missing = Translated::new(
                "map takes the name of a filter, or attribute='…'",
                "map recibe el nombre de un filtro, o attribute='…'",
            );
            let path = path.ok_or_else(|| SyntaxError::new(at, missing))?;
            let mut result = member_path(element(at)?, &path, at)?;
            if let Some(otherwise) = otherwise.filter(|value| !matches!(value.kind, ExprKind::Literal(Literal::Null))) {
                let (value, otherwise) = (Box::new(result), Box::new(otherwise));
                result = Expr::new(ExprKind::Default { value, otherwise, also_for_false: false }, at)?;
            }
            build_comprehension(of, None, Some(result), at)
        }
        "map" => {
            let mut placed = placed.into_iter();
            let wanted = Translated::new(
                "map takes the name of a filter first, in quotes",
                "map recibe primero el nombre de un filtro, entre comillas",
            );
            let name = literal_text(placed.next(), at, wanted)?;
            build_comprehension(of, None, Some(build_filter(&name, element(at)?, placed.collect(), named, at)?), at)
        }
        "select" | "reject" | "selectattr" | "rejectattr" => {
            let mut placed = placed.into_iter();
            let mut subject = element(at)?;
            if name.ends_with("attr") {
                let path = placed.next().ok_or_else(|| {
                    let message =
                        translated!("`{name}` takes an attribute first", "`{name}` recibe primero un atributo");
                    SyntaxError::new(at, message)
                })?;
                subject = member_path(subject, &path, at)?;
            }
            let test = match placed.next() {
                None => {
                    refuse_unknown_names(name, &[], &named)?;
                    Expr::new(ExprKind::Truth(Box::new(subject)), at)?
                }
                Some(test) => {
                    let wanted = Translated::new(
                        "the name of a test must be a string in quotes",
                        "el nombre de una prueba debe ser una cadena entre comillas",
                    );
                    let test = literal_text(Some(test), at, wanted)?;
                    is_tests::build_test(&test, subject, placed.collect(), named, at)?
                }
            };
            build_comprehension(of, Some(negate_if(test, name.starts_with("reject"))?), None, at)
        }
        "format" if !named.is_empty() => {
            if let Some(surplus) = placed.first() {
                let message = translated!(
                    "`format` takes either positional or named arguments",
                    "`format` recibe argumentos posicionales o con nombre, no ambos"
                );
                return Err(SyntaxError::new(surplus.at, message));
            }
            let arguments = vec![of, map_from_named(named, at)?];
            Expr::new(ExprKind::Call { function: &printf::BY_NAME, arguments }, at)
        }
        _ => {
            let function = find_filter(name, at)?;
            // The value that a filter is applied to is not counted as an argument in messages.
            let (fewest, most) = (function.takes.0.saturating_sub(1), function.takes.1.saturating_sub(1));
            if !(fewest..=most).contains(&(placed.len() + named.len())) {
                let is_missing = |known: &&&str| named.iter().all(|(name, _)| name != *known);
                let missing = function.named.iter().take(fewest).skip(placed.len()).find(is_missing);
                let problem = match missing {
                    Some(missing) => missing_argument(name, missing, at),
                    None => wrong_count(name, fewest, most, at),
                };
                refuse_unknown_names(name, function.named, &named)?;
                return Err(problem);
            }
            call(function, std::iter::once(of).chain(placed).collect(), named, name, at)
        }
    }
}

fn default(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: TextPosition) -> Parsed {
    let [otherwise, also] = arrange_arguments(name, ["default_value", "boolean"], placed, named, at)?;
    let otherwise = match otherwise {
        Some(otherwise) => otherwise,
        None => Expr::new(ExprKind::Literal(Literal::Text("".into())), at)?,
    };
    let also_for_false = match also {
        None => false,
        Some(Expr { kind: ExprKind::Literal(Literal::Bool(also)), .. }) => also,
        Some(other) => {
            let message = translated!(
                "argument 2 of `{name}` must be true or false",
                "el argumento 2 de `{name}` debe ser true o false"
            );
            return Err(SyntaxError::new(other.at, message));
        }
    };
    Expr::new(ExprKind::Default { value: Box::new(of), otherwise: Box::new(otherwise), also_for_false }, at)
}

/// The internal variable for the element of a filter. It cannot be written in a template.
const ELEMENT: &str = "\0element";

fn element(at: TextPosition) -> Parsed {
    Expr::new(ExprKind::Variable(ELEMENT.into()), at)
}

fn build_comprehension(over: Expr, filter: Option<Expr>, result: Option<Expr>, at: TextPosition) -> Parsed {
    let comprehension = Comprehension {
        over,
        variable: ELEMENT.into(),
        second: None,
        kind: ComprehensionKind::Collect,
        filter,
        result,
    };
    Expr::new(ExprKind::Comprehension(Box::new(comprehension)), at)
}

fn literal_text(expr: Option<Expr>, at: TextPosition, wanted: Translated) -> Result<Box<str>, SyntaxError> {
    match expr.map(|expr| expr.kind) {
        Some(ExprKind::Literal(Literal::Text(text))) => Ok(text),
        _ => Err(SyntaxError::new(at, wanted)),
    }
}

/// Builds the access to a path such as `user.name` or `0.name`.
fn member_path(mut of: Expr, path: &Expr, at: TextPosition) -> Parsed {
    let path: Cow<str> = match &path.kind {
        ExprKind::Literal(Literal::Text(path)) => Cow::Borrowed(path),
        ExprKind::Literal(Literal::Int(place)) => Cow::Owned(place.to_string()),
        _ => {
            let message = translated!(
                "an attribute must be a literal, such as 'name', 'user.name' or 0",
                "un atributo debe ser un literal, como 'name', 'user.name' o 0"
            );
            return Err(SyntaxError::new(path.at, message));
        }
    };
    for part in path.split('.') {
        let place = part.parse().ok().filter(|_| is_index(part));
        let boxed = Box::new(of);
        let kind = match place {
            Some(place) => {
                let index = Box::new(Expr::new(ExprKind::Literal(Literal::Int(place)), at)?);
                ExprKind::Index { of: boxed, index, optional: true }
            }
            None => ExprKind::Member { of: boxed, name: part.into(), optional: true },
        };
        of = Expr::new(kind, at)?;
    }
    Ok(of)
}
