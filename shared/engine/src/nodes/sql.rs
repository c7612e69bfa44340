//! What the SQL of a node must not be: a template, or a statement that begins or ends a transaction.

use domain::language::Translated;
use domain::translated;

/// Statements that begin or end a transaction. A node is one transaction, so that it takes effect as a whole or not at all.
const TRANSACTIONS: [&str; 10] =
    ["begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare", "xa"];

pub fn sql_problem(sql: &str) -> Option<Translated<String>> {
    if ["{{", "{%", "{#"].iter().any(|delimiter| sql.contains(delimiter)) {
        return Some(translated!(
            "is no template; write `$1` (PostgreSQL) or `?` (MySQL) where a value goes, and set `parameters`",
            "no es una plantilla; escriba `$1` (PostgreSQL) o `?` (MySQL) donde va un valor, e indique `parameters`"
        ));
    }
    let word = first_word(sql).to_ascii_lowercase();
    if word.is_empty() {
        return Some(translated!("has no statement", "no tiene ninguna sentencia"));
    }
    if TRANSACTIONS.contains(&word.as_str()) {
        return Some(translated!(
            "`{word}` cannot be used here; all statements of the node are one transaction, which the node begins and ends",
            "`{word}` no puede usarse aquí; todas las sentencias del nodo son una transacción, que el nodo inicia y termina"
        ));
    }
    None
}

/// The first word of a statement, after comments and parentheses. MySQL executes comments that begin with `/*!` or `/*M!`.
fn first_word(sql: &str) -> &str {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';'));
        if rest.starts_with("--") || rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(executed) = rest.strip_prefix("/*!").or_else(|| rest.strip_prefix("/*M!")) {
            rest = executed.trim_start_matches(|c: char| c.is_ascii_digit());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = after_comment(comment);
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            // A statement that does not begin with a word is left to the server.
            return if end == 0 { &rest[..rest.chars().next().map_or(0, char::len_utf8)] } else { &rest[..end] };
        }
    }
}

/// What follows a comment. Those of PostgreSQL contain others.
fn after_comment(mut rest: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        let Some(at) = rest.find(['*', '/']) else { return "" };
        let step = match &rest[at..] {
            text if text.starts_with("*/") => {
                depth -= 1;
                2
            }
            text if text.starts_with("/*") => {
                depth += 1;
                2
            }
            _ => 1,
        };
        rest = &rest[at + step..];
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_are_templates_or_transactions_are_refused() {
        for sql in [
            "SELECT {{ input.name }}",
            "SELECT '{% if x %}'",
            "SELECT 1 {# no #}",
            "commit",
            " -- why\n COMMIT",
            "/* a /* nested */ one */ Rollback",
            "/*!50000 COMMIT */",
            ";;begin",
            "-- nothing",
            "",
        ] {
            assert!(sql_problem(sql).is_some(), "{sql}");
        }
        for sql in ["SELECT '{}'::jsonb", "(SELECT 1) UNION (SELECT 2)", "WITH x AS (SELECT 1) TABLE x", "committed()"]
        {
            assert_eq!(sql_problem(sql), None, "{sql}");
        }
    }
}
