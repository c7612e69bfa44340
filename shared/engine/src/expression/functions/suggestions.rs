//! Suggests the intended function for an unknown name.

use domain::language::Translated;
use domain::{spelling, translated};

use super::super::hints;
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
    ("if", "a ? b : c", "b if a else c"),
    ("not", "!x", "not x"),
    ("strftime", "x.date('%Y-%m-%d')", "x | date('%Y-%m-%d')"),
    ("toFormat", "x.date('%Y-%m-%d')", "x | date('%Y-%m-%d')"),
    ("toISOString", "string(x)", "x | string"),
];

/// Names of Jinja that are not supported, and what to write instead.
const UNSUPPORTED: &[(&str, Translated)] = &[
    ("default", DEFAULT),
    ("coalesce", DEFAULT),
    ("chain", Translated::new("write a + b, or merge(a, b) of maps", "escriba a + b, o merge(a, b) si son mapas")),
    (
        "zip",
        Translated::new(
            "walk by index: {% for i in range(a | length) %}{{ a[i] }} {{ b[i] }}{% endfor %}",
            "recorra por índice: {% for i in range(a | length) %}{{ a[i] }} {{ b[i] }}{% endfor %}",
        ),
    ),
    ("pprint", JSON),
    ("debug", JSON),
    (
        "random",
        Translated::new(
            "templates are deterministic; choose a value in a node before the template",
            "las plantillas son deterministas; elija un valor en un nodo antes de la plantilla",
        ),
    ),
    (
        "lipsum",
        Translated::new(
            "templates are deterministic; write the text",
            "las plantillas son deterministas; escriba el texto",
        ),
    ),
    (
        "urlize",
        Translated::new(
            "write the link: <a href=\"{{ url | e }}\">…</a>",
            "escriba el enlace: <a href=\"{{ url | e }}\">…</a>",
        ),
    ),
    (
        "xmlattr",
        Translated::new(
            "write the attributes: name=\"{{ value | e }}\"",
            "escriba los atributos: name=\"{{ value | e }}\"",
        ),
    ),
    (
        "striptags",
        Translated::new("clean HTML in a node before the template", "limpie el HTML en un nodo antes de la plantilla"),
    ),
    (
        "wordwrap",
        Translated::new(
            "lines are not wrapped here; cut with x | truncate(80)",
            "aquí no se parten las líneas; corte con x | truncate(80)",
        ),
    ),
    ("cycler", Translated::new("write loop.cycle('a', 'b') in a loop", "escriba loop.cycle('a', 'b') en un bucle")),
    (
        "joiner",
        Translated::new(
            "write {% if not loop.first %}, {% endif %} in a loop, or list | join(', ')",
            "escriba {% if not loop.first %}, {% endif %} en un bucle, o list | join(', ')",
        ),
    ),
    (
        "namespace",
        Translated::new(
            "a loop cannot change outer variables; write list | sum, or list | select('…') | list | length",
            "un bucle no puede cambiar variables externas; escriba list | sum, o list | select('…') | list | length",
        ),
    ),
    ("callable", Translated::new("values cannot be functions here", "aquí los valores no pueden ser funciones")),
    (
        "filter",
        Translated::new(
            "the set of filters does not depend on the data",
            "el conjunto de filtros no depende de los datos",
        ),
    ),
    (
        "test",
        Translated::new(
            "the set of tests does not depend on the data",
            "el conjunto de pruebas no depende de los datos",
        ),
    ),
];

const DEFAULT: Translated = Translated::new("write x | default(z)", "escriba x | default(z)");
const JSON: Translated = Translated::new("write x | tojson(2)", "escriba x | tojson(2)");

/// The macros of CEL, which are not functions.
const MACROS: [&str; 8] = ["has", "map", "filter", "all", "exists", "exists_one", "transformList", "transformMap"];
const FILTERS: [&str; 8] = ["default", "d", "attr", "map", "select", "reject", "selectattr", "rejectattr"];

/// Returns a hint such as `; write x.upper()`, or an empty text.
pub fn suggest_in_cel(name: &str) -> Translated<String> {
    // `??` of other languages, written as a function.
    if matches!(name, "default" | "coalesce") {
        return hints::cel_sign("??");
    }
    let written = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(_, written, _)| *written);
    suggestion(name, written, |function| function.cel, |function| function.jinja, &MACROS)
}

pub fn suggest_in_jinja(name: &str) -> Translated<String> {
    if let Some(hint) = unsupported_hint(name) {
        return hint;
    }
    let written = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(.., written)| *written);
    suggestion(name, written, |function| function.jinja, |function| function.cel, &FILTERS)
}

/// Returns a hint for the name of an unknown test.
pub fn suggest_test(name: &str, known: impl Iterator<Item = &'static &'static str>) -> Translated<String> {
    unsupported_hint(name).or_else(|| nearest(name, known).map(did_you_mean)).unwrap_or_default()
}

fn unsupported_hint(name: &str) -> Option<Translated<String>> {
    UNSUPPORTED.iter().find(|(known, _)| *known == name).map(|(_, hint)| hints::append(Some(hint)))
}

fn did_you_mean(suggested: &str) -> Translated<String> {
    translated!("; did you mean `{suggested}`?", "; ¿quiso decir `{suggested}`?")
}

fn suggestion(
    name: &str,
    written: Option<&str>,
    here: Names,
    there: Names,
    others: &'static [&'static str],
) -> Translated<String> {
    if let Some(written) = written {
        return translated!("; write {written}", "; escriba {written}");
    }
    // The name in the other language, otherwise the name with the most similar spelling.
    let same = all().find(|function| there(function).contains(&name)).and_then(|function| here(function).first());
    let near = || nearest(name, all().flat_map(|function| here(function).iter()).chain(others));
    same.copied().or_else(near).map(did_you_mean).unwrap_or_default()
}

/// Returns the most similar name. Names may differ in two letters, short ones in one; very long names are not compared.
fn nearest(name: &str, known: impl Iterator<Item = &'static &'static str>) -> Option<&'static str> {
    const MAX_BYTES: usize = 24;
    let name = Some(name).filter(|name| name.len() <= MAX_BYTES)?;
    spelling::nearest(name, known.copied(), if name.len() < 5 { 1 } else { 2 })
}
