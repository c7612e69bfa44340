//! Finds mistakes in the data files that their types do not exclude.

#![cfg(test)]

use std::collections::HashSet;

use engine::schema::faults;
use serde_json::Value;

use crate::catalogue::all;
use crate::operation::Operation;
use crate::path::{Part, parts, placeholders};
use crate::service::Service;
use crate::template::{Body, names, whole_placeholder};

/// The only expression in a text that is no parameter.
const RUN_ID: &str = "{{ run.id }}";

#[test]
fn the_data_has_no_mistakes() {
    assert!(!all().is_empty());
    let mistakes: Vec<String> = all().iter().flat_map(find_mistakes).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

fn find_mistakes(service: &Service) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut refuse = |is_wrong: bool, what: &str| {
        if is_wrong {
            mistakes.push(format!("{}: {what}", service.id));
        }
    };
    refuse(!is_slug(&service.id), "the id has only lower case, digits and dashes");
    refuse(service.categories.is_empty(), "a category is missing");
    refuse(service.authentication.is_empty(), "an authentication is missing");
    refuse(!is_sentence(&service.description), "the description is a sentence");
    let urls =
        service.authentication.iter().flat_map(|way| way.urls()).chain([&*service.documentation, &*service.base_url]);
    for url in urls {
        refuse(
            !url.starts_with("https://") || url.ends_with('/'),
            &format!("{url} begins with https and has no / at the end"),
        );
        let unknown = placeholders(url).find(|placeholder| !service.settings.contains_key(placeholder.name));
        refuse(unknown.is_some(), &format!("{url} has an unknown setting"));
    }
    for (name, schema) in &service.settings {
        refuse(
            schema["pattern"].as_str().is_none_or(|pattern| !pattern.starts_with('^') || !pattern.ends_with('$')),
            &format!("{name} needs a whole pattern"),
        );
        refuse(!is_described(schema), &format!("{name} needs a title and a description"));
    }
    let mut ids = HashSet::new();
    for operation in &service.operations {
        refuse(!ids.insert(&operation.id), &format!("{} is there twice", operation.id));
    }
    for operation in &service.operations {
        let found = find_operation_mistakes(service, operation);
        mistakes.extend(found.into_iter().map(|mistake| format!("{}/{}: {mistake}", service.id, operation.id)));
    }
    mistakes
}

fn find_operation_mistakes(service: &Service, operation: &Operation) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut refuse = |is_wrong: bool, what: String| {
        if is_wrong {
            mistakes.push(what);
        }
    };
    refuse(!is_slug(&operation.id), "the id has only lower case, digits and dashes".to_owned());
    refuse(!is_sentence(&operation.description), "the description is a sentence".to_owned());
    refuse(!operation.path.starts_with('/'), "the path begins with a slash".to_owned());
    let has_stray = |text: &str| {
        parts(text).iter().any(|part| matches!(part, Part::Literal(text) if text.contains(['{', '}', '?', '#', ' '])))
    };
    refuse(has_stray(&operation.path), "the path has a stray character".to_owned());

    let mut used: Vec<&str> = placeholders(&operation.path).map(|placeholder| placeholder.name).collect();
    for name in &used {
        refuse(
            !operation.required.iter().any(|required| required == name),
            format!("{name} is in the path, so it is required"),
        );
    }
    let mut texts: Vec<&String> =
        operation.query.values().chain(service.headers.values()).chain(operation.headers.values()).collect();
    match &operation.body {
        Some(Body::Json(tree)) => used.extend(names(tree)),
        Some(Body::Form(fields)) => texts.extend(fields.values()),
        Some(Body::Text { variables, .. }) => used.extend(variables.iter().map(String::as_str)),
        None => {}
    }
    for text in texts {
        match whole_placeholder(text) {
            Some(name) => used.push(name),
            None => refuse(
                text.is_empty() || text.replace(RUN_ID, "").contains(['{', '}']),
                format!("`{text}` is neither a text nor a parameter"),
            ),
        }
    }
    for name in &used {
        refuse(!operation.parameters.contains_key(*name), format!("{name} is not a parameter"));
    }
    for (name, schema) in &operation.parameters {
        refuse(operation.languages(name).len() != 1, format!("{name} is used in one language, CEL or Jinja"));
        refuse(service.settings.contains_key(name), format!("{name} is a setting, too"));
        refuse(!is_described(schema), format!("{name} needs a title, a description and a type"));
        refuse(!operation.example.contains_key(name), format!("the example has no {name}"));
        for (field, fault) in faults(schema, name) {
            refuse(true, format!("{field}: {}", fault.en));
        }
    }
    let paged = operation.paging.iter().flat_map(|paging| paging.parameters());
    for name in operation.required.iter().map(String::as_str).chain(paged) {
        refuse(!operation.parameters.contains_key(name), format!("{name} is not a parameter"));
    }
    let known = |name: &str| service.schema(operation, name).is_some();
    refuse(!operation.example.keys().all(|name| known(name)), "the example has an unknown name".to_owned());
    refuse(
        service.settings(operation).any(|(name, _)| !operation.example.contains_key(name)),
        "the example lacks a setting".to_owned(),
    );
    if let Some(returns) = &operation.returns {
        let list = returns.items.as_deref().map(|path| find_path(&returns.example, path));
        refuse(
            list.is_some_and(|list| !list.is_some_and(Value::is_array)),
            "the example of the answer has no such list".to_owned(),
        );
    }
    refuse(
        operation.paging.is_some() && operation.returns.as_ref().is_none_or(|returns| returns.items.is_none()),
        "a list with pages says where its items are".to_owned(),
    );
    mistakes
}

fn find_path<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').filter(|name| !name.is_empty()).try_fold(value, |value, name| value.get(name))
}

fn is_slug(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_sentence(text: &str) -> bool {
    text.ends_with('.') && text.starts_with(|first: char| first.is_uppercase())
}

fn is_described(schema: &Value) -> bool {
    ["title", "description"].iter().all(|keyword| schema[keyword].as_str().is_some_and(|text| !text.is_empty()))
        && schema.get("type").is_some()
}
