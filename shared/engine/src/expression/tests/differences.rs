//! The deliberate differences from jinja2 and minijinja, with their reasons. `engine/README.md` documents them for
//! users.

use std::fmt;

use serde_json::{Value as Json, json};

/// An expression over one value, with its outcome here and in the other library; none if it fails.
pub struct Case<'a> {
    pub about: &'a str,
    pub expression: &'a str,
    pub input: &'a str,
    pub value: &'a Json,
    pub ours: Option<&'a Json>,
    pub theirs: Option<&'a Json>,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = |outcome: Option<&Json>| outcome.map_or("fails".to_owned(), Json::to_string);
        let Self { about, expression, input, .. } = self;
        write!(f, "[{about}] {expression} of {input}: ours {}, theirs {}", outcome(self.ours), outcome(self.theirs))
    }
}

pub struct Difference {
    pub name: &'static str,
    pub why: &'static str,
    pub is_it: fn(&Case) -> bool,
}

pub const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "left out",
        why: "They belong to Python or HTML, or are not deterministic. The message says what to write instead.",
        is_it: |case| case.ours.is_none() && LEFT_OUT.contains(&case.about),
    },
    Difference {
        name: "arguments are written out",
        why: "With `**names`, the arguments of a call are unknown until it runs.",
        is_it: |case| case.ours.is_none() && case.expression.contains("**{"),
    },
    Difference {
        name: "tojson is plain JSON",
        why: "It is for request bodies and prompts, not for HTML: no spaces, keys in their order, and no escaping.",
        is_it: |case| {
            let parsed = |json: Option<&Json>| serde_json::from_str::<Json>(json?.as_str()?).ok();
            let is_same = parsed(case.ours).is_some_and(|ours| Some(ours) == parsed(case.theirs));
            case.expression.contains("tojson") && (is_same || case.expression.ends_with("length"))
        },
    },
    Difference {
        name: "values print as JSON",
        why: "Models and other services read the output: null, true, 1e22, lists and maps print as JSON.",
        is_it: |case| {
            let printed = case.ours.zip(case.theirs);
            let prints = |part: &Json| !part.is_string() && part.as_f64().is_none_or(|number| number >= 1e16);
            (has(case.value, prints) || case.expression.contains("none"))
                && printed.is_some_and(|(ours, jinja2)| normal(ours) == normal(jinja2))
        },
    },
    Difference {
        name: "values that are not numbers are errors",
        why: "jinja2 returns 0, which goes unnoticed in a message or a sum; minijinja fails too. `int(0)` sets a default.",
        is_it: |case| case.ours.is_none() && ["int", "float"].iter().any(|name| case.expression.contains(name)),
    },
    Difference {
        name: "bools are not numbers",
        why: "They are not numbers in JSON, in CEL and in schemas either: true and 1 are different values.",
        is_it: |case| {
            let is_bool = |value: &Json| has(value, Json::is_boolean);
            let (of_bool, is_asked) = (is_bool(case.value), case.expression.contains("true"));
            match case.ours {
                None => of_bool || is_asked,
                Some(_) => of_bool && ["unique", "is number", "is in", "is eq"].contains(&case.about),
            }
        },
    },
    Difference {
        name: "numbers have 64 bits",
        why: "Most JSON parsers read 64 bits. A larger result is an error, and never another number.",
        is_it: |case| {
            case.ours.is_none()
                && (case.expression.contains("18446744073709551615")
                    || case.value.as_f64().is_some_and(|number| number.abs() > 9e18))
        },
    },
    Difference {
        name: "missing values are errors",
        why: "jinja2 joins nothing or keeps the order, so that a misspelled attribute goes unnoticed.",
        is_it: |case| {
            let is_unused = case.expression.contains("first | e");
            case.ours.is_none() && (is_unused || ["sort", "join"].contains(&case.about))
        },
    },
    Difference {
        name: "null is not a list",
        why: "jinja2 treats null, zero and similar values as an empty list; `default([])` does the same here.",
        is_it: |case| {
            let is_null = case.value.is_null() || has(case.value, Json::is_null) && case.about == "map";
            case.ours.is_none() && is_null && ["map", "select", "reject"].contains(&case.about)
        },
    },
    Difference {
        name: "a list is not a text",
        why: "jinja2 returns a short list from `truncate` unchanged.",
        is_it: |case| case.ours.is_none() && case.value.is_array() && case.about == "truncate",
    },
    Difference {
        name: "parts have at least one element",
        why: "jinja2 returns an empty part first, or no part.",
        is_it: |case| case.ours.is_none() && ["batch", "slice"].contains(&case.about),
    },
    Difference {
        name: "no argument is ignored",
        why: "jinja2 ignores unknown named arguments of tests, which are usually misspelled.",
        is_it: |case| case.ours.is_none() && case.expression.contains("test="),
    },
    Difference {
        name: "templates are validated before they run",
        why: "jinja2 notices unknown names and wrong numbers of arguments only if a list has an element.",
        is_it: |case| {
            let walks = case.about.starts_with("select") || case.about.starts_with("reject") || case.about == "map";
            case.ours.is_none() && walks && [json!([]), json!({})].contains(case.value)
        },
    },
    Difference {
        name: "a flag is true or false",
        why: "In Python a text is true: `unique('name')` would become case-sensitive, and ignore the name.",
        is_it: |case| {
            let first = case.expression.split_once("('").map(|(name, _)| name);
            case.ours.is_none()
                && matches!(first, Some("x | sort" | "x | min" | "x | max" | "x | unique" | "x | dictsort"))
        },
    },
    Difference {
        name: "a division without a remainder gives an integer",
        why: "It is the same operator as in CEL: 10 / 5 is 2. 10 / 4 is 2.5, as in Jinja.",
        is_it: |case| {
            case.expression.starts_with("x / ")
                && case.ours.and_then(Json::as_f64) == case.theirs.and_then(Json::as_f64)
        },
    },
    Difference {
        name: "lists have no order",
        why: "Only `sort`, `min`, `max` and `groupby` compare lists, element by element.",
        is_it: |case| case.ours.is_none() && case.value.is_array() && case.expression.contains("([])"),
    },
    Difference {
        name: "members of missing values are missing",
        why: "A path is missing if its first part is missing, as with `default`; jinja2 fails.",
        is_it: |case| {
            let about = ["selectattr", "rejectattr", "unique"].contains(&case.about);
            case.theirs.is_none() && about && case.expression.contains("team.name")
        },
    },
    Difference {
        name: "nulls are equal",
        why: "jinja2 fails to compare two nulls; minijinja compares them.",
        is_it: |case| case.theirs.is_none() && has(case.value, Json::is_null) && ["min", "max"].contains(&case.about),
    },
    Difference {
        name: "every value can be compared",
        why: "jinja2 fails where Python cannot hash a list or a map; minijinja compares them.",
        is_it: |case| {
            case.theirs.is_none()
                && case.value.is_array() | case.value.is_object()
                && ["unique", "is in"].contains(&case.about)
        },
    },
    Difference {
        name: "attr reads maps",
        why: "jinja2 reads attributes of Python objects, which JSON does not have; minijinja reads maps.",
        is_it: |case| case.theirs.is_none() && case.expression.contains("attr"),
    },
    Difference {
        name: "only text has a case",
        why: "jinja2 tests the text that Python would print.",
        is_it: |case| {
            let asks = ["is lower", "is upper"].contains(&case.about) || case.expression.contains("('lower')");
            asks && !case.value.is_string() && case.ours.is_some()
        },
    },
    Difference {
        name: "equal texts are the same",
        why: "jinja2 depends on which texts Python shares; minijinja compares them.",
        is_it: |case| case.about == "is sameas" && case.value.is_string(),
    },
];

/// Differences in filters that only minijinja has.
pub const FROM_MINIJINJA: &[Difference] = &[
    Difference {
        name: "bool reads text",
        why: "'false' is false, as in CEL; minijinja tests whether a text is empty. Other texts fail.",
        is_it: |case| case.expression == "x | bool" && case.value.is_string(),
    },
    Difference {
        name: "an empty separator splits characters",
        why: "As in CEL; minijinja adds an empty text at the start and at the end.",
        is_it: |case| case.expression == "x | split('')",
    },
    Difference {
        name: "trailing spaces are not a part",
        why: "As in Python, also after the last split; minijinja returns them as a part.",
        is_it: |case| case.expression == "x | split(none, 1)" && case.input == "padded",
    },
    Difference {
        name: "only texts have a beginning and an end",
        why: "minijinja returns false for a number or a list; here it fails, as the functions of the same name do.",
        is_it: |case| case.ours.is_none() && !case.value.is_string() && case.expression.contains("ingwith"),
    },
];

/// Names of jinja2 that are not supported here.
const LEFT_OUT: &[&str] = &[
    "pprint",
    "striptags",
    "urlize",
    "wordwrap",
    "xmlattr",
    "is callable",
    "is filter",
    "is test",
    "cycler",
    "joiner",
    "namespace",
];

/// Whether a predicate is true for a value, or for one within it.
fn has(value: &Json, is_it: fn(&Json) -> bool) -> bool {
    let within = match value {
        Json::Array(items) => items.iter().any(|item| has(item, is_it)),
        Json::Object(entries) => entries.values().any(|item| has(item, is_it)),
        _ => false,
    };
    within || is_it(value)
}

/// Normalizes what Python and JSON print differently: `None` and `null`, quotes, spaces and case.
fn normal(value: &Json) -> String {
    let text = value.to_string().to_lowercase().replace("none", "null");
    let text = text.replace("&amp;", "&").replace("&#34;", "").replace("&#39;", "").replace("e+", "e");
    text.replace(['\\', '"', '\'', ' '], "")
}

/// Cases that work in jinja2 and here, but fail in minijinja.
pub const MINIJINJA_FAILS: &[(&str, &str)] = &[
    ("batch", "Its arguments have no names."),
    ("slice", "Its arguments have no names."),
    ("default", "Its arguments have no names."),
    ("d", "Its arguments have no names."),
    ("replace", "It has no count and no named arguments."),
    ("trim", "Its argument has no name."),
    ("center", "It does not have it."),
    ("forceescape", "It does not have it."),
    ("safe markup", "It has no `center` and no `forceescape`."),
    ("filesizeformat", "It does not have it."),
    ("truncate", "It does not have it."),
    ("wordcount", "It does not have it."),
    ("dictsort", "Its arguments must be named."),
    ("min", "Its arguments must be named."),
    ("max", "Its arguments must be named."),
    ("unique", "Its arguments must be named."),
    ("sort", "Its arguments must be named."),
    ("last", "It cannot find the last key of a map."),
    ("float", "It accepts no spaces or underscores, and no null as default."),
    ("int", "It accepts no spaces or underscores, and no null as default."),
    ("format", "Its %d does not accept a fraction."),
    ("groupby", "Its attributes must be texts, and not indexes."),
    ("join", "Its attributes must be texts, and not indexes."),
    ("sum", "Its attributes must be texts, and not indexes."),
    ("indent", "Its width must be a number, and not a margin."),
    ("map", "The arguments of its filters have fewer names."),
    ("select", "The arguments of its tests have no names."),
    ("reject", "The arguments of its tests have no names."),
    ("is divisibleby", "The arguments of its tests have no names."),
    ("is in", "The arguments of its tests have no names."),
    ("is sameas", "The arguments of its tests have no names."),
    ("dict", "It does not accept pairs."),
];

/// Cases where jinja2 and we agree, but minijinja differs.
pub const MINIJINJA_DIFFERS: &[(&str, &str)] = &[
    ("e", "It writes &quot;, &#x27; and &#x2f;."),
    ("escape", "It writes &quot;, &#x27; and &#x2f;."),
    ("safe markup", "It writes &quot;, &#x27; and &#x2f;, and a sum with markup is not escaped."),
    ("float", "It accepts no spaces or underscores, and returns zero for null."),
    ("int", "It accepts no spaces or underscores, and returns zero for null."),
    ("format", "%.10d and %#g pad less, and integers above 2^63 lose digits."),
    ("format text", "It counts bytes when it pads."),
    ("groupby", "The grouper is in lower case, or that of the last element."),
    ("indent", "It drops the last line break, and keeps carriage returns."),
    ("map", "`round` of an integer, or with a method, differs."),
    ("max", "It returns the last of equal elements."),
    ("reverse", "It returns the keys of a map in order."),
    ("round", "An integer that is rounded up or down stays an integer."),
    ("select", "A text and a map are not sequences there."),
    ("reject", "A text and a map are not sequences there."),
    ("is sequence", "A text and a map are not sequences there."),
    ("urlencode", "It encodes a query like a path."),
    ("is iterable", "Null is iterable there."),
    ("is even", "A large float is not even there."),
    ("arithmetic", "It prints tiny numbers without an exponent."),
];
