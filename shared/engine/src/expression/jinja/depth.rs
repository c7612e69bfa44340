//! Measures the nesting of a minijinja expression iteratively, before anything recurses over it.

use minijinja::machinery::ast::{CallArg, Expr};

/// Whether the expression is nested deeper than `most`.
pub fn is_over(expr: &Expr, most: u16) -> bool {
    let mut open = vec![(expr, 0)];
    while let Some((expr, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        each_child(expr, |child| open.push((child, depth + 1)));
    }
    false
}

fn each_child<'e, 't>(expr: &'e Expr<'t>, mut look: impl FnMut(&'e Expr<'t>)) {
    match expr {
        Expr::Var(_) | Expr::Const(_) => {}
        Expr::Slice(slice) => {
            look(&slice.expr);
            [&slice.start, &slice.stop, &slice.step].into_iter().flatten().for_each(look);
        }
        Expr::UnaryOp(unary) => look(&unary.expr),
        Expr::BinOp(binary) => {
            look(&binary.left);
            look(&binary.right);
        }
        Expr::Compare(chain) => {
            look(&chain.expr);
            chain.ops.iter().for_each(|comparison| look(&comparison.expr));
        }
        Expr::IfExpr(choice) => {
            look(&choice.test_expr);
            look(&choice.true_expr);
            choice.false_expr.iter().for_each(look);
        }
        Expr::Filter(filter) => {
            filter.expr.iter().for_each(&mut look);
            filter.args.iter().for_each(|argument| look(value(argument)));
        }
        Expr::Test(test) => {
            look(&test.expr);
            test.args.iter().for_each(|argument| look(value(argument)));
        }
        Expr::GetAttr(attribute) => look(&attribute.expr),
        Expr::GetItem(item) => {
            look(&item.expr);
            look(&item.subscript_expr);
        }
        Expr::Call(call) => {
            look(&call.expr);
            call.args.iter().for_each(|argument| look(value(argument)));
        }
        Expr::List(list) => list.items.iter().for_each(look),
        Expr::Tuple(tuple) => tuple.items.iter().for_each(look),
        Expr::Map(map) => map.keys.iter().chain(&map.values).for_each(look),
    }
}

fn value<'e, 't>(argument: &'e CallArg<'t>) -> &'e Expr<'t> {
    match argument {
        CallArg::Pos(value) | CallArg::Kwarg(_, value) | CallArg::PosSplat(value) | CallArg::KwargSplat(value) => value,
    }
}
