//! The node type `form_page`: shows another page to the person who has sent the form, and waits until it is sent.

use std::borrow::Cow;

use domain::form::{FormField, field_problems, values_schema};
use domain::language::Translated;
use domain::run::{QuestionKind, StepError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::review::Question;
use super::{Category, DueWork, Fields, NodeAction, NodeKind, NodeResult};
use crate::schema::FieldProblem;

pub const SUBMITTED: &str = "submitted";
pub const EXPIRED: &str = "expired";

/// The texts and files of a page have at most 256 KiB; ask for larger files on the first page.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormPageNode {
    /// The title of the page.
    #[schema(inline)]
    pub title: Jinja,
    /// The text above the fields. It is plain text; its lines are kept.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub description: Option<Jinja>,
    /// The fields that the person fills in. Without them, the page is a text with a button.
    #[serde(default)]
    #[schema(inline, max_items = 50)]
    pub fields: Vec<FormField<Cel, Cel>>,
    /// The text of the button; `Continue` by default, in the language of the browser.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100, nullable = false)]
    pub button: Option<String>,
    /// After this time the page closes and the run continues at `expired`; seven days by default.
    #[serde(default)]
    #[schema(minimum = 60, maximum = 2_592_000, nullable = false)]
    pub expires_in_seconds: Option<u64>,
}

impl NodeKind for FormPageNode {
    const NAME: &'static str = "form_page";
    const CATEGORY: Category = Category::People;
    const DESCRIPTION: Translated = Translated::new(
        "Shows another page to the person who has sent the form, and waits; continues at the port submitted or expired. Its value \
         has the value of each field by its name.",
        "Muestra otra página a la persona que envió el formulario y espera; continúa por el puerto submitted o expired. Su valor \
         tiene el de cada campo por su nombre.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::ERROR;

    fn example() -> Value {
        json!({
            "title": "Thank you, {{ input.name }}", "description": "Which day suits you?",
            "fields": [{"name": "day", "label": "Day", "type": "choice", "required": true, "options": "input.freeDays"}],
            "expiresInSeconds": 86400,
        })
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![SUBMITTED.into(), EXPIRED.into()]
    }

    fn output_schema(&self, port: &str) -> Value {
        match port {
            SUBMITTED => values_schema(self.fields.iter().map(|field| (&*field.name, field.schema(None)))),
            _ => json!({"type": "null"}),
        }
    }

    fn problems(&self) -> Vec<FieldProblem> {
        field_problems(&self.fields)
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let mut config = fields.config()?;
        let shown = ["title", "description", "fields", "button"].into_iter();
        let request = shown.filter_map(|name| Some((name.to_owned(), config.remove(name)?))).collect();
        check(&request)?;
        let expires_in_seconds = self.expires_in_seconds;
        Ok(NodeAction::Due(DueWork::Ask(Question { kind: QuestionKind::FormPage, request, expires_in_seconds })))
    }
}

/// Checks the values of the expressions: the options and the initial values of the fields.
fn check(request: &Map<String, Value>) -> Result<(), StepError> {
    let invalid = |field: &str, problem: &str| StepError::new("form_page_invalid", format!("config.{field}: {problem}"));
    for (index, field) in request.get("fields").and_then(Value::as_array).into_iter().flatten().enumerate() {
        // Everything else was checked with the graph.
        let field: FormField = FormField::deserialize(field)
            .map_err(|_| invalid(&format!("fields[{index}].options"), "the value must be a list of texts"))?;
        if let Some(problem) = field.options_problem() {
            return Err(invalid(&format!("fields[{index}].options"), &problem.en));
        }
        if let Some(problem) = field.value_problem() {
            return Err(invalid(&format!("fields[{index}].value"), &problem.en));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_checked_when_they_are_known() {
        let check_options = |options: Value| {
            let fields = json!([{"name": "day", "type": "choice", "options": options}]);
            check(&Map::from_iter([("fields".to_owned(), fields)])).map_err(|error| error.to_string())
        };
        assert!(check_options(json!(["mon", "tue"])).is_ok());
        for (options, expected) in [
            (json!("mon"), "config.fields[0].options: the value must be a list of texts"),
            (json!([1]), "config.fields[0].options: the value must be a list of texts"),
            (json!([]), "config.fields[0].options: must be 1 to 500 texts"),
            (json!(["mon", "mon"]), "config.fields[0].options: has an option twice"),
        ] {
            let error = check_options(options.clone()).unwrap_err();
            assert!(error.contains(expected), "{options}: {error}");
        }
    }
}
