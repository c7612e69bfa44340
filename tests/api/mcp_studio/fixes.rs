//! Fixes a draft by the messages of the validator and by nothing else: each returns the arguments of `edit_draft`.

use serde_json::{Value, json};

/// The texts between backticks.
fn named(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// The edit that a problem asks for. It panics if the message does not say what to do.
pub fn fix(problem: &Value, graph: &Value) -> Value {
    let text = |name: &str| problem[name].as_str().unwrap_or_default();
    let (id, code, message) = (text("nodeId"), text("code"), text("message"));
    // The place is a field of its own, too.
    let hint = message.split_once(": ").map_or(message, |(_, hint)| hint);
    let names = named(hint);
    let unclear = || -> ! { panic!("the message does not say how to fix it: {problem}") };
    match code {
        "unknown_type" if hint.contains("did you mean") => json!({"nodes": {id: {"type": names[1]}}}),
        "unreachable" if hint.contains("remove it") => json!({"nodes": {id: null}}),
        "duplicate_connection" if hint.contains("remove one of the two") => {
            let (from, to) = (json!({"node": id, "port": names[0]}), json!({"node": names[2], "port": names[1]}));
            let connection = json!([{"from": from, "to": to}]);
            // All equal ones are removed.
            json!({"disconnect": connection, "connect": connection})
        }
        "unknown_port" if hint.contains("did you mean") => {
            let end = if hint.starts_with("has no output") { "from" } else { "to" };
            let wrong = json!({"node": id, "port": names[0]});
            let connection = find_connection(graph, |connection| connection[end] == wrong);
            let mut right = connection.clone();
            right[end]["port"] = names[1].into();
            json!({"disconnect": [connection], "connect": [right]})
        }
        "dangling_connection" if hint.contains("did you mean") => {
            let is_node = |id: &str| graph["nodes"].as_array().unwrap().iter().any(|node| node["id"] == id);
            let connection = find_connection(graph, |connection| {
                connection["from"]["node"] == names[0] && connection["to"]["node"] == names[1]
            });
            let mut right = connection.clone();
            right[if is_node(names[0]) { "to" } else { "from" }]["node"] = names[2].into();
            json!({"disconnect": [connection], "connect": [right]})
        }
        "invalid_config" if hint.starts_with("is missing; rename ") => {
            let wrong = text("field").replace(names[1], names[0]);
            rename_field(graph, id, &wrong, names[1])
        }
        "invalid_config" if hint.contains("did you mean") => rename_field(graph, id, text("field"), names[0]),
        "invalid_config" if hint.contains("remove it") => set_field(graph, id, text("field"), |_| Value::Null),
        "invalid_config" if hint.starts_with("must be a number") => {
            set_field(graph, id, text("field"), |value| value.as_str().unwrap().parse::<f64>().unwrap().into())
        }
        "unknown_reference" | "unknown_variable" | "invalid_expression" => {
            let (wrong, right) = match &names[..] {
                [wrong, right] if hint.contains("did you mean") => ((*wrong).to_owned(), (*right).to_owned()),
                // A node has only `output`.
                [path, member] if hint.contains("has only") => {
                    let node = path.rsplit_once('.').unwrap().0;
                    ((*path).to_owned(), format!("{node}.{member}"))
                }
                [path] if hint.contains("; in the body of a loop ") => {
                    let right = hint.split_once("use ").unwrap().1.split(" or ").next().unwrap();
                    ((*path).to_owned(), right.to_owned())
                }
                [token] if hint.contains("; write ") => {
                    ((*token).to_owned(), hint.rsplit_once("write ").unwrap().1.to_owned())
                }
                _ => unclear(),
            };
            set_field(graph, id, text("field"), |value| {
                let before = value.as_str().unwrap();
                let after = before.replacen(&wrong, &right, 1);
                assert_ne!(before, after, "`{wrong}` is not in {before}");
                after.into()
            })
        }
        _ => unclear(),
    }
}

fn find_connection(graph: &Value, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let connections = graph["connections"].as_array().unwrap();
    connections.iter().find(|connection| is_wanted(connection)).expect("the connection of the message").clone()
}

fn config_of<'a>(graph: &'a Value, id: &str) -> &'a Value {
    &graph["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).expect("the node of the message")["config"]
}

/// The JSON pointer of a field such as `config.cases[0].expression`, within the config.
fn pointer(field: &str) -> String {
    let field = field.strip_prefix("config.").expect("a field of the config");
    format!("/{}", field.replace(']', "").replace(['.', '['], "/"))
}

/// An edit that changes a field. A list is sent whole, because a merge patch replaces lists.
fn set_field(graph: &Value, id: &str, field: &str, change: impl FnOnce(&Value) -> Value) -> Value {
    let (mut config, pointer) = (config_of(graph, id).clone(), pointer(field));
    let found = config.pointer_mut(&pointer).expect("the field of the message");
    *found = change(found);
    patch_top(id, &config, &pointer)
}

fn rename_field(graph: &Value, id: &str, field: &str, right: &str) -> Value {
    let (mut config, pointer) = (config_of(graph, id).clone(), pointer(field));
    let (parent, wrong) = pointer.rsplit_once('/').unwrap();
    let fields = config.pointer_mut(parent).and_then(Value::as_object_mut).expect("the object of the field");
    let value = fields.insert(wrong.to_owned(), Value::Null).expect("the field of the message");
    fields.insert(right.to_owned(), value);
    let mut edit = patch_top(id, &config, &pointer);
    if parent.is_empty() {
        edit["nodes"][id]["config"][right] = config[right].clone();
    }
    edit
}

fn patch_top(id: &str, config: &Value, pointer: &str) -> Value {
    let top = pointer.split('/').nth(1).unwrap();
    json!({"nodes": {id: {"config": {top: config[top]}}}})
}
