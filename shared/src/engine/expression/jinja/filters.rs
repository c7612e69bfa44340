//! Filters and tests. Most are functions of the platform; those that walk over a list are walks of the tree.

use minijinja::machinery::ast;

use super::super::functions::{self, Function, meant};
use super::super::operators::Operator;
use super::super::tree::{Each, Expr, Kind, Literal, Walk};
use super::super::{Position, Problem};
use super::lower::{Lowered, arguments, expression};

/// `of | name(…)`
pub fn filtered(name: &str, of: Expr, given: &[ast::CallArg], at: Position) -> Lowered {
    let (mut placed, mut named) = arguments(given)?;
    match name {
        "safe" if placed.is_empty() => Ok(of),
        "attr" => match (placed.pop(), placed.is_empty()) {
            (Some(index), true) => {
                Expr::new(Kind::Index { of: Box::new(of), index: Box::new(index), optional: true }, at)
            }
            _ => Err(Problem::new(at, "attr takes one name")),
        },
        "default" | "d" => {
            let mut placed = placed.into_iter();
            let otherwise = match placed.next() {
                Some(otherwise) => otherwise,
                None => Expr::new(Kind::Literal(Literal::Text("".into())), at)?,
            };
            let also_for_false = match placed.next().or_else(|| named.pop().map(|(_, value)| value)) {
                None => false,
                Some(Expr { kind: Kind::Literal(Literal::Bool(also)), .. }) => also,
                Some(_) => return Err(Problem::new(at, "the second argument of default is true or false")),
            };
            Expr::new(Kind::Default { value: Box::new(of), otherwise: Box::new(otherwise), also_for_false }, at)
        }
        "map" => match named.pop() {
            Some(("attribute", path)) => collected(of, None, Some(member_path(element(at)?, &path, at)?), at),
            Some(_) => Err(Problem::new(at, "map takes an attribute, or a filter's name")),
            None => {
                let mut placed = placed.into_iter();
                let name = plain_text(placed.next(), at)?;
                let rest = std::iter::once(element(at)?).chain(placed).collect();
                collected(of, None, Some(call(filter(&name, at)?, rest, Vec::new(), &name, at)?), at)
            }
        },
        "select" | "reject" | "selectattr" | "rejectattr" => {
            let mut placed = placed.into_iter();
            let mut subject = element(at)?;
            if name.ends_with("attr") {
                subject = member_path(subject, &placed.next().ok_or_else(|| missing_name(at))?, at)?;
            }
            let test = match placed.next() {
                None => Expr::new(Kind::Truth(Box::new(subject)), at)?,
                Some(test) => test_of(&plain_text(Some(test), at)?, subject, placed.collect(), at)?,
            };
            collected(of, Some(negated(test, name.starts_with("reject"))?), None, at)
        }
        _ => {
            let function = filter(name, at)?;
            // `sum(attribute="price")`, of whatever takes a list.
            let attribute = named.iter().position(|(name, _)| *name == "attribute");
            let of = match attribute.filter(|_| !function.named.contains(&"attribute")) {
                None => of,
                Some(place) => {
                    let (_, path) = named.swap_remove(place);
                    collected(of, None, Some(member_path(element(at)?, &path, at)?), at)?
                }
            };
            call(function, std::iter::once(of).chain(placed).collect(), named, name, at)
        }
    }
}

pub fn filter(name: &str, at: Position) -> Result<&'static Function, Problem> {
    functions::of_jinja(name)
        .ok_or_else(|| Problem::new(at, format!("there is no filter `{name}`{}", meant::in_jinja(name))))
}

/// The name of the element that a filter walks over. No name that can be written.
const ELEMENT: &str = "\0element";

fn element(at: Position) -> Lowered {
    Expr::new(Kind::Variable(ELEMENT.into()), at)
}

fn collected(over: Expr, filter: Option<Expr>, result: Option<Expr>, at: Position) -> Lowered {
    let each = Each { over, variable: ELEMENT.into(), what: Walk::Collect, filter, result };
    Expr::new(Kind::Each(Box::new(each)), at)
}

fn missing_name(at: Position) -> Problem {
    Problem::new(at, "the name is missing")
}

fn plain_text(expr: Option<Expr>, at: Position) -> Result<Box<str>, Problem> {
    match expr.map(|expr| expr.kind) {
        Some(Kind::Literal(Literal::Text(text))) => Ok(text),
        _ => Err(missing_name(at)),
    }
}

/// `user.name` below an element.
fn member_path(mut of: Expr, path: &Expr, at: Position) -> Lowered {
    let Kind::Literal(Literal::Text(path)) = &path.kind else { return Err(missing_name(at)) };
    for name in path.split('.') {
        of = Expr::new(Kind::Member { of: Box::new(of), name: name.into(), optional: true }, at)?;
    }
    Ok(of)
}

/// A call with every named argument at its place.
pub fn call(
    function: &'static Function,
    mut placed: Vec<Expr>,
    named: Vec<(&str, Expr)>,
    name: &str,
    at: Position,
) -> Lowered {
    for (argument, value) in named {
        let place = function.named.iter().position(|known| *known == argument);
        let place = 1 + place.ok_or_else(|| Problem::new(at, format!("`{name}` has no argument `{argument}`")))?;
        while placed.len() <= place {
            placed.push(Expr::new(Kind::Literal(Literal::Null), at)?);
        }
        placed[place] = value;
    }
    functions::check(function, name, &placed, at)?;
    Expr::new(Kind::Call { function, arguments: placed }, at)
}

/// `of is name(…)`
pub fn tested(name: &str, of: &ast::Expr, given: &[ast::CallArg], at: Position) -> Lowered {
    let (placed, _) = arguments(given)?;
    test_of(name, expression(of)?, placed, at)
}

fn test_of(name: &str, of: Expr, mut placed: Vec<Expr>, at: Position) -> Lowered {
    let is = |kinds: &[&str], of: Expr| {
        let kinds = kinds.iter().map(|kind| Expr::new(Kind::Literal(Literal::Text((*kind).into())), at));
        let kinds = Expr::new(Kind::List(kinds.collect::<Result<_, _>>()?), at)?;
        // What is not there is of no kind that is asked for.
        let null = Box::new(Expr::new(Kind::Literal(Literal::Null), at)?);
        let of = Expr::new(Kind::Default { value: Box::new(of), otherwise: null, also_for_false: false }, at)?;
        let function = functions::of_cel("type").ok_or_else(|| missing_name(at))?;
        let kind = Expr::new(Kind::Call { function, arguments: vec![of] }, at)?;
        compare(Operator::Within, kind, kinds, at)
    };
    let same = |of: Expr, value: Literal| compare(Operator::Equal, of, Expr::new(Kind::Literal(value), at)?, at);
    let remainder = |of: Expr, by: Expr, rest: i64| {
        let rest = Expr::new(Kind::Literal(Literal::Int(rest)), at)?;
        compare(Operator::Equal, compare(Operator::Modulo, of, by, at)?, rest, at)
    };
    let two = |at| Expr::new(Kind::Literal(Literal::Int(2)), at);
    match (name, placed.pop()) {
        ("defined", None) => Expr::new(Kind::Has(Box::new(of)), at),
        ("undefined", None) => negated(Expr::new(Kind::Has(Box::new(of)), at)?, true),
        ("none", None) => same(of, Literal::Null),
        ("true", None) => same(of, Literal::Bool(true)),
        ("false", None) => same(of, Literal::Bool(false)),
        ("boolean", None) => is(&["bool"], of),
        ("number", None) => is(&["int", "double"], of),
        ("integer", None) => is(&["int"], of),
        ("float", None) => is(&["double"], of),
        ("string", None) => is(&["string"], of),
        ("sequence", None) => is(&["list"], of),
        ("mapping", None) => is(&["map"], of),
        ("iterable", None) => is(&["list", "map", "string"], of),
        ("odd", None) => remainder(of, two(at)?, 1),
        ("even", None) => remainder(of, two(at)?, 0),
        ("divisibleby", Some(by)) => remainder(of, by, 0),
        ("eq" | "equalto" | "==", Some(other)) => compare(Operator::Equal, of, other, at),
        ("ne" | "!=", Some(other)) => compare(Operator::NotEqual, of, other, at),
        ("lt" | "lessthan" | "<", Some(other)) => compare(Operator::Less, of, other, at),
        ("le" | "<=", Some(other)) => compare(Operator::AtMost, of, other, at),
        ("gt" | "greaterthan" | ">", Some(other)) => compare(Operator::Greater, of, other, at),
        ("ge" | ">=", Some(other)) => compare(Operator::AtLeast, of, other, at),
        ("in", Some(other)) => compare(Operator::Within, of, other, at),
        ("startingwith" | "endingwith" | "matches", Some(part)) => {
            call(filter(name, at)?, vec![of, part], Vec::new(), name, at)
        }
        ("containing", Some(part)) => compare(Operator::Within, part, of, at),
        _ => Err(Problem::new(at, format!("there is no such test as `{name}`"))),
    }
}

fn compare(operator: Operator, left: Expr, right: Expr, at: Position) -> Lowered {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::new(Kind::Binary { operator, left, right, lenient: operator.is_lenient() }, at)
}

pub fn negated(expr: Expr, is_negated: bool) -> Lowered {
    let at = expr.at;
    if is_negated { Expr::new(Kind::Not(Box::new(expr)), at) } else { Ok(expr) }
}
