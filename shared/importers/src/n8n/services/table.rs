//! Operations of n8n that are one operation of ours. `operations.jsonl` has one line for each.

use std::collections::HashMap;
use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::call::{Call, FIRST_PAGE};
use super::request::Request;
use super::source::{Arg, Source, located};
use crate::lenient::{is_empty, list, number, scalar_text, text};
use crate::translation::Translation;

/// A line of the table.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    node: String,
    /// The resource of n8n; none if the node has no resources.
    #[serde(default)]
    resource: String,
    operation: String,
    /// Whether a node without a resource has this one.
    #[serde(default)]
    is_default_resource: bool,
    /// Whether a node without an operation has this one.
    #[serde(default)]
    is_default: bool,
    /// The versions of the node with this operation, such as `[1, 2]`: from 1, and before 2.
    versions: Option<[f64; 2]>,
    /// The parameters that the node must have, each with its value, or with a list of values. Such a line is before the one for
    /// other nodes.
    #[serde(default)]
    when: IndexMap<String, Value>,
    /// The operation of ours: `google-drive/copy-file`. None if the line has the request.
    #[serde(default)]
    call: String,
    request: Option<Request>,
    /// The parameters of ours, each with its value.
    #[serde(default)]
    with: IndexMap<String, Rule>,
    /// What becomes the items; the body of the answer by default. `{name}` is a parameter of n8n.
    result: Option<String>,
    /// The default of `limit`. The operation of ours has no limit: the items are cut.
    cut: Option<u64>,
    /// The most items of an answer. Rules with a limit have their own.
    page: Option<u64>,
    /// Whether one request is for all items of the input.
    #[serde(default)]
    once: bool,
    /// What is not imported if it is given.
    #[serde(default)]
    notes: IndexMap<String, String>,
    /// What the report says if a parameter of ours has no value.
    #[serde(default)]
    missing: IndexMap<String, String>,
    /// What the report always says.
    note: Option<String>,
}

/// How the value of a parameter is read from the parameters of n8n.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Rule {
    /// The path of a parameter.
    Path(String),
    /// The first rule that gives a value.
    First(Vec<Rule>),
    Limit(Limit),
    Constant(Constant),
    Fields(Fields),
    Pairs(Pairs),
    Each(Each),
    Merge(Merge),
    Script(Script),
}

/// The value of `limit`, or a page if all are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    limit: u64,
    max: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    is: Value,
}

/// An object with these fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    fields: IndexMap<String, Rule>,
}

/// An object whose names and values are in a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pairs {
    pairs: String,
    name: String,
    value: String,
}

/// A list with one parameter of each element.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    each: String,
    value: String,
}

/// One object with the fields of several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Merge {
    merge: Vec<Rule>,
}

/// JavaScript, in which `{}` is the value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    from: Box<Rule>,
    js: String,
}

const BODY: &str = "output.body";

/// The node for an operation that the table has.
pub fn translate(source: &Source, resource: &str, operation: &str) -> Option<Translation> {
    let line = find(source, resource, operation)?;
    let arguments = line.with.iter().filter_map(|(name, rule)| Some((name.clone(), rule.read(source)?)));
    let arguments: IndexMap<String, Arg> = arguments.collect();
    let missing = line.missing.iter().filter(|(name, _)| !arguments.contains_key(*name));
    let given = line.notes.iter().filter(|(path, _)| source.find(path).is_some_and(|value| *value != false));
    let notes: Vec<&String> = missing.chain(given).map(|(_, note)| note).chain(&line.note).collect();
    let result = fill_result(source, line.result.as_deref().unwrap_or(BODY));
    let result = match line.cut.filter(|_| !source.is_true("returnAll")) {
        Some(default) => format!("{result}.slice(0, {})", read_limit(source, default, u64::MAX).script(source.js)),
        None => result,
    };
    let mut translation = match &line.request {
        Some(request) => request.node(source, arguments, &result),
        None => {
            let mut call = Call::new(&line.call)?;
            arguments.into_iter().for_each(|(name, argument)| call.set(source, &name, argument));
            call.node(&result)?
        }
    };
    if line.once {
        let config = translation.steps.iter_mut().map(|step| &mut step.config);
        config.for_each(|config| config["itemMode"]["run"] = "all".into());
    }
    let page = line.page.or_else(|| line.with.values().find_map(Rule::max_items));
    let is_larger = |page| number(source.get("limit")).is_some_and(|limit| limit > page as f64);
    if page.is_some_and(|page| source.is_true("returnAll") || is_larger(page)) {
        translation = translation.with_notes([FIRST_PAGE]);
    }
    Some(translation.with_notes(notes))
}

/// The result of a line with the parameters that it names.
fn fill_result(source: &Source, result: &str) -> String {
    let mut parts = result.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match part.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((name, rest)) => filled.extend([&source.js(name), rest]),
            None => filled.extend(["{", part]),
        }
    }
    filled
}

fn find(source: &Source, resource: &str, operation: &str) -> Option<&'static Line> {
    /// The lines of each type of node.
    static LINES: LazyLock<HashMap<String, Vec<Line>>> = LazyLock::new(|| {
        let mut lines = HashMap::<String, Vec<Line>>::new();
        for text in include_str!("operations.jsonl").lines().filter(|line| !line.is_empty()) {
            // A test reads all lines, so a line that cannot be read is never published.
            let line: Line = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            lines.entry(line.node.clone()).or_default().push(line);
        }
        lines
    });
    let is_of_version =
        |line: &Line| line.versions.is_none_or(|[from, before]| (from..before).contains(&source.version));
    let is_meant = |line: &Line| {
        let is_resource = if resource.is_empty() { line.is_default_resource } else { line.resource == resource };
        let is_operation = if operation.is_empty() { line.is_default } else { line.operation == operation };
        // A node without resources may have one in its file.
        let is_given = || {
            line.when.iter().all(|(path, value)| match value {
                Value::Array(values) => values.contains(source.get(path)),
                value => source.get(path) == value,
            })
        };
        (is_resource || line.resource.is_empty()) && is_operation && is_of_version(line) && is_given()
    };
    LINES.get(source.kind)?.iter().find(|line| is_meant(line))
}

impl Rule {
    /// The most items of a page, if the rule is a limit, or has one in it.
    fn max_items(&self) -> Option<u64> {
        match self {
            Self::Limit(Limit { max, .. }) => Some(*max),
            Self::Fields(Fields { fields }) => fields.values().find_map(Self::max_items),
            Self::First(rules) => rules.iter().find_map(Self::max_items),
            Self::Merge(Merge { merge }) => merge.iter().find_map(Self::max_items),
            Self::Script(Script { from, .. }) => from.max_items(),
            Self::Path(_) | Self::Constant(_) | Self::Pairs(_) | Self::Each(_) => None,
        }
    }

    fn read(&self, source: &Source) -> Option<Arg> {
        match self {
            Self::Path(path) => source.find(path).map(|value| Arg::Parameter(value.clone())),
            Self::First(rules) => rules.iter().find_map(|rule| rule.read(source)),
            Self::Limit(Limit { limit, max }) => Some(read_limit(source, *limit, *max)),
            Self::Constant(Constant { is }) => Some(Arg::Parameter(is.clone())),
            Self::Fields(Fields { fields }) => {
                let fields = fields.iter().filter_map(|(name, rule)| Some((name.clone(), rule.read(source)?)));
                let fields: Vec<_> = fields.collect();
                (!fields.is_empty()).then_some(Arg::Object(fields))
            }
            Self::Pairs(Pairs { pairs, name, value }) => {
                let pairs = list(source.get(pairs)).iter();
                let fields = pairs.map(|pair| {
                    // The name of a property may have its type behind it.
                    let named = scalar_text(located(&pair[name]));
                    let named = named.split('|').next().unwrap_or_default().to_owned();
                    (named, Arg::Parameter(located(&pair[value]).clone()))
                });
                let fields: Vec<_> = fields.filter(|(name, _)| !name.is_empty() && !name.starts_with('=')).collect();
                (!fields.is_empty()).then_some(Arg::Object(fields))
            }
            Self::Each(Each { each, value }) => {
                let items = list(source.get(each)).iter().map(|item| located(&item[value]));
                let items: Vec<_> = items.filter(|item| !is_empty(item)).cloned().map(Arg::Parameter).collect();
                (!items.is_empty()).then_some(Arg::List(items))
            }
            Self::Merge(Merge { merge }) => {
                let mut fields = Vec::new();
                for object in merge.iter().filter_map(|rule| rule.read(source)) {
                    match object {
                        Arg::Object(more) => fields.extend(more),
                        Arg::Parameter(Value::Object(more)) => {
                            fields.extend(more.into_iter().map(|(name, value)| (name, Arg::Parameter(value))));
                        }
                        _ => {}
                    }
                }
                (!fields.is_empty()).then_some(Arg::Object(fields))
            }
            Self::Script(Script { from, js }) => {
                let value = from.read(source)?.script(source.js);
                Some(Arg::Script(js.replace("{}", &value)))
            }
        }
    }
}

fn read_limit(source: &Source, default: u64, max: u64) -> Arg {
    match source.get("limit") {
        _ if source.is_true("returnAll") => Arg::Parameter(max.into()),
        limit if text(limit).starts_with('=') => Arg::Parameter(limit.clone()),
        limit => {
            let limit = number(limit).filter(|limit| *limit >= 1.0).map_or(default, |limit| limit as u64);
            Arg::Parameter(limit.clamp(1, max).into())
        }
    }
}
