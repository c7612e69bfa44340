//! Request and response bodies of aliases.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The target of an alias.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AliasIn {
    /// The name of the model that the alias points to.
    #[schema(example = "dev-chat")]
    pub model: String,
}

/// An alias: a public name that points to a model.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminAlias)]
pub struct AliasOut {
    pub alias: String,
    pub model: String,
}
