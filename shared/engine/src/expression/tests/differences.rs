//! Where templates differ from Jinja on purpose, and why. `engine/README.md` says it to users.

use std::fmt;

use serde_json::{Value as Json, json};

/// An expression over one value: its outcome here and in the other library, none where it fails.
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
        why: "They are Python's or HTML's, or not the same each time; a problem says what to write instead.",
        is_it: |case| case.ours.is_none() && LEFT_OUT.contains(&case.about),
    },
    Difference {
        name: "arguments are written out",
        why: "`**names` would hide which arguments a call has until it runs.",
        is_it: |case| case.ours.is_none() && case.expression.contains("**{"),
    },
    Difference {
        name: "tojson is plain JSON",
        why: "It is for bodies and prompts, not for pages: no space, keys in their order, and no character escaped.",
        is_it: |case| {
            let parsed = |json: Option<&Json>| serde_json::from_str::<Json>(json?.as_str()?).ok();
            let is_same = parsed(case.ours).is_some_and(|ours| Some(ours) == parsed(case.theirs));
            case.expression.contains("tojson") && (is_same || case.expression.ends_with("length"))
        },
    },
    Difference {
        name: "values print as JSON",
        why: "What a template prints is read by models and other services: null, true, 1e22, lists and maps as JSON.",
        is_it: |case| {
            let printed = case.ours.zip(case.theirs);
            let prints = |part: &Json| !part.is_string() && part.as_f64().is_none_or(|number| number >= 1e16);
            (has(case.value, prints) || case.expression.contains("none"))
                && printed.is_some_and(|(ours, jinja2)| normal(ours) == normal(jinja2))
        },
    },
    Difference {
        name: "what is no number is an error",
        why: "jinja2 makes it 0, which nobody notices in a message or a sum; minijinja fails too. `int(0)` asks for it.",
        is_it: |case| case.ours.is_none() && ["int", "float"].iter().any(|name| case.expression.contains(name)),
    },
    Difference {
        name: "bools are no numbers",
        why: "Elsewhere in a workflow they are not either: in JSON, in CEL and in schemas true and 1 are two things.",
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
        why: "They are JSON's as most read them; what would be larger is an error, and never another number.",
        is_it: |case| {
            case.ours.is_none()
                && (case.expression.contains("18446744073709551615")
                    || case.value.as_f64().is_some_and(|number| number.abs() > 9e18))
        },
    },
    Difference {
        name: "what is not there is an error",
        why: "jinja2 joins nothing and leaves the order as it was, and nobody sees that the attribute is misspelled.",
        is_it: |case| {
            let is_unused = case.expression.contains("first | e");
            case.ours.is_none() && (is_unused || ["sort", "join"].contains(&case.about))
        },
    },
    Difference {
        name: "a null is no list",
        why: "jinja2 walks over null, zero and the like as over an empty list; `default([])` says so.",
        is_it: |case| {
            let is_null = case.value.is_null() || has(case.value, Json::is_null) && case.about == "map";
            case.ours.is_none() && is_null && ["map", "select", "reject"].contains(&case.about)
        },
    },
    Difference {
        name: "a list is no text",
        why: "jinja2 gives a list that it was to cut, since it is short.",
        is_it: |case| case.ours.is_none() && case.value.is_array() && case.about == "truncate",
    },
    Difference {
        name: "parts have at least one element",
        why: "jinja2 gives an empty part first, or none at all.",
        is_it: |case| case.ours.is_none() && ["batch", "slice"].contains(&case.about),
    },
    Difference {
        name: "no argument is ignored",
        why: "jinja2 takes no notice of an argument that a test has no name for; it is misspelled.",
        is_it: |case| case.ours.is_none() && case.expression.contains("test="),
    },
    Difference {
        name: "a template is read before it runs",
        why: "jinja2 notices a name or a number of arguments that cannot be when a list has an element.",
        is_it: |case| {
            let walks = case.about.starts_with("select") || case.about.starts_with("reject") || case.about == "map";
            case.ours.is_none() && walks && [json!([]), json!({})].contains(case.value)
        },
    },
    Difference {
        name: "a flag is true or false",
        why: "Python takes a text for true: `unique('name')` would mind case, and compare no names.",
        is_it: |case| {
            let first = case.expression.split_once("('").map(|(name, _)| name);
            case.ours.is_none()
                && matches!(first, Some("x | sort" | "x | min" | "x | max" | "x | unique" | "x | dictsort"))
        },
    },
    Difference {
        name: "a division that comes out even is whole",
        why: "It is one operator with CEL's: 10 / 5 is 2 in both. 10 / 4 is 2.5 in both, as in Jinja.",
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
        name: "what is missing has nothing within",
        why: "A path is missing when its first part is, as with `default`; jinja2 fails.",
        is_it: |case| {
            let about = ["selectattr", "rejectattr", "unique"].contains(&case.about);
            case.theirs.is_none() && about && case.expression.contains("team.name")
        },
    },
    Difference {
        name: "nulls are equal",
        why: "jinja2 fails to order two of them, though nothing is to be ordered; minijinja orders them.",
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
        why: "jinja2 reads attributes of Python's objects, of which JSON has none; minijinja reads maps.",
        is_it: |case| case.theirs.is_none() && case.expression.contains("attr"),
    },
    Difference {
        name: "only text has a case",
        why: "jinja2 asks it of what Python would print.",
        is_it: |case| {
            let asks = ["is lower", "is upper"].contains(&case.about) || case.expression.contains("('lower')");
            asks && !case.value.is_string() && case.ours.is_some()
        },
    },
    Difference {
        name: "equal texts are the same",
        why: "Which of them Python holds once is its own affair; minijinja compares them.",
        is_it: |case| case.about == "is sameas" && case.value.is_string(),
    },
];

/// Where a filter that only minijinja has differs from it.
pub const FROM_MINIJINJA: &[Difference] = &[
    Difference {
        name: "bool reads text",
        why: "'false' is false, as in CEL; minijinja asks whether a text is empty. Of a text that is neither it fails.",
        is_it: |case| case.expression == "x | bool" && case.value.is_string(),
    },
    Difference {
        name: "an empty separator splits characters",
        why: "As in CEL; minijinja has an empty text before the first and behind the last.",
        is_it: |case| case.expression == "x | split('')",
    },
    Difference {
        name: "spaces at the end are no part",
        why: "As in Python, also where no more is split; minijinja makes a part of them.",
        is_it: |case| case.expression == "x | split(none, 1)" && case.input == "padded",
    },
    Difference {
        name: "only text begins and ends",
        why: "minijinja says false of a number or a list; here it fails, as the functions of the same name do.",
        is_it: |case| case.ours.is_none() && !case.value.is_string() && case.expression.contains("ingwith"),
    },
];

/// What jinja2 has and ours has not.
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

/// Whether a value is, or has within it, what is asked for.
fn has(value: &Json, is_it: fn(&Json) -> bool) -> bool {
    let within = match value {
        Json::Array(items) => items.iter().any(|item| has(item, is_it)),
        Json::Object(entries) => entries.values().any(|item| has(item, is_it)),
        _ => false,
    };
    within || is_it(value)
}

/// A value without what Python and JSON print differently: `None` and `null`, quotes, spaces, letters' case.
fn normal(value: &Json) -> String {
    let text = value.to_string().to_lowercase().replace("none", "null");
    let text = text.replace("&amp;", "&").replace("&#34;", "").replace("&#39;", "").replace("e+", "e");
    text.replace(['\\', '"', '\'', ' '], "")
}

/// What minijinja cannot do, of what jinja2 and templates here can.
pub const MINIJINJA_FAILS: &[(&str, &str)] = &[
    ("batch", "Its arguments have no names."),
    ("slice", "Its arguments have no names."),
    ("default", "Its arguments have no names."),
    ("d", "Its arguments have no names."),
    ("replace", "It takes no count, and no names."),
    ("trim", "Its argument has no name."),
    ("center", "It has none."),
    ("forceescape", "It has none."),
    ("safe markup", "It has no `center` and no `forceescape`."),
    ("filesizeformat", "It has none."),
    ("truncate", "It has none."),
    ("wordcount", "It has none."),
    ("dictsort", "Its arguments have names only."),
    ("min", "Its arguments have names only."),
    ("max", "Its arguments have names only."),
    ("unique", "Its arguments have names only."),
    ("sort", "Its arguments have names only."),
    ("last", "It finds no last key of a map."),
    ("float", "It takes no spaces or underscores, and null for no default."),
    ("int", "It takes no spaces or underscores, and null for no default."),
    ("format", "%d takes no fraction there."),
    ("groupby", "An attribute is a text there, and no place."),
    ("join", "An attribute is a text there, and no place."),
    ("sum", "An attribute is a text there, and no place."),
    ("indent", "The width is a number there, and no margin."),
    ("map", "Arguments of filters have fewer names there."),
    ("select", "Arguments of tests have no names there."),
    ("reject", "Arguments of tests have no names there."),
    ("is divisibleby", "Arguments of tests have no names there."),
    ("is in", "Arguments of tests have no names there."),
    ("is sameas", "Arguments of tests have no names there."),
    ("dict", "It takes no pairs."),
];

/// Where minijinja's answer is another one than jinja2's and ours.
pub const MINIJINJA_DIFFERS: &[(&str, &str)] = &[
    ("e", "It writes &quot;, &#x27; and &#x2f;."),
    ("escape", "It writes &quot;, &#x27; and &#x2f;."),
    ("safe markup", "It writes &quot;, &#x27; and &#x2f;, and a sum with markup is not escaped."),
    ("float", "It takes no spaces or underscores, and gives zero for null."),
    ("int", "It takes no spaces or underscores, and gives zero for null."),
    ("format", "%.10d and %#g pad less, and whole numbers above 2^63 lose digits."),
    ("format text", "It counts bytes where it pads."),
    ("groupby", "It names a group in small letters, or as its last element has it."),
    ("indent", "It drops the end of the last line, and keeps carriage returns."),
    ("map", "`round` of a number that is whole, or that is rounded by name."),
    ("max", "Of those that are equal it takes the last."),
    ("reverse", "It gives the keys of a map in their order."),
    ("round", "A whole number that is rounded up or down stays whole."),
    ("select", "A text and a map are no sequences."),
    ("reject", "A text and a map are no sequences."),
    ("is sequence", "A text and a map are no sequences."),
    ("urlencode", "A query is written as a path is."),
    ("is iterable", "Null is."),
    ("is even", "A large float is not."),
    ("arithmetic", "It writes tiny numbers out."),
];
