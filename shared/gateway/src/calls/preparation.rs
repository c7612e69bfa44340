//! Preparation of a chat request before a provider is called.
//!
//! It fills in the operator's defaults, validates the parameters against the model's capabilities
//! and holds (reserves) the maximum cost of the call.

use std::sync::Arc;

use super::cache::CachePlace;
use super::guard::PendingEvaluation;
use crate::chat::{ChatRequest, ContentPart, Message, ResponseFormat, Terms};
use crate::leases::{LeaseSlot, SlotRequest, Taken};
use crate::tokens::likely;
use crate::{Gateway, GatewayCaller, ParameterNotes, ProviderFailure, shortage_error};
use domain::catalog::{MaxTokensPolicy, Model, Purpose};
use domain::guard::GuardMessage;
use domain::identity::InputGuard;
use domain::lease::{CallLimits, Shortage};
use domain::limits::Dimension;
use domain::{Error, ProviderTrouble, Result};
use store::model_catalog::Chosen;

/// The smallest output limit, in tokens, that a hold shrinks to. If less is affordable, the call is refused.
const MIN_OUTPUT_TOKENS: u64 = 16;
/// Maximum attempts to shrink a hold while other calls take from the same credits and limits.
const MAX_SHRINKS: usize = 4;

pub(super) struct Prepared {
    pub chosen: Chosen,
    pub request: Arc<ChatRequest>,
    pub notes: ParameterNotes,
    /// The input tokens to charge when the provider reports no usage.
    pub likely_input: u64,
    /// The evaluation of a chat with `guard: true`.
    pub evaluation: Option<PendingEvaluation>,
    /// The output tokens held for each choice.
    output: u64,
    greatest_input: u64,
}

impl Gateway {
    pub(super) async fn prepare(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        mut request: ChatRequest,
    ) -> Result<Prepared> {
        let model = &chosen.model;
        let defaults = apply_defaults(&mut request, model);
        check_capabilities(&request, model)?;
        let mut adjusted = limit_output(&mut request, model)?;
        if let Some(window) = model.context_window.filter(|_| request.may_truncate())
            && request.truncate(window)
        {
            adjusted.push("input".to_owned());
        }
        let greatest_input = request.greatest_input();
        check_length(model, greatest_input)?;
        let evaluation = match request.wants_guard() || caller.plan.input_guard != InputGuard::Off {
            // Boxed, so that other calls do not have its size.
            true => Box::pin(self.guard_messages(caller, &request)).await?,
            false => None,
        };
        let output = request.max_tokens().unwrap_or_else(|| model.reserved_output_tokens());
        request.set_terms(terms(model, greatest_input, output));
        Ok(Prepared {
            chosen,
            request: Arc::new(request),
            notes: ParameterNotes { defaults, adjusted, ..ParameterNotes::default() },
            likely_input: likely(greatest_input),
            evaluation,
            output,
            greatest_input,
        })
    }

    /// Evaluates the input, if the plan wants it. Returns the evaluation of a chat with `guard: true`.
    async fn guard_messages(&self, caller: &GatewayCaller, request: &ChatRequest) -> Result<Option<PendingEvaluation>> {
        let messages: Vec<GuardMessage> = request.messages().iter().map(GuardMessage::from).collect();
        let evaluation = match request.wants_guard() {
            true => Some(self.prepare_evaluation(caller, messages.clone()).await?),
            false => None,
        };
        let has_media = request.messages().iter().any(Message::has_media);
        if caller.plan.input_guard == InputGuard::Require && has_media {
            let problem = "the plan requires an evaluation of the input, and the guard evaluates only text";
            return Err(ProviderFailure::unsupported("messages", problem).into());
        }
        // The input of a fallback was evaluated before the first model was called.
        if !request.is_fallback() {
            self.check_input(caller, messages).await?;
        }
        Ok(evaluation)
    }

    /// Holds the maximum cost of the call. If the client sets no output limit and the remaining credits, caps or token
    /// limits do not cover the model's longest answer, the hold shrinks to what they cover. The request then gets this
    /// output limit.
    pub(super) async fn reserve(&self, caller: &GatewayCaller, prepared: &mut Prepared) -> Result<LeaseSlot> {
        let may_shrink = prepared.request.max_tokens().is_none();
        for _ in 0..MAX_SHRINKS {
            let need = prepared.need(prepared.output);
            let (payer, model) = (&caller.payer, (&*prepared.chosen.model).into());
            let request = SlotRequest { payer, model, need, labels: &caller.call.labels };
            let shortage = match self.inner.leases.take(request).await? {
                Taken::Slot(slot) => return Ok(slot),
                Taken::Short(shortage) => shortage,
            };
            let shorter = prepared.output_within(&shortage).filter(|_| may_shrink);
            let Some(shorter) = shorter else { return Err(shortage_error(shortage, &need, self.inner.clock.now())) };
            prepared.shrink(shorter);
        }
        Err(Error::busy("the remaining credits or limits changed on every attempt to hold the cost of the call"))
    }
}

impl Prepared {
    /// Where the answer is kept, if the model has a cache. An answer that the guard evaluates is not given again.
    pub fn cache_place(&self, caller: &GatewayCaller) -> Option<CachePlace> {
        if self.evaluation.is_some() {
            return None;
        }
        CachePlace::new(caller, &self.chosen.model, || self.request.cache_scope())
    }

    fn need(&self, output: u64) -> CallLimits {
        let output = output.saturating_mul(self.request.choices());
        CallLimits {
            money: self.chosen.model.pricing.greatest_cost(self.greatest_input, output),
            tokens: self.greatest_input.saturating_add(output),
            images: 0,
        }
    }

    /// Returns the output tokens that the remaining amount covers, if a hold of this size is smaller and still useful.
    /// A rate limit is compared as a whole: a hold that fits it needs no shrink, because the client only has to wait.
    fn output_within(&self, shortage: &Shortage) -> Option<u64> {
        let choices = self.request.choices();
        let longest = match *shortage {
            Shortage::Credits { left } | Shortage::Cap { left, .. } => {
                let per_token = self.need(1).money.less(self.need(0).money).pico_usd();
                let left = left.pico_usd().checked_sub(self.need(0).money.pico_usd())?;
                left.checked_div(per_token)?
            }
            Shortage::Rate { dimension: Dimension::Tpm | Dimension::Tpd, limit, .. } => {
                limit.checked_sub(self.greatest_input)? / choices
            }
            Shortage::Rate { .. } | Shortage::Revoked(_) => return None,
        };
        (MIN_OUTPUT_TOKENS..self.output).contains(&longest).then_some(longest)
    }

    fn shrink(&mut self, output: u64) {
        self.output = output;
        let limit = within_window(&self.chosen.model, self.greatest_input, output);
        let request = Arc::make_mut(&mut self.request);
        request.set_max_tokens(limit);
        self.notes.max_tokens = Some(limit);
    }
}

/// What the translations of a request need to know of the model.
pub(super) fn terms(model: &Model, greatest_input: u64, output: u64) -> Terms {
    Terms {
        unsupported: model.unsupported,
        unsupported_parameters: model.unsupported_parameters.clone(),
        max_tokens_parameter: model.max_tokens_parameter,
        reasons: model.can("reasoning"),
        prompt_cache: model.prompt_cache,
        max_tokens: Some(within_window(model, greatest_input, output)),
    }
}

pub(super) fn apply_defaults(request: &mut ChatRequest, model: &Model) -> Vec<String> {
    let defaults = model.defaults.iter().filter(|(name, value)| request.set_default(name, value));
    defaults.map(|(name, _)| name.clone()).collect()
}

/// Lowers an output limit above the model's own, or refuses it if the model's operator wants that. Coding agents send their
/// own maximum to every model. Returns the names of the lowered parameters.
fn limit_output(request: &mut ChatRequest, model: &Model) -> Result<Vec<String>> {
    let Some(most) = model.max_output_tokens else { return Ok(Vec::new()) };
    match model.max_tokens_policy {
        MaxTokensPolicy::Clamp => Ok(request.lower_max_tokens(most)),
        MaxTokensPolicy::Reject if request.max_tokens().is_some_and(|asked| asked > most) => {
            let problem = format_args!("must be at most {most}, the maximum output tokens of this model");
            Err(Error::invalid_body(request.max_tokens_name(), problem))
        }
        MaxTokensPolicy::Reject => Ok(Vec::new()),
    }
}

/// Refuses messages longer than the context window.
fn check_length(model: &Model, greatest_input: u64) -> Result<()> {
    if let Some(window) = model.context_window
        && likely(greatest_input) > window
    {
        return Err(Error::Provider {
            trouble: ProviderTrouble::Request,
            code: "context_length_exceeded".to_owned(),
            message: format!("the messages do not fit this model's context window of {window} tokens; shorten them"),
            param: Some("messages".to_owned()),
            retry_after_s: None,
        });
    }
    Ok(())
}

/// Reduces an output limit to the room that the input leaves in the context window. The input is overestimated, so the
/// result is at least 1, and the provider decides whether the input really fits.
fn within_window(model: &Model, greatest_input: u64, output: u64) -> u64 {
    let room = model.context_window.map_or(output, |window| window.saturating_sub(greatest_input));
    output.min(room).max(1)
}

fn check_capabilities(request: &ChatRequest, model: &Model) -> Result<()> {
    if !model.does(Purpose::Chat) {
        return Err(Error::invalid_body(
            "model",
            "this model does not support chat completions; choose another from GET /gateway/v1/models",
        ));
    }
    let needs: [(&str, &str, bool); 6] = [
        ("stream", "streaming", request.is_streamed()),
        ("tools", "tools", !request.tools().is_empty()),
        ("response_format", "json_mode", matches!(request.response_format(), ResponseFormat::Json)),
        ("response_format", "json_schema", matches!(request.response_format(), ResponseFormat::Schema(_))),
        ("logprobs", "logprobs", request.flag("logprobs")),
        ("messages", "vision", has_images(request)),
    ];
    match needs.iter().find(|(_, capability, needed)| *needed && !model.can(capability)) {
        None => Ok(()),
        Some((param, capability, _)) => Err(Error::Provider {
            trouble: ProviderTrouble::Unsupported,
            code: "parameter_not_supported".to_owned(),
            message: format!(
                "{param}: this model does not have the capability {capability:?}; choose another from GET /gateway/v1/models"
            ),
            param: Some((*param).to_owned()),
            retry_after_s: None,
        }),
    }
}

fn has_images(request: &ChatRequest) -> bool {
    request.messages().iter().any(|message| message.parts.iter().any(|part| matches!(part, ContentPart::Image(_))))
}
