//! Reads and rewrites requests in DynamoDB's JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// One write of a request.
pub struct Write<'a> {
    /// `Put`, `Update`, `Delete` or `ConditionCheck`
    pub kind: &'a str,
    pub table: &'a str,
    pub pk: &'a str,
    pub sk: &'a str,
    pub body: &'a Value,
}

impl Write<'_> {
    /// The item that is put, in plain JSON.
    pub fn item(&self) -> Value {
        to_plain_json(&json!({"M": self.body["Item"]}))
    }

    pub fn item_name(&self) -> String {
        format!("{} {} {}", self.table, self.pk, self.sk)
    }
}

/// The writes of a request, empty for a read.
pub fn writes<'a>(operation: &'a str, request: &'a Value) -> Vec<Write<'a>> {
    match operation {
        "PutItem" => vec![write("Put", request)],
        "UpdateItem" => vec![write("Update", request)],
        "DeleteItem" => vec![write("Delete", request)],
        "TransactWriteItems" => {
            let items = request["TransactItems"].as_array().into_iter().flatten();
            items.flat_map(|item| item.as_object().unwrap()).map(|(kind, body)| write(kind, body)).collect()
        }
        _ => vec![],
    }
}

fn write<'a>(kind: &'a str, body: &'a Value) -> Write<'a> {
    let key = if kind == "Put" { &body["Item"] } else { &body["Key"] };
    let text = |value: &'a Value| value.as_str().unwrap_or_default();
    Write { kind, table: text(&body["TableName"]), pk: text(&key["pk"]["S"]), sk: text(&key["sk"]["S"]), body }
}

/// The partition that a query reads, which is the first value of its condition.
pub fn partition(query: &Value) -> &str {
    query["ExpressionAttributeValues"][":v0"]["S"].as_str().unwrap_or_default()
}

/// The bodies of a transaction's writes, mutable.
pub fn bodies(request: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let items = request["TransactItems"].as_array_mut().into_iter().flatten();
    items.flat_map(|item| item.as_object_mut().unwrap())
}

/// The attributes that an update adds to, each with its placeholder.
fn additions(update: &Value) -> Vec<(String, String)> {
    let expression = update["UpdateExpression"].as_str().unwrap_or_default();
    let Some((_, additions)) = expression.split_once("ADD ") else { return vec![] };
    let additions = additions.split(" REMOVE ").next().unwrap_or_default();
    let pairs = additions.split(", ").filter_map(|pair| pair.split_once(' '));
    let named = pairs.map(|(name, placeholder)| {
        let attribute = update["ExpressionAttributeNames"][name].as_str().unwrap();
        (attribute.to_owned(), placeholder.to_owned())
    });
    named.collect()
}

/// The number that an update adds to each attribute.
pub fn added(update: &Value) -> BTreeMap<String, i128> {
    let number = |placeholder: &str| update["ExpressionAttributeValues"][placeholder]["N"].as_str().unwrap().parse();
    let added = additions(update).into_iter();
    added.map(|(attribute, placeholder)| (attribute, number(&placeholder).unwrap())).collect()
}

pub fn change_added(update: &mut Value, change: impl Fn(&str, i128) -> i128) {
    for (attribute, placeholder) in additions(update) {
        let number = &mut update["ExpressionAttributeValues"][&placeholder]["N"];
        *number = change(&attribute, number.as_str().unwrap().parse().unwrap()).to_string().into();
    }
}

/// The value that an update sets.
pub fn value_set<'a>(update: &'a Value, attribute: &str) -> Option<&'a Value> {
    Some(&update["ExpressionAttributeValues"][placeholder_set(update, attribute)?])
}

/// Changes the value that an update sets.
pub fn change_set(update: &mut Value, attribute: &str, value: Value) {
    if let Some(placeholder) = placeholder_set(update, attribute) {
        update["ExpressionAttributeValues"][placeholder] = value;
    }
}

fn placeholder_set(update: &Value, attribute: &str) -> Option<String> {
    let (_, rest) = update["UpdateExpression"].as_str()?.split_once(&format!("#{attribute} = "))?;
    rest.split([',', ' ']).next().map(str::to_owned)
}

/// Converts a typed value (`{"S": "x"}`) to plain JSON.
pub fn to_plain_json(typed: &Value) -> Value {
    let Some((kind, value)) = typed.as_object().and_then(|typed| typed.iter().next()) else { return Value::Null };
    match kind.as_str() {
        "N" => number(value.as_str().unwrap()),
        "L" => value.as_array().unwrap().iter().map(to_plain_json).collect(),
        "M" if value.is_null() => Value::Null,
        "M" => {
            let members = value.as_object().into_iter().flatten();
            Value::Object(members.map(|(name, value)| (name.clone(), to_plain_json(value))).collect())
        }
        "NULL" => Value::Null,
        // Bytes keep their type, which tells them from texts.
        "B" => typed.clone(),
        _ => value.clone(),
    }
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().expect("DynamoDB's numbers are JSON's"))
}

/// The bodies of all writes of a request, mutable.
pub fn write_bodies<'a>(operation: &str, request: &'a mut Value) -> Vec<&'a mut Value> {
    match operation {
        "PutItem" | "UpdateItem" => vec![request],
        _ => bodies(request).map(|(_, body)| body).collect(),
    }
}

/// Removes the condition of a write.
pub fn drop_condition(body: &mut Value) {
    body.as_object_mut().unwrap().remove("ConditionExpression");
    remove_unused(body);
}

/// Removes what a condition requires of one attribute.
pub fn drop_condition_on(body: &mut Value, attribute: &str) {
    let condition = body["ConditionExpression"].as_str().unwrap_or_default().to_owned();
    let equal = format!("#{attribute} = ");
    let absent = format!("attribute_not_exists(#{attribute})");
    let always = "attribute_exists(pk)";
    let condition = match condition.split_once(&equal) {
        Some((before, after)) => {
            let rest = after.find([' ', ')']).map_or("", |end| &after[end..]);
            format!("{before}{always}{rest}")
        }
        None => condition.replace(&absent, always),
    };
    body["ConditionExpression"] = condition.into();
    remove_unused(body);
}

/// DynamoDB refuses names and values that no expression uses.
fn remove_unused(body: &mut Value) {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let expressions = format!("{} {}", text("ConditionExpression"), text("UpdateExpression"));
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_#:".contains(c);
    let used: Vec<&str> = expressions.split(|c| !is_word(c)).collect();
    for part in ["ExpressionAttributeValues", "ExpressionAttributeNames"] {
        let Some(named) = body[part].as_object_mut() else { continue };
        named.retain(|name, _| used.contains(&name.as_str()));
        if named.is_empty() {
            body.as_object_mut().unwrap().remove(part);
        }
    }
}
