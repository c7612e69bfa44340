//! Finds the nodes whose outputs a script reads, and whether it reads its whole input, so that only these are copied into it. This is
//! no parser: it finds `nodes` in comments and texts, too, and reads too much rather than too little.

use crate::expression::{TextPosition, VariableReference};

const NODES: &str = "nodes";
/// The variable of references to nodes by their names.
pub const NAMED: &str = "$";
const INPUT: &str = "$input";

/// The references to nodes by their ids, and by their names.
pub fn find_references(source: &str) -> Vec<VariableReference> {
    let mut found = find_nodes(source);
    found.extend(find_named_nodes(source));
    found
}

/// The references to nodes by their names, as scripts for items write them: `$('Fetch')`, `$items('Fetch')`, `$node['Fetch']` and
/// `$node.Fetch`. They have no member if the name is not a literal. The field is what is read of the node, such as `item`.
fn find_named_nodes(source: &str) -> Vec<VariableReference> {
    let found = source.match_indices(NAMED).filter_map(|(start, _)| {
        let (before, after) = (&source[..start], &source[start + NAMED.len()..]);
        let after_node = after.strip_prefix("node").filter(|rest| rest.trim_start().starts_with(['[', '.', '?']));
        let after_call = after.strip_prefix("items").unwrap_or(after).trim_start().strip_prefix('(');
        if before.ends_with(is_name) || (after_node.is_none() && after_call.is_none()) {
            return None;
        }
        let found = match (after_node, after_call) {
            (Some(rest), _) => read_member(rest),
            // `$items()` are the items of the input.
            (_, Some(rest)) if rest.trim_start().starts_with(')') => return None,
            (_, Some(rest)) => {
                read_quoted(rest).and_then(|(name, rest)| Some((name, rest.trim_start().strip_prefix([')', ','])?)))
            }
            (None, None) => None,
        };
        let (variable, at) = (NAMED.into(), position_of(before));
        let Some((member, rest)) = found else {
            return Some(VariableReference { variable, member: None, at, field: None });
        };
        let field = read_member(rest).map(|(field, _)| (field.into(), at));
        Some(VariableReference { variable, member: Some(unescape(member).into()), at, field })
    });
    found.collect()
}

/// Whether a script for items reads other items of its input than the current one.
pub fn reads_whole_input(source: &str) -> bool {
    const OF_ITEM: [&str; 3] = ["item", "params", "context"];
    let is_whole = |after: &str| read_member(after).is_none_or(|(member, _)| !OF_ITEM.contains(&member));
    source.match_indices(INPUT).any(|(start, _)| is_whole(&source[start + INPUT.len()..]))
        || ["$items()", "$item("].iter().any(|call| source.contains(call))
}

/// A quoted name, and the text behind it.
fn read_quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|quote| ['"', '\'', '`'].contains(quote))?;
    let (literal, rest) = text.split_at(literal_length(text, quote)?);
    let name = &literal[1..literal.len() - 1];
    let is_computed = quote == '`' && name.contains("${");
    (!is_computed).then_some((name, rest))
}

/// The length of the literal at the beginning of a text, with its quotes. None if it does not end.
pub fn literal_length(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let end = text[1..].find(|character| {
        let is_end = character == quote && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        is_end
    })?;
    Some(end + 2)
}

/// The name without the backslashes before its quotes.
fn unescape(name: &str) -> String {
    ["\\'", "\\\"", "\\`"].iter().fold(name.to_owned(), |name, escaped| name.replace(escaped, &escaped[1..]))
}

/// The references to `nodes`: with a member for `nodes.fetch` and `nodes["fetch"]`, without one for everything else.
fn find_nodes(source: &str) -> Vec<VariableReference> {
    let found = source.match_indices(NODES).filter_map(|(start, _)| {
        let (before, after) = (&source[..start], &source[start + NODES.len()..]);
        if before.ends_with(is_name) || after.starts_with(is_name) || is_member(before) {
            return None;
        }
        let (variable, at) = (NODES.into(), position_of(before));
        let Some((member, rest)) = read_member(after) else {
            return Some(VariableReference { variable, member: None, at, field: None });
        };
        let field = read_member(rest).map(|(field, _)| (field.into(), at));
        Some(VariableReference { variable, member: Some(member.into()), at, field })
    });
    found.collect()
}

/// Whether the name after this text is a member of another value than the global object.
fn is_member(before: &str) -> bool {
    let before = before.trim_end();
    // Three dots spread a value.
    let Some(of) = before.strip_suffix('.').filter(|_| !before.ends_with("...")) else { return false };
    let of = of.trim_end_matches('?').trim_end();
    !(of.ends_with("globalThis") || of.ends_with("this"))
}

/// The name that is taken from the value before this text, and the text behind it.
fn read_member(after: &str) -> Option<(&str, &str)> {
    let after = after.trim_start();
    let dotted = after.strip_prefix("?.").or_else(|| after.strip_prefix('.'));
    let bracket = dotted.unwrap_or(after).trim_start().strip_prefix('[');
    if let Some(inner) = bracket {
        let inner = inner.trim_start();
        let quote = inner.chars().next().filter(|quote| ['"', '\'', '`'].contains(quote))?;
        let (name, rest) = inner[1..].split_once(quote)?;
        let rest = rest.trim_start().strip_prefix(']')?;
        return Some((name, rest)).filter(|_| !name.contains(['\\', '$']));
    }
    let name = dotted?.trim_start();
    let end = name.find(|character| !is_name(character)).unwrap_or(name.len());
    (end > 0).then(|| name.split_at(end))
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || ['_', '$', '\\'].contains(&character)
}

fn position_of(before: &str) -> TextPosition {
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    TextPosition { line: before.matches('\n').count() as u32 + 1, column: last_line.chars().count() as u32 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_for_an_item_may_read_the_whole_input() {
        for source in ["$input.all()", "$input\n  ?.first().json", "$items()", "$item(0).$json", "const all = $input"] {
            assert!(reads_whole_input(source), "{source}");
        }
        for source in ["$input.item.json", "$input['params']", "$items('A')", "$json.a"] {
            assert!(!reads_whole_input(source), "{source}");
        }
    }

    #[test]
    fn the_nodes_that_a_script_reads_are_found() {
        let cases: [(&str, &[Option<&str>]); 14] = [
            ("return nodes.fetch.output", &[Some("fetch")]),
            ("return nodes?.fetch?.output", &[Some("fetch")]),
            ("return nodes['my node'].output + nodes[\"b-c\"].output", &[Some("my node"), Some("b-c")]),
            ("return nodes\n  .fetch", &[Some("fetch")]),
            ("const { a } = nodes", &[None]),
            ("return nodes[name]", &[None]),
            ("return nodes[`a${b}`]", &[None]),
            ("return { ...nodes }", &[None]),
            ("return globalThis.nodes.a", &[Some("a")]),
            ("return input.nodes.a + myNodes.a + nodesOf.a + $nodes.a", &[]),
            ("// nodes.a\nreturn 'nodes.b'", &[Some("a"), Some("b")]),
            ("return [nodes.a, nodes.b.output]", &[Some("a"), Some("b")]),
            ("return nodes", &[None]),
            ("return 1", &[]),
        ];
        for (source, expected) in cases {
            let found = find_nodes(source);
            let members: Vec<_> = found.iter().map(|reference| reference.member.as_deref()).collect();
            assert_eq!(members, expected, "{source}");
        }
        let [reference] = &find_nodes("let x\n  = nodes.a.result")[..] else { panic!() };
        assert_eq!(reference.at, TextPosition { line: 2, column: 5 });
        assert_eq!(reference.field.as_ref().unwrap().0.as_ref(), "result");
    }
}
