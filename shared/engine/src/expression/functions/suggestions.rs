//! Suggests the intended function for an unknown name.

use domain::language::Translated;

use super::super::hints::{self, write_instead};
use super::{Function, all};
use crate::suggestion::{did_you_mean, suggest};

type Names = fn(&Function) -> &'static [&'static str];

/// Function names of other languages, and how to write them in CEL and in Jinja.
const FOREIGN_NAMES: &[(&str, Translated, Translated)] = &[
    ("toUpperCase", write_instead!("x.upper()"), write_instead!("x | upper")),
    ("toLowerCase", write_instead!("x.lower()"), write_instead!("x | lower")),
    ("strip", write_instead!("x.trim()"), write_instead!("x | trim")),
    ("lowerAscii", write_instead!("x.lowerAscii()"), write_instead!("x | lower")),
    ("upperAscii", write_instead!("x.upperAscii()"), write_instead!("x | upper")),
    ("distinct", write_instead!("list.distinct()"), write_instead!("list | unique")),
    ("unique", write_instead!("list.distinct()"), write_instead!("list | unique")),
    ("includes", write_instead!("x.contains(y)"), write_instead!("y in x")),
    ("len", write_instead!("size(x)"), write_instead!("x | length")),
    ("isEmpty", write_instead!("size(x) == 0"), write_instead!("not x")),
    ("toFixed", write_instead!("'%.2f'.format([x])"), write_instead!("'%.2f' | format(x)")),
    ("stringify", write_instead!("toJson(x)"), write_instead!("x | tojson")),
    ("parse", write_instead!("fromJson(x)"), write_instead!("x | fromjson")),
    ("toString", write_instead!("string(x)"), write_instead!("x | string")),
    ("str", write_instead!("string(x)"), write_instead!("x | string")),
    ("String", write_instead!("string(x)"), write_instead!("x | string")),
    ("parseInt", write_instead!("int(x)"), write_instead!("x | int")),
    ("parseFloat", write_instead!("double(x)"), write_instead!("x | float")),
    ("Number", write_instead!("double(x)"), write_instead!("x | float")),
    ("typeof", write_instead!("type(x)"), write_instead!("x is string")),
    ("test", write_instead!("x.matches('…')"), write_instead!("x is matches('…')")),
    ("match", write_instead!("x.matches('…')"), write_instead!("x is matches('…')")),
    ("replaceAll", write_instead!("x.replace(a, b)"), write_instead!("x | replace(a, b)")),
    ("some", write_instead!("list.exists(x, …)"), write_instead!("list | select('…')")),
    ("any", write_instead!("list.exists(x, …)"), write_instead!("list | select('…')")),
    ("every", write_instead!("list.all(x, …)"), write_instead!("list | reject('…')")),
    ("forEach", write_instead!("list.map(x, …)"), write_instead!("{% for x in list %}")),
    ("reduce", write_instead!("sum(list.map(x, …))"), write_instead!("list | sum")),
    ("find", write_instead!("list.filter(x, …)[0]"), write_instead!("list | select('…') | first")),
    ("push", write_instead!("list + [x]"), write_instead!("list + [x]")),
    ("append", write_instead!("list + [x]"), write_instead!("list + [x]")),
    ("concat", write_instead!("a + b"), write_instead!("a + b")),
    ("default", hints::DEFAULT, write_instead!("x | default(z)")),
    ("coalesce", hints::DEFAULT, write_instead!("x | default(z)")),
    ("if", write_instead!("a ? b : c"), write_instead!("b if a else c")),
    ("not", write_instead!("!x"), write_instead!("not x")),
    ("strftime", write_instead!("x.date('%Y-%m-%d')"), write_instead!("x | date('%Y-%m-%d')")),
    ("toFormat", write_instead!("x.date('%Y-%m-%d')"), write_instead!("x | date('%Y-%m-%d')")),
    ("toISOString", write_instead!("string(x)"), write_instead!("x | string")),
];

/// Names of Jinja that are not supported, and what to write instead.
const UNSUPPORTED: &[(&str, Translated)] = &[
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

const JSON: Translated = write_instead!("x | tojson(2)");

/// The macros of CEL, which are not functions.
const MACROS: [&str; 8] = ["has", "map", "filter", "all", "exists", "exists_one", "transformList", "transformMap"];
const FILTERS: [&str; 8] = ["default", "d", "attr", "map", "select", "reject", "selectattr", "rejectattr"];

/// Returns a hint such as `; write x.upper()`, or an empty text.
pub fn suggest_in_cel(name: &str) -> Translated<String> {
    let hint = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(_, hint, _)| hint);
    suggestion(name, hint, |function| function.cel, |function| function.jinja, &MACROS)
}

pub fn suggest_in_jinja(name: &str) -> Translated<String> {
    if let Some(hint) = unsupported_hint(name) {
        return hint;
    }
    let hint = FOREIGN_NAMES.iter().find(|(known, ..)| *known == name).map(|(.., hint)| hint);
    suggestion(name, hint, |function| function.jinja, |function| function.cel, &FILTERS)
}

/// Returns a hint for the name of an unknown test.
pub fn suggest_test(name: &str, known: impl Iterator<Item = &'static &'static str>) -> Translated<String> {
    unsupported_hint(name).or_else(|| suggest(name, known.copied())).unwrap_or_default()
}

fn unsupported_hint(name: &str) -> Option<Translated<String>> {
    UNSUPPORTED.iter().find(|(known, _)| *known == name).map(|(_, hint)| hints::append(Some(hint)))
}

fn suggestion(
    name: &str,
    hint: Option<&Translated>,
    here: Names,
    there: Names,
    others: &'static [&'static str],
) -> Translated<String> {
    if hint.is_some() {
        return hints::append(hint);
    }
    // The name in the other language, otherwise the name with the most similar spelling.
    let same = all().find(|function| there(function).contains(&name)).and_then(|function| here(function).first());
    let near = || suggest(name, all().flat_map(|function| here(function).iter()).chain(others).copied());
    same.copied().map(did_you_mean).or_else(near).unwrap_or_default()
}
