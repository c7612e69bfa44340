//! Problems that keep a published agent or workflow from working.

use serde::Serialize;
use utoipa::ToSchema;

use super::language::Language;
use super::reference::Reference;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StandingProblem)]
pub struct StatusProblem {
    #[schema(example = "reference_gone")]
    pub code: &'static str,
    pub message: String,
}

impl StatusProblem {
    pub fn deleted_reference(reference: &Reference, language: Language) -> Self {
        let (kind, name) = (reference.kind(), reference.target());
        let message = language.choose(
            format!("{kind} {name} no longer exists: replace it or remove the reference"),
            format!(
                "{} {name} ya no existe: sustitúyal{} o quite la referencia",
                reference.describe_kind(Language::Spanish),
                reference.spanish_ending()
            ),
        );
        Self { code: "reference_gone", message }
    }
}
