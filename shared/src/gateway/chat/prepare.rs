//! What happens to a request before anybody is asked: its model is found, its parameters are held to what the model
//! can, what it leaves out is filled in, and the most it can cost is known.

use std::sync::Arc;

use super::message::Part;
use super::request::{ChatRequest, ResponseFormat};
use crate::domain::catalog::{Model, Purpose};
use crate::domain::lease::Need;
use crate::gateway::tokens::{greatest_input, likely};
use crate::gateway::{Asker, Chosen, Gateway};
use crate::{Error, ProviderTrouble, Result};

/// Where the catalog does not say how long an answer may be.
const DEFAULT_MAX_TOKENS: u64 = 4_096;

pub(super) struct Prepared {
    pub chosen: Chosen,
    pub request: Arc<ChatRequest>,
    pub passthrough: Vec<String>,
    pub defaults: Vec<String>,
    /// For when the provider does not count.
    pub likely_input: u64,
    pub need: Need,
}

impl Gateway {
    pub(super) async fn prepare(&self, asker: &Asker, mut request: ChatRequest) -> Result<Prepared> {
        let chosen = self.models().choose(asker, request.model()).await?;
        let model = &chosen.model;
        let defaults = fill_in(&mut request, model);
        check(&request, model)?;
        let greatest_input = greatest_input(&request);
        let max_tokens = max_tokens(&request, model, greatest_input)?;
        request.set_max_tokens(max_tokens);
        let greatest_output = max_tokens.saturating_mul(request.choices());
        let need = Need {
            money: model.pricing.greatest_cost(greatest_input, greatest_output),
            tokens: greatest_input.saturating_add(greatest_output),
            images: 0,
        };
        let passthrough = request.passthrough().map(|(name, _)| name.to_owned()).collect();
        Ok(Prepared {
            chosen,
            request: Arc::new(request),
            passthrough,
            defaults,
            likely_input: likely(greatest_input),
            need,
        })
    }
}

fn fill_in(request: &mut ChatRequest, model: &Model) -> Vec<String> {
    let defaults = model.defaults.iter().filter(|(name, value)| request.set_default(name, value));
    defaults.map(|(name, _)| name.clone()).collect()
}

/// At most what the model can say; bounded also when the request says nothing, so that what a call takes is known.
fn max_tokens(request: &ChatRequest, model: &Model, greatest_input: u64) -> Result<u64> {
    let most = model.max_output_tokens;
    if let (Some(asked), Some(most)) = (request.max_tokens(), most)
        && asked > most
    {
        let problem = format_args!("this model answers with at most {most} tokens");
        return Err(Error::invalid_body(request.max_tokens_name(), problem));
    }
    if let Some(window) = model.context_window
        && likely(greatest_input) > window
    {
        return Err(Error::Provider {
            trouble: ProviderTrouble::Request,
            code: "context_length_exceeded".to_owned(),
            message: format!("the messages are longer than the {window} tokens that this model reads"),
            param: Some("messages".to_owned()),
            retry_after_s: None,
        });
    }
    let most = most.unwrap_or(DEFAULT_MAX_TOKENS);
    // The input is overestimated: one that may just fit is for the provider to count.
    let room = model.context_window.map_or(most, |window| window.saturating_sub(greatest_input).max(1));
    Ok(request.max_tokens().unwrap_or(most.min(room).max(1)))
}

fn check(request: &ChatRequest, model: &Model) -> Result<()> {
    if !model.does(Purpose::Chat) {
        return Err(Error::invalid_body("model", "this model does not chat; see its capabilities in /v1/models"));
    }
    let needs: [(&str, &str, bool); 7] = [
        ("stream", "streaming", request.is_streamed()),
        ("tools", "tools", !request.tools().is_empty()),
        ("response_format", "json_mode", matches!(request.response_format(), ResponseFormat::Json)),
        ("response_format", "json_schema", matches!(request.response_format(), ResponseFormat::Schema(_))),
        ("logprobs", "logprobs", request.flag("logprobs")),
        ("messages", "vision", has_images(request)),
        // Conversations are evaluated once there is a guard.
        ("guard", "guard", request.wants_guard()),
    ];
    match needs.iter().find(|(_, capability, needed)| *needed && !model.can(capability)) {
        None => Ok(()),
        Some((param, capability, _)) => Err(Error::Provider {
            trouble: ProviderTrouble::Unsupported,
            code: "parameter_not_supported".to_owned(),
            message: format!("{param}: this model has no capability {capability:?}; see /v1/models"),
            param: Some((*param).to_owned()),
            retry_after_s: None,
        }),
    }
}

fn has_images(request: &ChatRequest) -> bool {
    request.messages().any(|message| message.parts.iter().any(|part| matches!(part, Part::Image(_))))
}
