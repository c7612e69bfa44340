//! Validates a graph for publishing: compiles it, and checks the resources and channels that it references.

use std::collections::BTreeSet;

use auth::Caller;
use domain::catalog::Purpose;
use domain::channel::{self, AvailableResources, Channels};
use domain::credential::CredentialType;
use domain::graph::Graph;
use domain::id::{CredentialId, WebhookId, WorkflowId};
use domain::identity::Account;
use domain::language::Translated;
use domain::messaging::MessagingProvider;
use domain::reference::Reference;
use domain::workflow::Workflow;
use domain::{Error, Result, translated};
use engine::compile::{
    Compiled, GraphProblem, PlanStep, ProblemOut, Severity, compile_with, describe_problems, first_problems,
};
use engine::nodes::placeholder::PlaceholderNode;
use engine::nodes::schedule::ScheduleNode;
use engine::schedule::planned_schedules;
use platform::offload;
use serde_json::Value;
use store::workflows::{ExistingReferences, MAX_REFERENCES, ReleaseNeeds};
use uuid::Uuid;
use web::builder::Access;
use web::language;

use crate::Stores;

/// The code of an incomplete channel.
const CHANNEL_INCOMPLETE: &str = "channel_incomplete";

/// Validates graphs with the permissions of the caller.
pub struct GraphValidator<'a> {
    pub stores: &'a Stores,
    pub caller: &'a Caller,
    /// The account under which the workflow is stored, and so what it may refer to.
    pub account: Account,
}

impl<'a> GraphValidator<'a> {
    pub fn new(stores: &'a Stores, access: &'a Access) -> Self {
        Self { stores, caller: &access.caller, account: access.account }
    }

    /// Returns all problems of the graph, and its references if it can be published.
    pub async fn validate(
        &self,
        id: WorkflowId,
        graph: &Graph,
        channels: &Channels,
    ) -> Result<(Option<BTreeSet<Reference>>, Vec<GraphProblem>)> {
        let graph_copy = graph.clone();
        let mut compiled = offload(move || Ok(compile_with(&graph_copy, &script::interpreter()))).await?;
        let mut references = compiled.references();
        let own = own_references(id, &compiled, graph, channels);
        let Self { stores, caller, account } = *self;
        let known = stores.workflows.find_references(account, id, &references, &caller.plan).await?;
        compiled.require_references(&known.references);
        compiled.report_fields(Severity::Error, "model_unfit", |step| find_unsuitable_model(step, &known));
        compiled.report_fields(Severity::Error, "own_workflow", |step| {
            let own = step.references.iter().find(|(reference, _)| *reference == Reference::Workflow(id));
            let message = || {
                translated!(
                    "a workflow cannot run itself; choose another one",
                    "un flujo no puede ejecutarse a sí mismo; elija otro"
                )
            };
            own.map(|(_, field)| (*field, message()))
        });
        compiled.report_fields(Severity::Warning, "workflow_unpublished", |step| {
            let named = step.references.iter().find(|(reference, _)| known.not_runnable.contains(reference));
            let message = || {
                translated!(
                    "the workflow is unpublished or archived; publish or restore it",
                    "el flujo no está publicado o está archivado; publíquelo o restáurelo"
                )
            };
            named.map(|(_, field)| (*field, message()))
        });
        // Without references to webhooks and credentials, the read can be skipped.
        let equipment = match own.is_empty() {
            true => AvailableResources::default(),
            false => stores.workflows.available_resources(account, id).await?,
        };
        compiled.report_fields(Severity::Error, "credential_gone", |step| {
            let (credential, field) = step.credential?;
            let is_gone = !equipment.credentials.contains_key(&credential);
            let message = || {
                translated!(
                    "the workflow has no such credential; select or create another one",
                    "el flujo no tiene esa credencial; elija o cree otra"
                )
            };
            is_gone.then(|| (field, message()))
        });
        compiled.report_fields(Severity::Error, "credential_unfit", |step| {
            let (credential, field) = step.credential?;
            let r#type = *equipment.credentials.get(&credential)?;
            let message = if step.node_type.logs_in && r#type != CredentialType::Basic {
                translated!(
                    "a credential of the type `{type}` has no password; select one of the type `basic`",
                    "una credencial del tipo `{type}` no tiene contraseña; elija una del tipo `basic`"
                )
            } else if MessagingProvider::of(r#type).is_some() {
                translated!(
                    "a credential of the type `{type}` is for channels; select one for HTTP calls",
                    "una credencial del tipo `{type}` es para canales; elija una para llamadas HTTP"
                )
            } else {
                return None;
            };
            Some((field, message))
        });
        // Only publishing refuses a placeholder: a preview can execute it.
        compiled.report_steps("placeholder", |step| {
            let is_placeholder = step.node_type.is::<PlaceholderNode>();
            let message = step.config.get("message").and_then(Value::as_str).unwrap_or_default();
            is_placeholder.then(|| {
                translated!("replace this placeholder: {message}", "sustituya este nodo provisional: {message}")
            })
        });
        compiled.report_steps(CHANNEL_INCOMPLETE, |step| {
            let (_, kind) = channel::channel_of_node_type(step.node_type.name)?;
            let missing = channel::missing(kind, channels.get(&step.id), &equipment);
            let message = || {
                translated!(
                    "its channel is incomplete; set {}",
                    "su canal está incompleto; configure {}",
                    missing.join(", ")
                )
            };
            (!missing.is_empty()).then(message)
        });
        references.extend(own);
        let count = references.len() + compiled.count_steps::<ScheduleNode>();
        if count > MAX_REFERENCES {
            let message = translated!(
                "too many references to agents, models, workflows, credentials, webhooks and schedules: {count}, \
                 the maximum is {MAX_REFERENCES}; remove some",
                "demasiadas referencias a agentes, modelos, flujos, credenciales, webhooks y programaciones: {count}, \
                 el máximo es {MAX_REFERENCES}; quite algunas"
            );
            compiled.report_graph("too_many_references", message);
        }
        let (plan, mut problems) = compiled.finish();
        // Errors of the graph come before incomplete channels.
        problems.sort_by_key(|problem| (problem.severity, problem.code == CHANNEL_INCOMPLETE));
        Ok((plan.map(|_| references), problems))
    }
}

/// Returns the field of a step that references a model of the wrong type, and the problem.
fn find_unsuitable_model(step: &PlanStep, known: &ExistingReferences) -> Option<(&'static str, Translated<String>)> {
    let purpose = step.node_type.model_purpose?;
    let does_not = match purpose {
        Purpose::Chat => Translated::new("is not a chat model", "no es un modelo de chat"),
        Purpose::Embeddings => Translated::new("is not an embeddings model", "no es un modelo de embeddings"),
        Purpose::Images => Translated::new("is not an image model", "no es un modelo de imágenes"),
        Purpose::Guard => Translated::new("is not a guard model", "no es un modelo guard"),
        Purpose::Rerank => Translated::new("is not a reranking model", "no es un modelo de reordenación"),
        Purpose::ImageEdits => Translated::new("does not edit images", "no edita imágenes"),
        Purpose::Transcription => Translated::new("is not a transcription model", "no es un modelo de transcripción"),
        Purpose::Speech => Translated::new("is not a speech model", "no es un modelo de voz"),
    };
    step.references.iter().find_map(|(reference, field)| {
        let Reference::Model(name) = reference else { return None };
        let is_unsuitable = known.models.get(name).is_some_and(|model| !model.does(purpose));
        is_unsuitable.then(|| {
            let choose =
                translated!("; choose one from GET /builder/v1/models", "; elija uno de GET /builder/v1/models");
            (*field, translated!("`{name}` ", "`{name}` ").with(&does_not).with(&choose))
        })
    })
}

/// Returns the references to resources of the workflow itself: webhooks, and credentials of nodes and channels.
fn own_references(id: WorkflowId, compiled: &Compiled, graph: &Graph, channels: &Channels) -> BTreeSet<Reference> {
    let credential = |credential: Uuid| Reference::Credential(id, CredentialId::from(credential));
    let of_channels = channel::slots(graph).into_iter().filter_map(|slot| channels.get(&slot.node_id));
    let of_channels = of_channels.flat_map(|channel| {
        let webhook = channel.webhook_id.map(|webhook| Reference::Webhook(WebhookId::from(webhook)));
        webhook.into_iter().chain(channel.credential_id.map(credential))
    });
    compiled.credentials().into_iter().map(credential).chain(of_channels).collect()
}

impl GraphValidator<'_> {
    /// Returns the problems of a draft that was changed, as `validate` lists them. An empty draft has none: its owner has not
    /// begun. A draft is saved even if its problems cannot be determined.
    pub async fn draft_problems(&self, workflow: &Workflow) -> Vec<ProblemOut> {
        if workflow.graph.nodes.is_empty() {
            return Vec::new();
        }
        match self.validate(workflow.id, &workflow.graph, &workflow.channels).await {
            Ok((_, problems)) => first_problems(&problems, language::of_request()),
            Err(error) => {
                tracing::warn!(?error, workflow_id = %workflow.id, "the problems of a draft could not be determined");
                vec![ProblemOut::unknown(language::of_request())]
            }
        }
    }

    /// Returns what a release with this graph needs. If the graph cannot be published, returns an error with the first
    /// problem as its message and the first 100 problems as its details.
    pub async fn require_valid(&self, id: WorkflowId, graph: &Graph, channels: &Channels) -> Result<ReleaseNeeds> {
        let (references, problems) = self.validate(id, graph, channels).await?;
        let references = references.ok_or_else(|| {
            let is_channel = problems.first().is_some_and(|problem| problem.code == CHANNEL_INCOMPLETE);
            let (message, details) = describe_problems(&problems, language::of_request());
            match is_channel {
                true => Error::Unprocessable { code: CHANNEL_INCOMPLETE, message, details },
                false => Error::Unsound { code: "invalid_body", message, details },
            }
        })?;
        Ok(ReleaseNeeds { references, schedules: planned_schedules(graph, self.caller.at)? })
    }
}
