//! Filters of Jinja. Most are functions; those that iterate over a list become comprehensions of the tree.

use std::borrow::Cow;

use minijinja::machinery::ast;

use super::super::functions::jinja::{is_index, printf};
use super::super::functions::{self, Function, suggestions};
use super::super::operators::Operator;
use super::super::tree::{Comprehension, ComprehensionKind, Expr, ExprKind, Literal};
use super::super::{Position, SyntaxError};
use super::lower::{LowerResult, arguments};
use super::tests;

/// `of | name(…)`
pub fn lower_filter(name: &str, of: Expr, given: &[ast::CallArg], at: Position) -> LowerResult {
    let (placed, named) = arguments(given)?;
    build_filter(name, of, placed, named, at)
}

fn build_filter(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: Position) -> LowerResult {
    match name {
        "attr" => {
            let [index] = arrange_arguments(name, ["name"], placed, named, at)?;
            let index = Box::new(index.ok_or_else(|| SyntaxError::new(at, "`attr` takes 1 argument: the name"))?);
            Expr::new(ExprKind::Index { of: Box::new(of), index, optional: true }, at)
        }
        "default" | "d" => default(name, of, placed, named, at),
        "map" if placed.is_empty() => {
            let [path, otherwise] = arrange_arguments(name, ["attribute", "default"], placed, named, at)?;
            let path = path.ok_or_else(|| SyntaxError::new(at, "map takes the name of a filter, or attribute='…'"))?;
            let mut result = member_path(element(at)?, &path, at)?;
            if let Some(otherwise) = otherwise.filter(|value| !matches!(value.kind, ExprKind::Literal(Literal::Null))) {
                let (value, otherwise) = (Box::new(result), Box::new(otherwise));
                result = Expr::new(ExprKind::Default { value, otherwise, also_for_false: false }, at)?;
            }
            build_comprehension(of, None, Some(result), at)
        }
        "map" => {
            let mut placed = placed.into_iter();
            let name = literal_text(placed.next(), at, "map takes the name of a filter first, in quotes")?;
            build_comprehension(of, None, Some(build_filter(&name, element(at)?, placed.collect(), named, at)?), at)
        }
        "select" | "reject" | "selectattr" | "rejectattr" => {
            let mut placed = placed.into_iter();
            let mut subject = element(at)?;
            if name.ends_with("attr") {
                let path = placed.next();
                let path = path.ok_or_else(|| SyntaxError::new(at, format!("`{name}` takes an attribute first")))?;
                subject = member_path(subject, &path, at)?;
            }
            let test = match placed.next() {
                None => {
                    refuse_unknown_names(name, &[], &named)?;
                    Expr::new(ExprKind::Truth(Box::new(subject)), at)?
                }
                Some(test) => {
                    let test = literal_text(Some(test), at, "the name of a test must be a string in quotes")?;
                    tests::build_test(&test, subject, placed.collect(), named, at)?
                }
            };
            build_comprehension(of, Some(negate_if(test, name.starts_with("reject"))?), None, at)
        }
        "format" if !named.is_empty() => {
            if let Some(surplus) = placed.first() {
                return Err(SyntaxError::new(surplus.at, "`format` takes either positional or named arguments"));
            }
            let arguments = vec![of, map_from_named(named, at)?];
            Expr::new(ExprKind::Call { function: &printf::BY_NAME, arguments }, at)
        }
        _ => {
            let function = filter(name, at)?;
            // The value that a filter is applied to is not counted as an argument in messages.
            let (fewest, most) = (function.takes.0.saturating_sub(1), function.takes.1.saturating_sub(1));
            if !(fewest..=most).contains(&(placed.len() + named.len())) {
                let is_missing = |known: &&&str| named.iter().all(|(name, _)| name != *known);
                let missing = function.named.iter().take(fewest).skip(placed.len()).find(is_missing);
                let problem = match missing {
                    Some(missing) => format!("`{name}` needs its argument `{missing}`"),
                    None => format!("`{name}` takes {}", functions::count(fewest, most)),
                };
                refuse_unknown_names(name, function.named, &named)?;
                return Err(SyntaxError::new(at, problem));
            }
            call(function, std::iter::once(of).chain(placed).collect(), named, name, at)
        }
    }
}

fn default(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: Position) -> LowerResult {
    let [otherwise, also] = arrange_arguments(name, ["default_value", "boolean"], placed, named, at)?;
    let otherwise = match otherwise {
        Some(otherwise) => otherwise,
        None => Expr::new(ExprKind::Literal(Literal::Text("".into())), at)?,
    };
    let also_for_false = match also {
        None => false,
        Some(Expr { kind: ExprKind::Literal(Literal::Bool(also)), .. }) => also,
        Some(other) => return Err(SyntaxError::new(other.at, format!("argument 2 of `{name}` must be true or false"))),
    };
    Expr::new(ExprKind::Default { value: Box::new(of), otherwise: Box::new(otherwise), also_for_false }, at)
}

/// Builds a map from named arguments.
pub fn map_from_named(named: Vec<(&str, Expr)>, at: Position) -> LowerResult {
    let entry = |(name, value): (&str, _)| Ok((Expr::new(ExprKind::Literal(Literal::Text(name.into())), at)?, value));
    Expr::new(ExprKind::Map(named.into_iter().map(entry).collect::<Result<_, _>>()?), at)
}

pub fn filter(name: &str, at: Position) -> Result<&'static Function, SyntaxError> {
    functions::find_jinja_function(name).ok_or_else(|| {
        SyntaxError::new(at, format!("there is no filter `{name}`{}", suggestions::suggest_in_jinja(name)))
    })
}

/// The internal variable for the element of a filter. It cannot be written in a template.
const ELEMENT: &str = "\0element";

fn element(at: Position) -> LowerResult {
    Expr::new(ExprKind::Variable(ELEMENT.into()), at)
}

fn build_comprehension(over: Expr, filter: Option<Expr>, result: Option<Expr>, at: Position) -> LowerResult {
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

fn literal_text(expr: Option<Expr>, at: Position, wanted: &'static str) -> Result<Box<str>, SyntaxError> {
    match expr.map(|expr| expr.kind) {
        Some(ExprKind::Literal(Literal::Text(text))) => Ok(text),
        _ => Err(SyntaxError::new(at, wanted)),
    }
}

/// Builds the access to a path such as `user.name` or `0.name`.
fn member_path(mut of: Expr, path: &Expr, at: Position) -> LowerResult {
    let path: Cow<str> = match &path.kind {
        ExprKind::Literal(Literal::Text(path)) => Cow::Borrowed(path),
        ExprKind::Literal(Literal::Int(place)) => Cow::Owned(place.to_string()),
        _ => return Err(SyntaxError::new(path.at, "an attribute must be a literal, such as 'name', 'user.name' or 0")),
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

/// Refuses unknown named arguments.
pub fn refuse_unknown_names(name: &str, known: &[&str], named: &[(&str, Expr)]) -> Result<(), SyntaxError> {
    match named.iter().find(|(argument, _)| !known.contains(argument)) {
        None => Ok(()),
        Some((argument, value)) => {
            let known = match known {
                [] => "it has no named arguments".to_owned(),
                known => format!("the names are {}", known.join(", ")),
            };
            Err(SyntaxError::new(value.at, format!("`{name}` has no argument `{argument}`; {known}")))
        }
    }
}

/// Returns the arguments in the order of the parameters. Refuses duplicate and unknown ones.
fn order_arguments(
    name: &str,
    known: &[&str],
    placed: Vec<Expr>,
    named: Vec<(&str, Expr)>,
) -> Result<Vec<Option<Expr>>, SyntaxError> {
    refuse_unknown_names(name, known, &named)?;
    let mut all: Vec<Option<Expr>> = placed.into_iter().map(Some).collect();
    for (argument, value) in named {
        let place = known.iter().position(|known| *known == argument).unwrap_or_default();
        while all.len() <= place {
            all.push(None);
        }
        if all[place].is_some() {
            return Err(SyntaxError::new(value.at, format!("`{name}` gets its argument `{argument}` twice")));
        }
        all[place] = Some(value);
    }
    Ok(all)
}

/// Returns exactly `N` optional arguments, and refuses more.
pub fn arrange_arguments<const N: usize>(
    name: &str,
    known: [&str; N],
    placed: Vec<Expr>,
    named: Vec<(&str, Expr)>,
    at: Position,
) -> Result<[Option<Expr>; N], SyntaxError> {
    let mut all = order_arguments(name, &known, placed, named)?;
    if all.len() > N {
        return Err(SyntaxError::new(at, format!("`{name}` takes {}", functions::count(0, N))));
    }
    all.resize_with(N, || None);
    all.try_into().map_err(|_| SyntaxError::new(at, "too many arguments"))
}

/// Builds a call with positional and named arguments.
pub fn call(
    function: &'static Function,
    mut placed: Vec<Expr>,
    named: Vec<(&str, Expr)>,
    name: &str,
    at: Position,
) -> LowerResult {
    let mut arguments: Vec<Expr> = placed.drain(..placed.len().min(1)).collect();
    let (fewest, _) = function.takes;
    for (place, argument) in order_arguments(name, function.named, placed, named)?.into_iter().enumerate() {
        arguments.push(match argument {
            Some(argument) => argument,
            None if place + 1 < fewest => {
                return Err(SyntaxError::new(at, format!("`{name}` needs its argument `{}`", function.named[place])));
            }
            None => Expr::new(ExprKind::Literal(Literal::Undefined), at)?,
        });
    }
    functions::check(function, name, &arguments, at)?;
    Expr::new(ExprKind::Call { function, arguments }, at)
}

pub fn compare(operator: Operator, left: Expr, right: Expr, at: Position) -> LowerResult {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::new(ExprKind::Binary { operator, left, right, lenient: operator.is_lenient() }, at)
}

pub fn negate_if(expr: Expr, is_negated: bool) -> LowerResult {
    let at = expr.at;
    if is_negated { Expr::new(ExprKind::Not(Box::new(expr)), at) } else { Ok(expr) }
}
