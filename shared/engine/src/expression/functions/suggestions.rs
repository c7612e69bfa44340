//! Suggests the intended function for an unknown name.

use domain::spelling;

use super::{Function, all};

type Names = fn(&Function) -> &'static [&'static str];

/// Function names of other languages, and how to write them in CEL and in Jinja.
const FOREIGN_NAMES: &[(&str, &str, &str)] = &[
    ("toUpperCase", "x.upper()", "x | upper"),
    ("toLowerCase", "x.lower()", "x | lower"),
    ("strip", "x.trim()", "x | trim"),
    ("lowerAscii", "x.lowerAscii()", "x | lower"),
    ("upperAscii", "x.upperAscii()", "x | upper"),
    ("distinct", "list.distinct()", "list | unique"),
    ("unique", "list.distinct()", "list | unique"),
    ("includes", "x.contains(y)", "y in x"),
    ("len", "size(x)", "x | length"),
    ("isEmpty", "size(x) == 0", "not x"),
    ("toFixed", "'%.2f'.format([x])", "'%.2f' | format(x)"),
    ("stringify", "toJson(x)", "x | tojson"),
    ("parse", "fromJson(x)", "x | fromjson"),
    ("toString", "string(x)", "x | string"),
    ("str", "string(x)", "x | string"),
    ("String", "string(x)", "x | string"),
    ("parseInt", "int(x)", "x | int"),
    ("parseFloat", "double(x)", "x | float"),
    ("Number", "double(x)", "x | float"),
    ("typeof", "type(x)", "x is string"),
    ("test", "x.matches('…')", "x is matches('…')"),
    ("match", "x.matches('…')", "x is matches('…')"),
    ("replaceAll", "x.replace(a, b)", "x | replace(a, b)"),
    ("some", "list.exists(x, …)", "list | select('…')"),
    ("any", "list.exists(x, …)", "list | select('…')"),
    ("every", "list.all(x, …)", "list | reject('…')"),
    ("forEach", "list.map(x, …)", "{% for x in list %}"),
    ("reduce", "sum(list.map(x, …))", "list | sum"),
    ("find", "list.filter(x, …)[0]", "list | select('…') | first"),
    ("push", "list + [x]", "list + [x]"),
    ("append", "list + [x]", "list + [x]"),
    ("concat", "a + b", "a + b"),
    ("default", "has(x.y) ? x.y : z, or get(x, 'y', z)", "x | default(z)"),
    ("coalesce", "has(x.y) ? x.y : z, or get(x, 'y', z)", "x | default(z)"),
    ("if", "a ? b : c", "b if a else c"),
    ("not", "!x", "not x"),
    ("strftime", "x.date('%Y-%m-%d')", "x | date('%Y-%m-%d')"),
    ("toFormat", "x.date('%Y-%m-%d')", "x | date('%Y-%m-%d')"),
    ("toISOString", "string(x)", "x | string"),
];

/// Names of Jinja that are not supported, and what to write instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("chain", "write a + b, or merge(a, b) of maps"),
    ("zip", "walk by index: {% for i in range(a | length) %}{{ a[i] }} {{ b[i] }}{% endfor %}"),
    ("pprint", "write x | tojson(2)"),
    ("debug", "write x | tojson(2)"),
    ("random", "templates are deterministic; choose a value in a node before the template"),
    ("lipsum", "templates are deterministic; write the text"),
    ("urlize", "write the link: <a href=\"{{ url | e }}\">…</a>"),
    ("xmlattr", "write the attributes: name=\"{{ value | e }}\""),
    ("striptags", "clean HTML in a node before the template"),
    ("wordwrap", "lines are not wrapped here; cut with x | truncate(80)"),
    ("cycler", "write loop.cycle('a', 'b') in a loop"),
    ("joiner", "write {% if not loop.first %}, {% endif %} in a loop, or list | join(', ')"),
    ("namespace", "a loop cannot change outer variables; write list | sum, or list | select('…') | list | length"),
    ("callable", "values cannot be functions here"),
    ("filter", "the set of filters does not depend on the data"),
    ("test", "the set of tests does not depend on the data"),
];

/// The macros of CEL, which are not functions.
const MACROS: [&str; 8] = ["has", "map", "filter", "all", "exists", "exists_one", "transformList", "transformMap"];
const FILTERS: [&str; 8] = ["default", "d", "attr", "map", "select", "reject", "selectattr", "rejectattr"];

/// Returns a hint such as `; write x.upper()`, or an empty text.
pub fn suggest_in_cel(name: &str) -> String {
    let written = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(_, written, _)| *written);
    suggestion(name, written, |function| function.cel, |function| function.jinja, &MACROS)
}

pub fn suggest_in_jinja(name: &str) -> String {
    if let Some(hint) = unsupported_hint(name) {
        return hint;
    }
    let written = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(.., written)| *written);
    suggestion(name, written, |function| function.jinja, |function| function.cel, &FILTERS)
}

/// Returns a hint for the name of an unknown test.
pub fn suggest_test(name: &str, known: impl Iterator<Item = &'static &'static str>) -> String {
    unsupported_hint(name)
        .or_else(|| nearest(name, known).map(|suggested| format!("; did you mean `{suggested}`?")))
        .unwrap_or_default()
}

fn unsupported_hint(name: &str) -> Option<String> {
    UNSUPPORTED.iter().find(|(known, _)| *known == name).map(|(_, hint)| format!("; {hint}"))
}

fn suggestion(name: &str, written: Option<&str>, here: Names, there: Names, others: &'static [&'static str]) -> String {
    if let Some(written) = written {
        return format!("; write {written}");
    }
    // The name in the other language, otherwise the name with the most similar spelling.
    let same = all().find(|function| there(function).contains(&name)).and_then(|function| here(function).first());
    let near = || nearest(name, all().flat_map(|function| here(function).iter()).chain(others));
    same.copied().or_else(near).map_or_else(String::new, |suggested| format!("; did you mean `{suggested}`?"))
}

/// Returns the most similar name. Names may differ in two letters, short ones in one; very long names are not compared.
fn nearest(name: &str, known: impl Iterator<Item = &'static &'static str>) -> Option<&'static str> {
    const MAX_BYTES: usize = 24;
    let name = Some(name).filter(|name| name.len() <= MAX_BYTES)?;
    spelling::nearest(name, known.copied(), if name.len() < 5 { 1 } else { 2 })
}
