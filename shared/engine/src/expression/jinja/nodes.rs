//! The nodes of the tree that filters, tests and calls become, and their arguments.

use super::super::calls::{check_call, wrong_count};
use super::super::functions::{self, Function, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{Expr, ExprKind, Literal, Parsed};
use super::super::{SyntaxError, TextPosition};
use domain::translated;

/// Finds the function of a filter.
pub fn find_filter(name: &str, at: TextPosition) -> Result<&'static Function, SyntaxError> {
    functions::find_jinja_function(name).ok_or_else(|| {
        let message = translated!("there is no filter `{name}`", "no hay ningún filtro `{name}`");
        SyntaxError::new(at, message.with(&suggestions::suggest_in_jinja(name)))
    })
}

/// Builds a call with positional and named arguments.
pub fn call(
    function: &'static Function,
    mut placed: Vec<Expr>,
    named: Vec<(&str, Expr)>,
    name: &str,
    at: TextPosition,
) -> Parsed {
    let mut arguments: Vec<Expr> = placed.drain(..placed.len().min(1)).collect();
    let (fewest, _) = function.takes;
    for (place, argument) in order_arguments(name, function.named, placed, named)?.into_iter().enumerate() {
        arguments.push(match argument {
            Some(argument) => argument,
            None if place + 1 < fewest => {
                return Err(missing_argument(name, function.named[place], at));
            }
            None => Expr::new(ExprKind::Literal(Literal::Undefined), at)?,
        });
    }
    check_call(function, name, &arguments, at)?;
    Expr::new(ExprKind::Call { function, arguments }, at)
}

pub fn missing_argument(name: &str, argument: &str, at: TextPosition) -> SyntaxError {
    let message =
        translated!("`{name}` needs its argument `{argument}`", "`{name}` necesita su argumento `{argument}`");
    SyntaxError::new(at, message)
}

pub fn compare(operator: ExpressionOperator, left: Expr, right: Expr, at: TextPosition) -> Parsed {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::new(ExprKind::Binary { operator, left, right, lenient: operator.is_lenient() }, at)
}

pub fn negate_if(expr: Expr, is_negated: bool) -> Parsed {
    let at = expr.at;
    if is_negated { Expr::new(ExprKind::Not(Box::new(expr)), at) } else { Ok(expr) }
}

/// Builds a map from named arguments.
pub fn map_from_named(named: Vec<(&str, Expr)>, at: TextPosition) -> Parsed {
    let entry = |(name, value): (&str, _)| Ok((Expr::new(ExprKind::Literal(Literal::Text(name.into())), at)?, value));
    Expr::new(ExprKind::Map(named.into_iter().map(entry).collect::<Result<_, _>>()?), at)
}

/// Refuses unknown named arguments.
pub fn refuse_unknown_names(name: &str, known: &[&str], named: &[(&str, Expr)]) -> Result<(), SyntaxError> {
    match named.iter().find(|(argument, _)| !known.contains(argument)) {
        None => Ok(()),
        Some((argument, value)) => {
            let known = match known {
                [] => translated!("; it has no named arguments", "; no tiene argumentos con nombre"),
                known => translated!("; the names are {}", "; los nombres son {}", known.join(", ")),
            };
            let message =
                translated!("`{name}` has no argument `{argument}`", "`{name}` no tiene el argumento `{argument}`");
            Err(SyntaxError::new(value.at, message.with(&known)))
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
            let message = translated!(
                "`{name}` gets its argument `{argument}` twice",
                "`{name}` recibe dos veces su argumento `{argument}`"
            );
            return Err(SyntaxError::new(value.at, message));
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
    at: TextPosition,
) -> Result<[Option<Expr>; N], SyntaxError> {
    let mut all = order_arguments(name, &known, placed, named)?;
    if all.len() > N {
        return Err(wrong_count(name, 0, N, at));
    }
    all.resize_with(N, || None);
    all.try_into().map_err(|_| SyntaxError::new(at, translated!("too many arguments", "demasiados argumentos")))
}
