//! Tests of Jinja: `x is name(…)`.

use minijinja::machinery::ast;

use super::super::functions::jinja::{IS_LOWER, IS_SAFE, IS_UPPER, SAME_AS};
use super::super::functions::{self, Function, meant};
use super::super::operators::Operator;
use super::super::tree::{Expr, Kind, Literal};
use super::super::{Position, Problem};
use super::filters::{arranged, call, compare, filter, negated};
use super::lower::{LowerResult, arguments, expression};

const ALONE: [&str; 20] = [
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
const WITH_ONE: [(&str, &str); 22] = [
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
pub fn written(name: &str, of: &ast::Expr, given: &[ast::CallArg], at: Position) -> LowerResult {
    let (placed, named) = arguments(given)?;
    tested(name, expression(of)?, placed, named, at)
}

pub fn tested(name: &str, of: Expr, placed: Vec<Expr>, named: Vec<(&str, Expr)>, at: Position) -> LowerResult {
    if ALONE.contains(&name) {
        let [] = arranged(name, [], placed, named, at)?;
        return alone(name, of, at);
    }
    let Some((_, argument)) = WITH_ONE.iter().find(|(known, _)| *known == name) else {
        let known = ALONE.iter().chain(WITH_ONE.iter().map(|(known, _)| known));
        return Err(Problem::new(at, format!("there is no test `{name}`{}", meant::suggest_test(name, known))));
    };
    let [other] = match *argument {
        "" => arranged(name, [], Vec::new(), named, at).and_then(|[]| arranged(name, [""], placed, Vec::new(), at))?,
        argument => arranged(name, [argument], placed, named, at)?,
    };
    with_one(name, of, other.ok_or_else(|| Problem::new(at, format!("`{name}` takes 1 argument")))?, at)
}

fn alone(name: &str, of: Expr, at: Position) -> LowerResult {
    let same = |of, value| compare(Operator::Equal, of, Expr::new(Kind::Literal(value), at)?, at);
    let two = || Expr::new(Kind::Literal(Literal::Int(2)), at);
    match name {
        "defined" => Expr::new(Kind::Has(Box::new(of)), at),
        "undefined" => negated(Expr::new(Kind::Has(Box::new(of)), at)?, true),
        "none" => same(of, Literal::Null),
        "true" => same(of, Literal::Bool(true)),
        "false" => same(of, Literal::Bool(false)),
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
        "lower" => asked(&IS_LOWER, vec![of], at),
        "upper" => asked(&IS_UPPER, vec![of], at),
        _ => asked(&IS_SAFE, vec![of], at),
    }
}

fn with_one(name: &str, of: Expr, other: Expr, at: Position) -> LowerResult {
    let operator = match name {
        "divisibleby" => return has_rest(of, other, 0, at),
        "sameas" => return asked(&SAME_AS, vec![of, other], at),
        "eq" | "equalto" | "==" => Operator::Equal,
        "ne" | "!=" => Operator::NotEqual,
        "lt" | "lessthan" | "<" => Operator::Less,
        "le" | "<=" => Operator::AtMost,
        "gt" | "greaterthan" | ">" => Operator::Greater,
        "ge" | ">=" => Operator::AtLeast,
        "in" => Operator::Within,
        "containing" => return compare(Operator::Within, other, of, at),
        _ => return call(filter(name, at)?, vec![of, other], Vec::new(), name, at),
    };
    compare(operator, of, other, at)
}

fn asked(function: &'static Function, arguments: Vec<Expr>, at: Position) -> LowerResult {
    Expr::new(Kind::Call { function, arguments }, at)
}

/// Checks the kind of a value. An undefined value is of no kind that is asked for.
fn is_of(kinds: &[&str], of: Expr, at: Position) -> LowerResult {
    let kinds = kinds.iter().map(|kind| Expr::new(Kind::Literal(Literal::Text((*kind).into())), at));
    let kinds = Expr::new(Kind::List(kinds.collect::<Result<_, _>>()?), at)?;
    let otherwise = Box::new(Expr::new(Kind::Literal(Literal::Null), at)?);
    let of = Expr::new(Kind::Default { value: Box::new(of), otherwise, also_for_false: false }, at)?;
    let kind = functions::find_cel_function("type").ok_or_else(|| Problem::new(at, "there is no function `type`"))?;
    compare(Operator::Within, asked(kind, vec![of], at)?, kinds, at)
}

fn has_rest(of: Expr, by: Expr, rest: i64, at: Position) -> LowerResult {
    let rest = Expr::new(Kind::Literal(Literal::Int(rest)), at)?;
    compare(Operator::Equal, compare(Operator::Modulo, of, by, at)?, rest, at)
}
