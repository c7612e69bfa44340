//! The node type `form`: a page that people fill in, and that starts a run.

use domain::address;
use domain::form::{FormField, FormPage, Given, field_problems, values_schema};
use domain::graph::Node;
use domain::language::Translated;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, OUT, own_fields, policy::Policies};
use crate::schema::{FieldProblem, check_value};

/// How many runs a form may start in an hour, if it sets no limit.
const DEFAULT_MAX_PER_HOUR: u32 = 500;

/// The link of the page is that of the webhook in the workflow's channels, with `/form` at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormNode {
    /// The title of the page.
    #[schema(min_length = 1, max_length = 200, example = "Contact us")]
    pub title: String,
    /// The text above the fields. It is plain text; its lines are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 10_000, nullable = false)]
    pub description: Option<String>,
    /// The fields that people fill in.
    #[serde(default)]
    #[schema(inline, max_items = 50)]
    pub fields: Vec<FormField<String>>,
    /// The text of the button; `Send` by default, in the language of the browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100, nullable = false)]
    pub button: Option<String>,
    /// The text that people see at the end. A text that `send_result` returns is shown instead of it, if the webhook is synchronous
    /// or the workflow has form pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 10_000, nullable = false)]
    pub confirmation: Option<String>,
    /// The page to which browsers are sent at the end, instead of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000, nullable = false, example = "https://example.com/thanks")]
    pub redirect_url: Option<String>,
    /// How many runs the form starts in an hour, because anyone with the link can send it; 500 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100_000, nullable = false)]
    pub max_per_hour: Option<u32>,
}

impl FormNode {
    /// The configuration of a node of this type; none of another type, or if it is not valid.
    pub fn read(node: &Node) -> Option<Self> {
        let own = (node.r#type == Self::NAME).then(|| own_fields(node.config.clone()))?;
        Self::deserialize(Value::Object(own)).ok()
    }

    /// The page as people see it.
    pub fn page(&self) -> FormPage {
        let Self { title, description, fields, button, .. } = self.clone();
        let initial = fields.iter().filter_map(|field| Some((field.name.clone(), Given::Text(field.value.clone()?))));
        let initial: Vec<_> = initial.collect();
        let fields = fields.into_iter().map(FormField::without_value).collect();
        FormPage { title, description, fields, button }.with_prefilled(&initial)
    }

    pub fn max_per_hour(&self) -> u64 {
        self.max_per_hour.unwrap_or(DEFAULT_MAX_PER_HOUR).into()
    }

    /// The input of a run that a program starts: optional fields may be left out, and all values must fit their fields.
    pub fn read_input(&self, field: &str, input: Value) -> Result<Value, FieldProblem> {
        let mut given = match input {
            Value::Null => Map::new(),
            Value::Object(given) => given,
            _ => return Err((field.to_owned(), Translated::new("must be an object", "debe ser un objeto").into())),
        };
        for field in &self.fields {
            if !given.contains_key(&field.name) && !field.required {
                given.insert(field.name.clone(), field.r#type.empty());
            }
        }
        let input = Value::Object(given);
        match check_value(&self.output_schema(OUT), &input, field).violations.into_iter().next() {
            Some((at, problem)) => Err((at.trim_start_matches('.').to_owned(), problem)),
            None => self.check_texts(field, &input).map(|()| input),
        }
    }

    /// Checks what a schema does not: addresses, days, and texts that are only spaces.
    fn check_texts(&self, at: &str, input: &Value) -> Result<(), FieldProblem> {
        let wrong = self.fields.iter().find_map(|field| Some((field, field.text_problem(input[&field.name].as_str()?)?)));
        match wrong {
            Some((field, problem)) if at.is_empty() => Err((field.name.clone(), problem)),
            Some((field, problem)) => Err((format!("{at}.{}", field.name), problem)),
            None => Ok(()),
        }
    }
}

impl NodeKind for FormNode {
    const NAME: &'static str = "form";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts a run for each person who sends a page with fields; its value has the value of each field by its name. A field that \
         is not filled in is null, false or an empty list.",
        "Inicia una ejecución por cada persona que envía una página con campos; su valor tiene el de cada campo por su nombre. Un \
         campo sin rellenar es null, false o una lista vacía.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({
            "title": "Contact us", "description": "We answer within a day.",
            "fields": [
                {"name": "email", "label": "Your email", "type": "email", "required": true},
                {"name": "topic", "label": "Topic", "type": "choice", "options": ["Sales", "Support"], "value": "Support"},
                {"name": "message", "label": "Message", "type": "long_text", "required": true},
            ],
            "confirmation": "Thank you. We write to you soon.",
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        values_schema(self.fields.iter().map(|field| (&*field.name, field.schema(field.options.as_deref()))))
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut problems = field_problems(&self.fields);
        for (index, field) in self.fields.iter().enumerate() {
            if let Some(problem) = field.options_problem() {
                problems.push((format!("fields[{index}].options"), problem));
            } else if let Some(problem) = field.value.as_ref().and_then(|text| field.text_problem(text)) {
                problems.push((format!("fields[{index}].value"), problem));
            }
        }
        let redirect = self.redirect_url.as_deref().and_then(address::problem);
        problems.extend(redirect.map(|problem| ("redirectUrl".to_owned(), problem.into())));
        problems
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(fields: Value) -> FormNode {
        serde_json::from_value(json!({"title": "T", "fields": fields})).unwrap()
    }

    #[test]
    fn wrong_fields_are_explained() {
        let fields = json!([
            {"name": "a", "type": "number", "value": "x"},
            {"name": "a", "type": "choice"},
            {"name": "b", "type": "choice", "options": []},
            {"name": "c", "type": "choices", "options": ["x", "x"]},
            {"name": "d", "type": "text", "options": ["x"]},
            {"name": "e", "type": "choice", "options": ["x"], "value": "y"},
            {"name": "f", "type": "choices", "options": ["x"], "value": "x"},
            {"name": "g", "type": "file", "value": "x"},
            {"name": "h", "type": "hidden", "value": "x", "required": true},
        ]);
        let mut node = node(fields);
        node.redirect_url = Some("javascript:alert(1)".to_owned());
        let problems = node.problems();
        let fields: Vec<_> = problems.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "fields[1].name", "fields[1].options", "fields[4].options", "fields[8].required", "fields[0].value", "fields[2].options",
                "fields[3].options", "fields[5].value", "fields[7].value", "redirectUrl",
            ]
        );
    }

    #[test]
    fn programs_may_leave_optional_fields_out() {
        let node = node(json!([
            {"name": "email", "type": "email", "required": true},
            {"name": "extras", "type": "choices", "options": ["a"]},
            {"name": "terms", "type": "boolean"},
            {"name": "age", "type": "number"},
        ]));
        let read = |input: Value| node.read_input("", input).map_err(|(field, _)| field);
        let expected = json!({"email": "a@b", "extras": [], "terms": false, "age": null});
        assert_eq!(read(json!({"email": "a@b"})), Ok(expected));
        assert_eq!(read(json!({"email": "a@b", "extras": ["b"]})), Err("extras[0]".to_owned()));
        for email in ["", "  ", "ana"] {
            assert_eq!(read(json!({"email": email})), Err("email".to_owned()));
        }
        assert_eq!(read(json!({"email": "a@b", "other": 1})), Err("other".to_owned()));
        assert!(read(Value::Null).is_err() && read(json!([])).is_err());
    }
}
