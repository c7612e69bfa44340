//! The nodes of the tree that filters, tests and calls become, and their arguments.

use super::super::calls::{check_call, describe_count};
use super::super::functions::{self, Function, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{Expr, ExprKind, Literal, Parsed};
use super::super::{SyntaxError, TextPosition};

/// Finds the function of a filter.
pub fn find_filter(name: &str, at: TextPosition) -> Result<&'static Function, SyntaxError> {
    functions::find_jinja_function(name).ok_or_else(|| {
        SyntaxError::new(at, format!("there is no filter `{name}`{}", suggestions::suggest_in_jinja(name)))
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
                return Err(SyntaxError::new(at, format!("`{name}` needs its argument `{}`", function.named[place])));
            }
            None => Expr::new(ExprKind::Literal(Literal::Undefined), at)?,
        });
    }
    check_call(function, name, &arguments, at)?;
    Expr::new(ExprKind::Call { function, arguments }, at)
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
    at: TextPosition,
) -> Result<[Option<Expr>; N], SyntaxError> {
    let mut all = order_arguments(name, &known, placed, named)?;
    if all.len() > N {
        return Err(SyntaxError::new(at, format!("`{name}` takes {}", describe_count(0, N))));
    }
    all.resize_with(N, || None);
    all.try_into().map_err(|_| SyntaxError::new(at, "too many arguments"))
}
