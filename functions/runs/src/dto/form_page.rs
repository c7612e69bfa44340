//! Response bodies of the pages of forms.

use domain::Result;
use serde::Serialize;
use store::runs::OpenReview;
use utoipa::ToSchema;

/// A page of a form that a run waits for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "OpenFormPage")]
pub struct FormPageOut {
    #[schema(example = "ask")]
    node_id: String,
    /// The path of the step: the node id or, in a loop, a path such as `lines[2]/ask`.
    #[schema(example = "ask")]
    step: String,
    #[schema(example = "Choose a day")]
    title: String,
    #[schema(format = DateTime)]
    expires_at: String,
    /// The link at which the page is filled in. It is null if the release has no `form` trigger with a webhook.
    #[schema(
        required,
        example = "https://api.example.com/hooks/v1/0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11/form/0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a12.bWFyaw"
    )]
    url: Option<String>,
}

impl FormPageOut {
    pub fn new(page: OpenReview, url: Option<String>) -> Result<Self> {
        Ok(Self {
            node_id: page.node_id().to_owned(),
            title: page.form_page()?.title,
            expires_at: page.closes_at.to_string(),
            step: page.step,
            url,
        })
    }
}
