//! Converts the syntax tree of minijinja to ours. Unsupported syntax is refused with its position.

use std::sync::Arc;

use minijinja::machinery::{Span, ast};
use minijinja::value::ValueKind;

use super::super::functions::jinja::DICT;
use super::super::functions::{self, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{
    Expr, ExprKind, Literal, MAX_DEPTH, Parsed, not_a_number, not_finite, number_too_large, too_deep,
};
use super::super::{SyntaxError, TextPosition};
use super::{BLOCK, For, Statement, Target, collect_references, depth, filters, is_tests, nodes};
use domain::language::Translated;
use domain::translated;

pub fn statements(body: &[ast::Stmt]) -> Result<Vec<Statement>, SyntaxError> {
    block(body, 0)
}

fn at(span: Span) -> TextPosition {
    TextPosition { line: span.start_line.into(), column: u32::from(span.start_col) + 1 }
}

fn refuse<T>(span: Span, what: Translated<String>) -> Result<T, SyntaxError> {
    Err(SyntaxError::new(at(span), what))
}

fn block(body: &[ast::Stmt], depth: u16) -> Result<Vec<Statement>, SyntaxError> {
    body.iter().map(|statement| lower_statement(statement, depth)).collect()
}

fn lower_statement(statement: &ast::Stmt, depth: u16) -> Result<Statement, SyntaxError> {
    let within = |body: &[ast::Stmt], span: Span| {
        if depth >= MAX_DEPTH {
            return Err(too_deep(at(span)));
        }
        block(body, depth + 1)
    };
    Ok(match statement {
        ast::Stmt::EmitRaw(raw) => Statement::Text(raw.raw.into()),
        ast::Stmt::EmitExpr(print) => Statement::Print(lower_root(&print.expr)?),
        ast::Stmt::ForLoop(for_loop) if for_loop.recursive => {
            let message = translated!("recursive loops are not supported", "no se admiten bucles recursivos");
            return refuse(for_loop.span(), message);
        }
        ast::Stmt::ForLoop(for_loop) => {
            let body = within(&for_loop.body, for_loop.span())?;
            Statement::For(Box::new(For {
                target: target(&for_loop.target)?,
                over: lower_root(&for_loop.iter)?,
                filter: for_loop.filter_expr.as_ref().map(lower_root_truth).transpose()?,
                uses_loop: !collect_references(&body, &|name| name != "loop").is_empty(),
                body,
                otherwise: within(&for_loop.else_body, for_loop.span())?,
            }))
        }
        ast::Stmt::IfCond(first) => {
            let mut branches = Vec::new();
            let mut next = first;
            loop {
                branches.push((Some(lower_root_truth(&next.expr)?), within(&next.true_body, next.span())?));
                match &next.false_body[..] {
                    [] => break,
                    // An `elif`.
                    [ast::Stmt::IfCond(elif)] => next = elif,
                    otherwise => {
                        branches.push((None, within(otherwise, next.span())?));
                        break;
                    }
                }
            }
            Statement::If(branches)
        }
        ast::Stmt::WithBlock(with) => {
            let values = with.assignments.iter().map(|(name, value)| Ok((target(name)?, lower_root(value)?)));
            Statement::With { values: values.collect::<Result<_, _>>()?, body: within(&with.body, with.span())? }
        }
        ast::Stmt::Set(set) => Statement::Set { target: target(&set.target)?, value: lower_root(&set.expr)? },
        ast::Stmt::SetBlock(set) => {
            let Target::Name(name) = target(&set.target)? else {
                let message =
                    translated!("a set block needs exactly one name", "un bloque set necesita exactamente un nombre");
                return refuse(set.span(), message);
            };
            let filter = set.filter.as_ref().map(lower_root).transpose()?;
            Statement::Capture { name: Some(name), filter, body: within(&set.body, set.span())? }
        }
        ast::Stmt::FilterBlock(filtered) => {
            let filter = Some(lower_root(&filtered.filter)?);
            Statement::Capture { name: None, filter, body: within(&filtered.body, filtered.span())? }
        }
        ast::Stmt::AutoEscape(escape) => {
            let message = translated!(
                "automatic escaping is not supported; use the filter escape",
                "no se admite el escape automático; use el filtro escape"
            );
            return refuse(escape.span(), message);
        }
        ast::Stmt::Do(call) => {
            let message = translated!(
                "the statement `do` is not supported; use set or print",
                "no se admite la instrucción `do`; use set o escriba el valor"
            );
            return refuse(call.span(), message);
        }
        // Only the root is a template statement.
        ast::Stmt::Template(template) => {
            let message = translated!("a template cannot contain another one", "una plantilla no puede contener otra");
            return refuse(template.span(), message);
        }
    })
}

fn target(expr: &ast::Expr) -> Result<Target, SyntaxError> {
    let name = |expr: &ast::Expr| match expr {
        ast::Expr::Var(name) => Ok(Arc::from(name.id)),
        other => refuse(other.span(), translated!("only variables can be set", "solo se pueden asignar variables")),
    };
    match expr {
        ast::Expr::Tuple(names) => names.items.iter().map(name).collect::<Result<_, _>>().map(Target::Names),
        ast::Expr::List(names) => names.items.iter().map(name).collect::<Result<_, _>>().map(Target::Names),
        one => name(one).map(Target::Name),
    }
}

/// Converts a root expression, after checking its nesting. From here on, the conversion recurses.
fn lower_root(expr: &ast::Expr) -> Parsed {
    if depth::is_over(expr, MAX_DEPTH) {
        return Err(too_deep(at(expr.span())));
    }
    expression(expr)
}

fn lower_root_truth(expr: &ast::Expr) -> Parsed {
    Expr::new(ExprKind::Truth(Box::new(lower_root(expr)?)), at(expr.span()))
}

fn boxed(expr: &ast::Expr) -> Result<Box<Expr>, SyntaxError> {
    expression(expr).map(Box::new)
}

/// Converts an expression to its truth value.
fn truth(expr: &ast::Expr) -> Parsed {
    Expr::new(ExprKind::Truth(boxed(expr)?), at(expr.span()))
}

fn expression(expr: &ast::Expr) -> Parsed {
    let span = expr.span();
    let kind = match expr {
        ast::Expr::Var(name) => ExprKind::Variable(name.id.into()),
        ast::Expr::Const(value) => ExprKind::Literal(literal(&value.value, span)?),
        ast::Expr::Slice(slice) => {
            let bound = |bound: &Option<ast::Expr>| bound.as_ref().map(expression).transpose();
            let bounds = [bound(&slice.start)?, bound(&slice.stop)?, bound(&slice.step)?];
            ExprKind::Slice { of: boxed(&slice.expr)?, bounds: Box::new(bounds) }
        }
        ast::Expr::UnaryOp(unary) => match unary.op {
            ast::UnaryOpKind::Not => ExprKind::Not(Box::new(truth(&unary.expr)?)),
            ast::UnaryOpKind::Neg if is_least(&unary.expr) => ExprKind::Literal(Literal::Int(i64::MIN)),
            ast::UnaryOpKind::Neg => ExprKind::Negative(boxed(&unary.expr)?),
        },
        ast::Expr::BinOp(binary) => match operator(binary.op) {
            Ok(operator) => {
                let (left, right) = (boxed(&binary.left)?, boxed(&binary.right)?);
                ExprKind::Binary { operator, left, right, lenient: operator.is_lenient() }
            }
            Err(is_or) => ExprKind::Either { is_or, left: boxed(&binary.left)?, right: boxed(&binary.right)? },
        },
        ast::Expr::Compare(chain) => return comparison(chain, chain.expr.span()),
        ast::Expr::IfExpr(choice) => {
            let otherwise = match &choice.false_expr {
                Some(otherwise) => boxed(otherwise)?,
                None => Box::new(Expr::new(ExprKind::Literal(Literal::Undefined), at(span))?),
            };
            ExprKind::Conditional {
                test: Box::new(truth(&choice.test_expr)?),
                then: boxed(&choice.true_expr)?,
                otherwise,
            }
        }
        ast::Expr::Filter(filter) => {
            let of = match &filter.expr {
                Some(of) => expression(of)?,
                None => Expr::new(ExprKind::Variable(BLOCK.into()), at(span))?,
            };
            let (placed, named) = arguments(&filter.args)?;
            return filters::build_filter(filter.name, of, placed, named, at(span));
        }
        ast::Expr::Test(test) => {
            let (placed, named) = arguments(&test.args)?;
            return is_tests::build_test(test.name, expression(&test.expr)?, placed, named, at(span));
        }
        ast::Expr::GetAttr(attribute) => {
            ExprKind::Member { of: boxed(&attribute.expr)?, name: attribute.name.into(), optional: true }
        }
        ast::Expr::GetItem(item) => {
            ExprKind::Index { of: boxed(&item.expr)?, index: boxed(&item.subscript_expr)?, optional: true }
        }
        ast::Expr::Call(call) => return lower_call(call, at(span)),
        ast::Expr::List(list) => ExprKind::List(list.items.iter().map(expression).collect::<Result<_, _>>()?),
        ast::Expr::Tuple(tuple) => ExprKind::List(tuple.items.iter().map(expression).collect::<Result<_, _>>()?),
        ast::Expr::Map(map) => {
            let entries =
                map.keys.iter().zip(&map.values).map(|(key, value)| Ok((expression(key)?, expression(value)?)));
            ExprKind::Map(entries.collect::<Result<_, _>>()?)
        }
    };
    Expr::new(kind, at(span))
}

/// Whether this is the absolute value of the smallest integer, which has no positive counterpart.
fn is_least(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Const(number) if u64::try_from(number.value.clone()).ok() == Some(i64::MIN.unsigned_abs()))
}

fn literal(value: &minijinja::Value, span: Span) -> Result<Literal, SyntaxError> {
    Ok(match value.kind() {
        ValueKind::None => Literal::Null,
        ValueKind::Undefined => Literal::Undefined,
        ValueKind::Bool => Literal::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => match i64::try_from(value.clone()) {
            Ok(number) => Literal::Int(number),
            Err(_) => return Err(number_too_large(at(span))),
        },
        ValueKind::Number => match f64::try_from(value.clone()) {
            Ok(number) if number.is_finite() => Literal::Float(number),
            Ok(_) => return Err(not_finite(at(span))),
            Err(_) => return Err(not_a_number(at(span))),
        },
        ValueKind::String => Literal::Text(value.as_str().unwrap_or_default().into()),
        _ => return refuse(span, translated!("this literal is not supported", "no se admite este literal")),
    })
}

/// Returns the operator, or for the short-circuit ones an error that is true for `or`.
fn operator(operator: ast::BinOpKind) -> Result<ExpressionOperator, bool> {
    Ok(match operator {
        ast::BinOpKind::Eq => ExpressionOperator::Equal,
        ast::BinOpKind::Ne => ExpressionOperator::NotEqual,
        ast::BinOpKind::Lt => ExpressionOperator::Less,
        ast::BinOpKind::Lte => ExpressionOperator::AtMost,
        ast::BinOpKind::Gt => ExpressionOperator::Greater,
        ast::BinOpKind::Gte => ExpressionOperator::AtLeast,
        ast::BinOpKind::In => ExpressionOperator::Within,
        ast::BinOpKind::Add => ExpressionOperator::Add,
        ast::BinOpKind::Sub => ExpressionOperator::Subtract,
        ast::BinOpKind::Mul => ExpressionOperator::Repeat,
        ast::BinOpKind::Div => ExpressionOperator::Divide,
        ast::BinOpKind::FloorDiv => ExpressionOperator::DivideDown,
        ast::BinOpKind::Rem => ExpressionOperator::Modulo,
        ast::BinOpKind::Pow => ExpressionOperator::Power,
        ast::BinOpKind::Concat => ExpressionOperator::Join,
        ast::BinOpKind::ScOr => return Err(true),
        ast::BinOpKind::ScAnd => return Err(false),
    })
}

fn comparison(chain: &ast::Compare, span: Span) -> Parsed {
    let [comparison] = &chain.ops[..] else {
        let message = translated!(
            "comparisons cannot be chained; write a < b and b < c",
            "las comparaciones no se pueden encadenar; escriba a < b and b < c"
        );
        return refuse(span, message);
    };
    let (operator, is_negated) = match comparison.op {
        ast::CompareOpKind::Eq => (ExpressionOperator::Equal, false),
        ast::CompareOpKind::Ne => (ExpressionOperator::NotEqual, false),
        ast::CompareOpKind::Lt => (ExpressionOperator::Less, false),
        ast::CompareOpKind::Lte => (ExpressionOperator::AtMost, false),
        ast::CompareOpKind::Gt => (ExpressionOperator::Greater, false),
        ast::CompareOpKind::Gte => (ExpressionOperator::AtLeast, false),
        ast::CompareOpKind::In => (ExpressionOperator::Within, false),
        ast::CompareOpKind::NotIn => (ExpressionOperator::Within, true),
    };
    let (left, right) = (boxed(&chain.expr)?, boxed(&comparison.expr)?);
    nodes::negate_if(
        Expr::new(ExprKind::Binary { operator, left, right, lenient: operator.is_lenient() }, at(span))?,
        is_negated,
    )
}

/// The positional and the named arguments of a call.
type Arguments<'t> = (Vec<Expr>, Vec<(&'t str, Expr)>);

fn arguments<'t>(arguments: &[ast::CallArg<'t>]) -> Result<Arguments<'t>, SyntaxError> {
    let (mut placed, mut named) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            ast::CallArg::Pos(value) => placed.push(expression(value)?),
            ast::CallArg::Kwarg(name, value) if named.iter().any(|(known, _)| known == name) => {
                let message =
                    translated!("the argument `{name}` is given twice", "el argumento `{name}` se da dos veces");
                return refuse(value.span(), message);
            }
            ast::CallArg::Kwarg(name, value) => named.push((*name, expression(value)?)),
            ast::CallArg::PosSplat(value) | ast::CallArg::KwargSplat(value) => {
                let message = translated!(
                    "`*` and `**` arguments are not supported; write each argument out",
                    "no se admiten argumentos con `*` y `**`; escriba cada argumento"
                );
                return refuse(value.span(), message);
            }
        }
    }
    Ok((placed, named))
}

/// `f(…)`, `x.f(…)`
fn lower_call(call: &ast::Call, at: TextPosition) -> Parsed {
    match &call.expr {
        ast::Expr::Var(name) if name.id == "dict" => {
            let (mut placed, named) = arguments(&call.args)?;
            let named = nodes::map_from_named(named, at)?;
            match (placed.pop(), placed.first()) {
                (None, _) => Ok(named),
                (Some(of), None) => Expr::new(ExprKind::Call { function: &DICT, arguments: vec![of, named] }, at),
                (Some(_), Some(_)) => {
                    let message = translated!(
                        "`dict` takes one map, or names: dict(map, name=value)",
                        "`dict` recibe un mapa, o nombres: dict(map, name=value)"
                    );
                    Err(SyntaxError::new(at, message))
                }
            }
        }
        ast::Expr::Var(name) => {
            let function = functions::find_jinja_function(name.id).ok_or_else(|| {
                let message = translated!("there is no function `{}`", "no hay ninguna función `{}`", name.id);
                SyntaxError::new(at, message.with(&suggestions::suggest_in_jinja(name.id)))
            })?;
            let (placed, named) = arguments(&call.args)?;
            nodes::call(function, placed, named, name.id, at)
        }
        ast::Expr::GetAttr(method) if method.name == "cycle" && is_loop(&method.expr) => {
            let (placed, named) = arguments(&call.args)?;
            nodes::refuse_unknown_names("cycle", &[], &named)?;
            if placed.is_empty() {
                let message = translated!("`cycle` takes at least 1 argument", "`cycle` recibe al menos 1 argumento");
                return Err(SyntaxError::new(at, message));
            }
            let count = Expr::new(ExprKind::Literal(Literal::Int(placed.len() as i64)), at)?;
            let index = ExprKind::Member { of: boxed(&method.expr)?, name: "index0".into(), optional: true };
            let left = Box::new(Expr::new(index, at)?);
            let place =
                ExprKind::Binary { operator: ExpressionOperator::Modulo, left, right: Box::new(count), lenient: false };
            let (of, index) = (Expr::new(ExprKind::List(placed), at)?, Expr::new(place, at)?);
            Expr::new(ExprKind::Index { of: Box::new(of), index: Box::new(index), optional: true }, at)
        }
        ast::Expr::GetAttr(method) => {
            let of = expression(&method.expr)?;
            // In Python, the separator comes first: ", ".join(names)
            match &call.args[..] {
                [ast::CallArg::Pos(list)] if method.name == "join" => {
                    let placed = vec![expression(list)?, of];
                    nodes::call(nodes::find_filter("join", at)?, placed, Vec::new(), "join", at)
                }
                given => {
                    let (placed, named) = arguments(given)?;
                    filters::build_filter(method.name, of, placed, named, at)
                }
            }
        }
        other => refuse(other.span(), translated!("only functions can be called", "solo se puede llamar a funciones")),
    }
}

fn is_loop(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Var(name) if name.id == "loop")
}
