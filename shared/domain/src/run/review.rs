//! Reviews: the questions of runs to people, and their answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::time::Time;
use crate::{Error, Result};

const MAX_FIELDS_BYTES: usize = 64 * 1024;

/// Who answers a question of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// A member who may decide.
    #[default]
    Review,
    /// The person who has sent the form that started the run, or anyone with the link of the page.
    FormPage,
}

/// A review or a page of a form that a run opens.
#[derive(Clone, Debug, PartialEq)]
pub struct NewReview {
    pub kind: QuestionKind,
    /// The path of the step.
    pub step: String,
    pub expires_at: Time,
    /// What the person sees, such as `title` and `fields`.
    pub request: Map<String, Value>,
}

/// The answer of a person to a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewAnswer {
    pub approved: bool,
    pub fields: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    pub reviewer: String,
}

/// What the person is asked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReviewRequest {
    pub title: String,
    pub message: Option<String>,
    pub fields: Vec<ReviewField>,
}

/// A field that the person may change
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewField {
    #[schema(example = "amount")]
    pub name: String,
    #[serde(default)]
    #[schema(example = "Amount")]
    pub label: String,
    pub r#type: ReviewFieldType,
    /// The initial value
    #[serde(default)]
    #[schema(example = 120)]
    pub value: Value,
    /// Whether an approval needs a value
    #[serde(default)]
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewFieldType {
    Text,
    Number,
    Boolean,
    /// Any JSON value
    Json,
}

impl ReviewFieldType {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Json => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Json => "a JSON value",
        }
    }
}

impl ReviewRequest {
    /// The answer of a person. A field that the person leaves out keeps its initial value; null removes it. A rejection
    /// needs no required fields.
    pub fn answer(
        &self,
        approved: bool,
        given: Map<String, Value>,
        comment: Option<String>,
        reviewer: String,
    ) -> Result<ReviewAnswer> {
        if serde_json::to_string(&given).is_ok_and(|text| text.len() > MAX_FIELDS_BYTES) {
            return Err(Error::invalid_body("fields", format!("at most {MAX_FIELDS_BYTES} bytes in all")));
        }
        if let Some(name) = given.keys().find(|name| self.fields.iter().all(|field| field.name != **name)) {
            return Err(Error::invalid_body(format!("fields.{name}"), "the review has no such field"));
        }
        let mut fields = Map::new();
        for field in &self.fields {
            let value = given.get(&field.name);
            if value.is_some_and(|value| !value.is_null() && !field.r#type.accepts(value)) {
                return Err(field.error(format!("must be {}", field.r#type.name())));
            }
            let value = value.unwrap_or(&field.value).clone();
            if approved && field.required && value.is_null() {
                return Err(field.error("is required to approve"));
            }
            fields.insert(field.name.clone(), value);
        }
        Ok(ReviewAnswer { approved, fields, comment, reviewer })
    }
}

impl ReviewField {
    fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::invalid_body(format!("fields.{}", self.name), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> ReviewRequest {
        serde_json::from_value(json!({"title": "Refund?", "fields": [
            {"name": "amount", "type": "number", "value": 5, "required": true},
            {"name": "note", "type": "text"},
            {"name": "urgent", "type": "boolean", "value": true},
            {"name": "data", "type": "json"},
            {"name": "code", "type": "text", "required": true},
        ]}))
        .unwrap()
    }

    fn answer(approved: bool, given: Value) -> Result<Map<String, Value>, String> {
        let Value::Object(given) = given else { panic!("not an object") };
        let answer = request().answer(approved, given, None, "usr_1".to_owned());
        answer.map(|answer| answer.fields).map_err(|error| error.to_string())
    }

    #[test]
    fn missing_fields_keep_their_values() {
        let fields = answer(true, json!({"code": "A1", "data": [1]})).unwrap();
        let expected = json!({"amount": 5, "note": null, "urgent": true, "data": [1], "code": "A1"});
        assert_eq!(Value::Object(fields), expected);
        let rejected = answer(false, json!({"urgent": null})).unwrap();
        assert_eq!((&rejected["urgent"], &rejected["code"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn wrong_fields_are_named() {
        let cases = [
            (true, json!({}), "fields.code: is required to approve"),
            (true, json!({"code": "A1", "amount": null}), "fields.amount: is required to approve"),
            (true, json!({"amount": "5"}), "fields.amount: must be a number"),
            (false, json!({"note": 5}), "fields.note: must be a string"),
            (false, json!({"urgent": "yes"}), "fields.urgent: must be a boolean"),
            (true, json!({"other": 1}), "fields.other: the review has no such field"),
            (true, json!({"data": "x".repeat(70_000)}), "fields: at most 65536 bytes in all"),
        ];
        for (approved, given, message) in cases {
            assert_eq!(answer(approved, given).unwrap_err(), message);
        }
    }
}
