//! Finds what the expressions and the code of a node name: other nodes, and variables that are not imported.

use std::collections::BTreeSet;

use serde_json::Value;

/// What the parameters of a node name.
#[derive(Clone, Default)]
pub struct References {
    /// The names of nodes.
    pub nodes: BTreeSet<String>,
    /// Variables, such as `$env.REGION`.
    pub variables: BTreeSet<String>,
    /// The headers of calls or answers.
    pub headers: BTreeSet<String>,
    /// Whether data is kept between runs.
    pub keeps_data: bool,
    /// Whether a text has a link that continues the run.
    pub has_link: bool,
    /// Whether parameters of nodes are read.
    pub reads_parameters: bool,
    /// Whether the counters of a loop are read.
    pub reads_counters: bool,
    /// Whether a text reads the items that a node had in a given run of it, such as `$('A').all(0, i)`.
    pub reads_runs: bool,
}

/// The most names of one node.
const MAX_NAMES: usize = 200;
const VARIABLES: [&str; 3] = ["env", "vars", "secrets"];
const KEPT_DATA: &str = "getWorkflowStaticData";
const PARAMETERS: [&str; 4] = ["$parameter", "$rawParameter", "$nodeVersion", "$input.params"];
/// The methods of a node whose second argument is the number of a run.
const METHODS: [&str; 3] = [".all(", ".first(", ".last("];
const LINKS: [&str; 2] = ["$execution.resumeUrl", "$execution.resumeFormUrl"];

impl References {
    pub fn find(parameters: &Value) -> Self {
        let mut found = Self::default();
        found.search(parameters);
        found
    }

    /// Recurses. The JSON parser bounds the depth.
    fn search(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.search_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.search(item)),
            Value::Object(entries) => entries.values().for_each(|entry| self.search(entry)),
            _ => {}
        }
    }

    fn search_text(&mut self, text: &str) {
        self.keeps_data |= text.contains(KEPT_DATA);
        self.has_link |= LINKS.iter().any(|link| text.contains(link));
        self.reads_parameters |= PARAMETERS.iter().any(|name| text.contains(name)) || has_member(text, "params");
        self.reads_counters |= has_member(text, "context");
        self.reads_runs |= METHODS.iter().any(|method| {
            text.split(method).skip(1).any(|after| {
                let arguments = after.split(')').next().unwrap_or_default();
                arguments.split_once(',').is_some_and(|(_, run)| run.trim().starts_with(char::is_alphabetic))
            })
        });
        for (at, found) in text.match_indices("headers") {
            let member = &text[at + found.len()..];
            let is_set = |name: &str| {
                let after = member.split_once(name).map_or("", |(_, after)| after);
                let after = after.trim_start_matches(['\'', '"', '`', ']']).trim_start();
                after.starts_with('=') && !after.starts_with("==")
            };
            if let Some(name) = read_member(member).filter(|name| self.headers.len() < MAX_NAMES && !is_set(name)) {
                self.headers.insert(name);
            }
        }
        for (at, _) in text.match_indices('$') {
            let after = &text[at + 1..];
            let called =
                after.strip_prefix("items").unwrap_or(after).trim_start().strip_prefix('(').and_then(read_quoted);
            let node = called.or_else(|| read_member(after.strip_prefix("node")?));
            if let Some(name) = node.filter(|_| self.nodes.len() < MAX_NAMES) {
                self.nodes.insert(name);
            }
            let variable = VARIABLES.iter().find_map(|name| Some((name, read_member(after.strip_prefix(name)?)?)));
            if let Some((name, member)) = variable.filter(|_| self.variables.len() < MAX_NAMES) {
                self.variables.insert(format!("${name}.{member}"));
            }
        }
    }
}

/// Whether a text has the member of a node: `$('name').member` or `$node["name"].member`.
fn has_member(text: &str, member: &str) -> bool {
    // Between the brackets is only the name in its quotes.
    let of_node = |before: &str| {
        let start = before.rfind("$(").map(|at| at + 2).max(before.rfind("$node[").map(|at| at + 6));
        let name = start.and_then(|start| before.get(start..)?.strip_suffix([')', ']']));
        name.and_then(|name| read_quoted(name).filter(|read| read.len() + 2 >= name.trim().len())).is_some()
    };
    text.match_indices(&format!(".{member}")).any(|(at, found)| {
        let is_whole = !text[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        is_whole && of_node(&text[..at])
    })
}

/// The name in `.name` or `["name"]`.
fn read_member(after: &str) -> Option<String> {
    let after = after.trim_start();
    if let Some(name) = after.strip_prefix('[') {
        return read_quoted(name);
    }
    let name = after.strip_prefix("?.").or_else(|| after.strip_prefix('.'))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    (end > 0).then(|| name[..end].to_owned())
}

/// A text in quotes. One that is computed has no name.
fn read_quoted(after: &str) -> Option<String> {
    const MAX_CHARS: usize = 1_024;
    let mut chars = after.trim_start().chars();
    let quote = chars.next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (mut name, mut is_escaped) = (String::new(), false);
    for c in chars.take(MAX_CHARS) {
        match c {
            '\\' if !is_escaped => is_escaped = true,
            c if c == quote && !is_escaped => return (quote != '`' || !name.contains("${")).then_some(name),
            c => {
                is_escaped = false;
                name.push(c);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nodes_and_variables_are_found() {
        let found = References::find(&json!({
            "a": "={{ $('Bob\\'s node').item.json.a + $node[\"B\"].json.b + $node.C.json + $items(`D`, 0) }}",
            "b": ["={{ $env.REGION + $vars['zone'] + $secrets.vault.key }}", "$(name) $(`x${1}`) $('open"],
            "code": "const data = $getWorkflowStaticData('global'); // $('E')",
        }));
        assert!(!found.reads_runs);
        assert_eq!(found.nodes.into_iter().collect::<Vec<_>>(), ["B", "Bob's node", "C", "D", "E"]);
        assert_eq!(found.variables.into_iter().collect::<Vec<_>>(), ["$env.REGION", "$secrets.vault", "$vars.zone"]);
        assert!(found.keeps_data && !found.reads_parameters && !found.reads_counters);
        for (text, reads) in [
            ("={{ $('A. B').params.path }}", (true, false)),
            ("={{ $parameter.mode }}", (true, false)),
            ("={{ $node['A'].context[\"done\"] }}", (false, true)),
            ("={{ $('A').item.json.params.x + f(x).params + $('A').all().context + $json.context }}", (false, false)),
        ] {
            let found = References::find(&json!({"a": text}));
            assert_eq!((found.reads_parameters, found.reads_counters), reads, "{text}");
        }
        assert!(References::find(&json!({"code": "for (let i = 0; ; i++) rows.push(...$('A').all(0, i))"})).reads_runs);
    }
}
