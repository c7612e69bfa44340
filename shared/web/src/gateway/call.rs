//! The wire types of the log of calls, and the query of its lists.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wire_enum;
use domain::call_facts::{CallFacts, CallStatus, FailedAttempt};
use domain::ledger::Charge;
use domain::run::RunStep;
use domain::usage::Tokens;
use domain::usd::Usd;

wire_enum! {
    /// `failed`: it ended with an error, before or during its answer. `cancelled`: its client disconnected from a stream.
    #[serde(rename_all = "lowercase")]
    CallStatusWire = CallStatus { Completed, Failed, Cancelled }
}

/// What was called: a model, or a tool of an MCP server.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CallKind)]
enum CallKindWire {
    Model,
    Mcp,
}

/// What a call of kind `mcp` has called.
#[derive(Serialize, ToSchema)]
#[schema(as = CalledTool)]
struct CalledToolOut {
    /// The name of the MCP server
    server: String,
    /// The name of the tool, or another method of the protocol such as `resources/read`
    tool: String,
}

impl CalledToolOut {
    fn of_call(call: &Charge) -> Option<Self> {
        let facts = call.facts.as_ref().filter(|facts| facts.is_tool)?;
        let (server, tool) = facts.upstream.split_once('/')?;
        Some(Self { server: server.to_owned(), tool: tool.to_owned() })
    }
}

/// A call of a model or of a tool. What earlier versions did not record is null.
#[derive(Serialize, ToSchema)]
#[schema(as = Call)]
pub struct CallOut {
    #[schema(example = "txn_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    kind: CallKindWire,
    /// The tool, if `kind` is `mcp`
    #[schema(required)]
    mcp: Option<CalledToolOut>,
    request_id: String,
    org: String,
    user: String,
    /// The key that made the call. Null if the platform made it for the user
    #[schema(required)]
    api_key: Option<String>,
    /// The client's name for its user: `safety_identifier`, `user` or `metadata.user_id` of the request
    #[schema(required)]
    end_user: Option<String>,
    tags: Vec<String>,
    /// The name of the model in the catalog, or `mcp/` and the name of the MCP server
    model: String,
    /// The alias by which the request named the model
    #[schema(required)]
    alias: Option<String>,
    /// The provider that served the call, or failed it last; `mcp` for tools. Null if none was tried
    #[schema(required)]
    provider: Option<String>,
    /// The provider and its name for the model, as in `X-Svc-Deployment`; for tools `mcp/`, the name of the server, `/` and the tool
    #[schema(required, example = "openai/gpt-5.1")]
    deployment: Option<String>,
    status: CallStatusWire,
    /// The code of the error that ended the call
    #[schema(required)]
    error_code: Option<String>,
    streamed: bool,
    /// Whether the cache of answers answered it, at its own price
    from_cache: bool,
    /// Whether a batch made the call, at its own price
    from_batch: bool,
    /// Whether the guard made the call, to evaluate the input or the answer of the call with this `request_id`
    evaluation: bool,
    tokens: CallTokensOut,
    images: u64,
    /// The length of the audio that was transcribed, in milliseconds. Only of transcriptions
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    audio_ms: Option<u64>,
    /// The characters that were spoken. Only of speech
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    characters: Option<u64>,
    /// The price of what the call used
    cost: Usd,
    /// The part of the cost that was deducted from the credits
    charged: Usd,
    /// The milliseconds until the first output. Null if there was none
    #[schema(required)]
    first_output_ms: Option<u64>,
    #[schema(required)]
    duration_ms: Option<u64>,
    /// The run that made the call
    #[schema(required)]
    run: Option<CallRunOut>,
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    #[schema(format = DateTime)]
    ended_at: String,
    /// When the request and the answer expire that are kept for administrators. Null if the organization does not keep them
    #[schema(required, format = DateTime)]
    bodies_expire_at: Option<String>,
}

/// The tokens of a call.
#[derive(Serialize, ToSchema)]
#[schema(as = CallTokens)]
struct CallTokensOut {
    /// All tokens of the prompt, including cached ones
    input: u64,
    /// The part of `input` that the provider read from its cache
    cached: u64,
    /// The part of `input` that the provider wrote to its cache
    cache_write: u64,
    /// All generated tokens, including reasoning
    output: u64,
    /// The part of `output` that was spent on reasoning
    reasoning: u64,
}

/// The step of a run.
#[derive(Serialize, ToSchema)]
#[schema(as = CallRun)]
struct CallRunOut {
    run: String,
    #[schema(required)]
    workflow: Option<String>,
    /// The path of the step
    step: String,
}

/// A call with the attempts to serve it.
#[derive(Serialize, ToSchema)]
#[schema(as = CallDetail)]
pub struct CallDetailOut {
    #[serde(flatten)]
    call: CallOut,
    /// The attempts at deployments that failed, in their order. The one that served the call is in `deployment`
    failed_attempts: Vec<FailedAttemptOut>,
    /// The charge of an earlier attempt of the same request, which the client has repeated
    #[schema(required)]
    retry_of: Option<String>,
}

/// An attempt at a deployment that failed.
#[derive(Serialize, ToSchema)]
#[schema(as = FailedAttempt)]
struct FailedAttemptOut {
    deployment: String,
    error_code: String,
    duration_ms: u64,
}

impl From<Charge> for CallOut {
    fn from(call: Charge) -> Self {
        let bodies_expire_at = call.bodies_expire_at().map(|at| at.to_string());
        let mcp = CalledToolOut::of_call(&call);
        let kind = if mcp.is_some() { CallKindWire::Mcp } else { CallKindWire::Model };
        let (status, evaluation) = (call.status().into(), call.is_of_evaluation());
        let (deployment, facts) = (call.deployment(), call.facts.map(|facts| *facts));
        let Tokens { input, cached, written, written_1h: _, output, reasoning } = call.tokens;
        let started_at = facts.as_ref().map(|facts| facts.started_at);
        let duration = started_at.map(|at| at.until(call.created_at).as_millis());
        let first_output_ms = facts.as_ref().and_then(|facts| facts.first_ms);
        let (alias, error_code, streamed, from_cache, from_batch, labels) = match facts {
            Some(CallFacts { alias, error, is_streamed, is_cached, is_batch, labels, .. }) => {
                (alias, error, is_streamed, is_cached, is_batch, labels)
            }
            None => Default::default(),
        };
        Self {
            id: call.id.to_string(),
            kind,
            mcp,
            request_id: call.request_id,
            org: call.org.to_string(),
            user: call.user.to_string(),
            api_key: call.key.map(|key| key.to_string()),
            end_user: labels.end_user,
            tags: labels.tags,
            model: call.model,
            alias,
            provider: Some(call.provider).filter(|provider| !provider.is_empty()),
            deployment,
            status,
            error_code,
            streamed,
            from_cache,
            from_batch,
            evaluation,
            tokens: CallTokensOut { input, cached, cache_write: written, output, reasoning },
            images: call.images,
            audio_ms: Some(call.audio_ms).filter(|ms| *ms > 0),
            characters: Some(call.characters).filter(|count| *count > 0),
            cost: call.cost.into(),
            charged: call.charged.into(),
            first_output_ms,
            duration_ms: duration.map(|ms| ms.try_into().unwrap_or(u64::MAX)),
            run: call.step.map(|step| CallRunOut::from(*step)),
            started_at: started_at.map(|at| at.to_string()),
            ended_at: call.created_at.to_string(),
            bodies_expire_at,
        }
    }
}

impl From<RunStep> for CallRunOut {
    fn from(RunStep { run, workflow, path }: RunStep) -> Self {
        Self { run: run.to_string(), workflow: workflow.map(|workflow| workflow.to_string()), step: path }
    }
}

impl From<Charge> for CallDetailOut {
    fn from(mut call: Charge) -> Self {
        let failed = call.facts.as_mut().map(|facts| std::mem::take(&mut facts.failed_attempts)).unwrap_or_default();
        let failed_attempts = failed.into_iter().map(|FailedAttempt { provider, upstream, error, duration_ms }| {
            FailedAttemptOut { deployment: format!("{provider}/{upstream}"), error_code: error, duration_ms }
        });
        let failed_attempts = failed_attempts.collect();
        Self { failed_attempts, retry_of: call.retry_of.map(|id| id.to_string()), call: call.into() }
    }
}

/// Defines the query of a list of calls.
#[macro_export]
macro_rules! calls_query {
    ($name:ident { $($(#[$doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        #[derive(serde::Deserialize, utoipa::IntoParams)]
        #[serde(deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// Returns only calls that ended at this time or later.
            #[param(nullable = false, value_type = Option<String>, format = DateTime)]
            pub from: Option<domain::time::Time>,
            /// Returns only calls that ended before this time.
            #[param(nullable = false, value_type = Option<String>, format = DateTime)]
            pub to: Option<domain::time::Time>,
            /// Returns only calls with this status.
            #[param(nullable = false, inline)]
            pub status: Option<$crate::gateway::CallStatusWire>,
            /// Returns only calls that ended with this error.
            #[param(nullable = false, example = "rate_limit_exceeded")]
            pub error_code: Option<String>,
            /// Returns only calls with this API key.
            #[param(nullable = false, value_type = Option<String>)]
            pub api_key: Option<domain::id::ApiKeyId>,
            /// Returns only calls of this user.
            #[param(nullable = false, value_type = Option<String>)]
            pub user: Option<domain::id::UserId>,
            /// Returns only calls for this end user.
            #[param(nullable = false)]
            pub end_user: Option<String>,
            /// Returns only calls with this tag.
            #[param(nullable = false, example = "team=search")]
            pub tag: Option<String>,
            /// Returns only calls of the model with this name in the catalog.
            #[param(nullable = false)]
            pub model: Option<String>,
            /// Returns only calls that named the model by this alias.
            #[param(nullable = false)]
            pub alias: Option<String>,
            /// Returns only calls that this provider served, or failed last.
            #[param(nullable = false)]
            pub provider: Option<String>,
            /// Returns only calls of this provider and its name for the model.
            #[param(nullable = false, example = "openai/gpt-5.1")]
            pub deployment: Option<String>,
            /// The maximum number of items to return.
            #[serde(default = "web::paging::default_per_page", deserialize_with = "web::paging::per_page")]
            #[param(minimum = 1, maximum = 100, default = 20)]
            pub limit: u32,
            /// The `next_cursor` of the previous page.
            #[param(nullable = false)]
            pub cursor: Option<String>,
        }

        impl $name {
            /// The filter of the calls of these organizations, or of all if there are none.
            pub fn filter(&self, orgs: Vec<domain::id::OrgId>) -> domain::call_log::CallFilter {
                use domain::call_log::CallProperty as Property;
                // The list is read by the first property: usually, few calls have those in front.
                let properties = [
                    self.end_user.clone().map(Property::EndUser),
                    self.tag.clone().map(Property::Tag),
                    self.error_code.clone().map(Property::Error),
                    self.api_key.map(Property::Key),
                    self.alias.clone().map(Property::Alias),
                    self.deployment.clone().map(Property::Deployment),
                    self.user.map(Property::User),
                    self.model.clone().map(Property::Model),
                    self.provider.clone().map(Property::Provider),
                ];
                domain::call_log::CallFilter {
                    orgs,
                    properties: properties.into_iter().flatten().collect(),
                    status: self.status.map(Into::into),
                    from: self.from,
                    to: self.to,
                }
            }
        }
    };
}
