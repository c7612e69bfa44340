//! Tests of Jinja: `x is name(…)`.

use super::super::calls::wrong_count;
use super::super::functions::jinja::{IS_LOWER, IS_SAFE, IS_UPPER, SAME_AS};
use super::super::functions::{self, Function, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{Expr, ExprKind, Literal, Parsed};
use super::super::{SyntaxError, TextPosition};
use super::nodes::{arrange_arguments, call, compare, find_filter, negate_if};
use domain::language::Translated;
use domain::translated;

const WITHOUT_ARGUMENT: [&str; 20] = [
    "defined",
    "undefined",
    "none",
    "true",
    "false",
    "boolean",
    "number",
    "integer",
    "int",
    "float",
    "string",
    "sequence",
    "mapping",
    "iterable",
    "odd",
    "even",
    "lower",
    "upper",
    "escaped",
    "safe",
];
/// The tests with one argument, each with the name of the argument or an empty one.
const WITH_ARGUMENT: [(&str, &str); 22] = [
    ("divisibleby", "num"),
    ("sameas", "other"),
    ("in", "seq"),
    ("eq", ""),
    ("equalto", ""),
    ("==", ""),
    ("ne", ""),
    ("!=", ""),
    ("lt", ""),
    ("lessthan", ""),
    ("<", ""),
    ("le", ""),
    ("<=", ""),
    ("gt", ""),
    ("greaterthan", ""),
    (">", ""),
    ("ge", ""),
    (">=", ""),
    // Two tests of minijinja, and two of our own.
    ("startingwith", ""),
    ("endingwith", ""),
    ("containing", ""),
    ("matches", ""),
];

/// `of is name(…)`
pub fn build_test(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: TextPosition) -> Parsed {
    if WITHOUT_ARGUMENT.contains(&name) {
        let [] = arrange_arguments(name, [], placed, named, at)?;
        return without_argument(name, of, at);
    }
    let Some((_, argument)) = WITH_ARGUMENT.iter().find(|(known, _)| *known == name) else {
        let known = WITHOUT_ARGUMENT.iter().chain(WITH_ARGUMENT.iter().map(|(known, _)| known));
        let message = translated!("there is no test `{name}`", "no hay ninguna prueba `{name}`");
        return Err(SyntaxError::new(at, message.with(&suggestions::suggest_test(name, known))));
    };
    let [other] = match *argument {
        "" => arrange_arguments(name, [], Vec::new(), named, at)
            .and_then(|[]| arrange_arguments(name, [""], placed, Vec::new(), at))?,
        argument => arrange_arguments(name, [argument], placed, named, at)?,
    };
    with_argument(name, of, other.ok_or_else(|| wrong_count(name, 1, 1, at))?, at)
}

fn without_argument(name: &str, of: Expr, at: TextPosition) -> Parsed {
    let equals = |of, value| compare(ExpressionOperator::Equal, of, Expr::new(ExprKind::Literal(value), at)?, at);
    let two = || Expr::new(ExprKind::Literal(Literal::Int(2)), at);
    match name {
        "defined" => Expr::new(ExprKind::Has(Box::new(of)), at),
        "undefined" => negate_if(Expr::new(ExprKind::Has(Box::new(of)), at)?, true),
        "none" => equals(of, Literal::Null),
        "true" => equals(of, Literal::Bool(true)),
        "false" => equals(of, Literal::Bool(false)),
        "boolean" => is_of(&["bool"], of, at),
        "number" => is_of(&["int", "double"], of, at),
        "integer" | "int" => is_of(&["int"], of, at),
        "float" => is_of(&["double"], of, at),
        "string" => is_of(&["string"], of, at),
        "mapping" => is_of(&["map"], of, at),
        // Everything that has a length and elements, as in Jinja.
        "sequence" | "iterable" => is_of(&["list", "map", "string"], of, at),
        "odd" => has_rest(of, two()?, 1, at),
        "even" => has_rest(of, two()?, 0, at),
        "lower" => build_call(&IS_LOWER, vec![of], at),
        "upper" => build_call(&IS_UPPER, vec![of], at),
        _ => build_call(&IS_SAFE, vec![of], at),
    }
}

fn with_argument(name: &str, of: Expr, other: Expr, at: TextPosition) -> Parsed {
    let operator = match name {
        "divisibleby" => return has_rest(of, other, 0, at),
        "sameas" => return build_call(&SAME_AS, vec![of, other], at),
        "eq" | "equalto" | "==" => ExpressionOperator::Equal,
        "ne" | "!=" => ExpressionOperator::NotEqual,
        "lt" | "lessthan" | "<" => ExpressionOperator::Less,
        "le" | "<=" => ExpressionOperator::AtMost,
        "gt" | "greaterthan" | ">" => ExpressionOperator::Greater,
        "ge" | ">=" => ExpressionOperator::AtLeast,
        "in" => ExpressionOperator::Within,
        "containing" => return compare(ExpressionOperator::Within, other, of, at),
        _ => return call(find_filter(name, at)?, vec![of, other], Vec::new(), name, at),
    };
    compare(operator, of, other, at)
}

fn build_call(function: &'static Function, arguments: Vec<Expr>, at: TextPosition) -> Parsed {
    Expr::new(ExprKind::Call { function, arguments }, at)
}

/// Checks the kind of a value. An undefined value is of no kind that is asked for.
fn is_of(kinds: &[&str], of: Expr, at: TextPosition) -> Parsed {
    let kinds = kinds.iter().map(|kind| Expr::new(ExprKind::Literal(Literal::Text((*kind).into())), at));
    let kinds = Expr::new(ExprKind::List(kinds.collect::<Result<_, _>>()?), at)?;
    let otherwise = Box::new(Expr::new(ExprKind::Literal(Literal::Null), at)?);
    let of = Expr::new(ExprKind::Default { value: Box::new(of), otherwise, also_for_false: false }, at)?;
    let missing = Translated::new("there is no function `type`", "no hay ninguna función `type`");
    let kind = functions::find_cel_function("type").ok_or_else(|| SyntaxError::new(at, missing))?;
    compare(ExpressionOperator::Within, build_call(kind, vec![of], at)?, kinds, at)
}

fn has_rest(of: Expr, by: Expr, rest: i64, at: TextPosition) -> Parsed {
    let rest = Expr::new(ExprKind::Literal(Literal::Int(rest)), at)?;
    compare(ExpressionOperator::Equal, compare(ExpressionOperator::Modulo, of, by, at)?, rest, at)
}
