//! The schemas of the guard and of moderations.

use std::collections::BTreeMap;

use gateway::Evaluation;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use web::gateway::GuardResultOut;

use super::UsageOut;
use super::chat::MessageIn;

/// A conversation to evaluate.
#[derive(Serialize, ToSchema)]
pub struct GuardIn {
    /// Messages whose content is text.
    #[schema(min_items = 1, max_items = 128)]
    input: Vec<MessageIn>,
    /// The name of a guard model, or an alias. Defaults to the model with the alias `guard`, or else to the first guard
    /// model by name.
    #[schema(example = "dev-guard")]
    model: Option<String>,
}

/// The scores of each risk category.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardEvaluation)]
pub struct GuardEvaluationOut {
    /// The id of the guard event.
    #[schema(example = "grd_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    /// The guard model.
    model: String,
    /// Whether a score reaches the threshold of its category.
    flagged: bool,
    results: Vec<GuardResultOut>,
    usage: UsageOut,
}

/// Texts to evaluate, in OpenAI's form.
#[derive(Serialize, ToSchema)]
#[schema(as = Moderation)]
pub struct ModerationIn {
    #[schema(schema_with = input_schema)]
    input: serde_json::Value,
    /// The name of a guard model, or an alias. Defaults to the guard model of the plan. So do the names of OpenAI's models,
    /// such as `omni-moderation-latest`, unless the operator has given them to a model.
    #[schema(example = "omni-moderation-latest")]
    model: Option<String>,
}

fn input_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let part = || {
        let fields = ObjectBuilder::new().property("type", text().enum_values(Some(["text"]))).property("text", text());
        fields.required("type").required("text")
    };
    let entry = || OneOfBuilder::new().item(text()).item(part());
    let list = ArrayBuilder::new().min_items(Some(1)).max_items(Some(128)).items(entry());
    let forms = entry().item(list).description(Some("A text or a part of the type `text`, or a list of them"));
    Schema::OneOf(forms.build())
}

/// The scores of each text, in OpenAI's form.
#[derive(Serialize, ToSchema)]
#[schema(as = Moderations)]
pub struct ModerationsOut {
    #[schema(example = "modr-019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    model: String,
    results: Vec<ModerationOut>,
}

/// The scores of one text, by the codes of the categories.
#[derive(Serialize, ToSchema)]
#[schema(as = ModerationResult)]
struct ModerationOut {
    flagged: bool,
    categories: BTreeMap<String, bool>,
    /// 0 if the guard model does not know the category.
    category_scores: BTreeMap<String, f64>,
    category_applied_input_types: BTreeMap<String, Vec<&'static str>>,
}

impl From<&Evaluation> for GuardEvaluationOut {
    fn from(Evaluation { event, model, verdict, usage }: &Evaluation) -> Self {
        Self {
            id: event.to_string(),
            model: model.clone(),
            flagged: verdict.is_flagged(),
            results: GuardResultOut::all(verdict),
            usage: if usage.tokens.output == 0 { UsageOut::of_input(usage) } else { UsageOut::of_chat(usage) },
        }
    }
}

impl From<&Evaluation> for ModerationsOut {
    fn from(Evaluation { event, model, verdict, .. }: &Evaluation) -> Self {
        let results = verdict.results.iter().map(|result| {
            let scores = || verdict.scores(result);
            ModerationOut {
                flagged: verdict.flags(result),
                categories: scores().map(|(c, score)| (c.code.clone(), c.is_reached_by(score))).collect(),
                category_scores: scores().map(|(c, score)| (c.code.clone(), score.unwrap_or_default())).collect(),
                category_applied_input_types: scores().map(|(c, _)| (c.code.clone(), vec!["text"])).collect(),
            }
        });
        Self { id: format!("modr-{}", event.uuid().simple()), model: model.clone(), results: results.collect() }
    }
}
