//! Amazon Bedrock, through its Converse API and the official SDK.

mod answer;
mod content;
mod document;
mod embeddings;
mod failure;
mod request;
mod stream;

use std::time::Duration;

use aws_sdk_bedrockruntime::Client;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::media::{fetch_links, is_link};
use super::probe::{self, OfferedModels, Probe};
use super::settings::ProviderSettings;
use super::{ChunkStream, Provider};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use domain::provider::Timeouts;
use outbound::Outbound;
use platform::aws::{Aws, BedrockOptions};

const MAKER: &str = "Bedrock";

pub struct Bedrock {
    client: Client,
    timeouts: Timeouts,
    /// For the files that requests link to.
    outbound: Outbound,
}

impl Bedrock {
    /// Creates a client that uses the platform's IAM role, unless the operator sets a Bedrock API key.
    pub fn new(settings: &ProviderSettings, outbound: &Outbound, aws: &Aws) -> Self {
        let client = aws.bedrock(BedrockOptions {
            region: settings.region.as_deref(),
            url: settings.base_url.as_deref(),
            key: settings.api_key.as_ref().map(|key| key.as_str()),
        });
        Self { client, timeouts: settings.timeouts, outbound: outbound.clone() }
    }
}

impl Provider for Bedrock {
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>> {
        Box::pin(async move {
            let request = fetch_links(&self.outbound, request, is_link).await?;
            let converse = request::read(model, &request)?;
            let call = self.client.converse().model_id(model);
            let call = call.set_system(converse.system).set_messages(Some(converse.messages));
            let call = call.inference_config(converse.inference).set_tool_config(converse.tools);
            let call = call.set_output_config(converse.output).set_additional_model_request_fields(converse.others);
            answer::translate_answer(
                with_timeout(self.timeouts.total(), call.send()).await?.map_err(failure::call_failure)?,
            )
        })
    }

    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>> {
        Box::pin(async move {
            let deadline = Instant::now() + self.timeouts.total();
            let request = fetch_links(&self.outbound, request, is_link).await?;
            let converse = request::read(model, &request)?;
            let call = self.client.converse_stream().model_id(model);
            let call = call.set_system(converse.system).set_messages(Some(converse.messages));
            let call = call.inference_config(converse.inference).set_tool_config(converse.tools);
            let call = call.set_output_config(converse.output).set_additional_model_request_fields(converse.others);
            let answer = with_timeout(self.timeouts.first_byte(), call.send()).await?.map_err(failure::call_failure)?;
            Ok(stream::translate_events(answer.stream, self.timeouts.idle(), deadline))
        })
    }

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>> {
        Box::pin(
            async move { with_timeout(self.timeouts.total(), embeddings::embed(&self.client, model, request)).await? },
        )
    }

    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>> {
        Box::pin(async move {
            let Some(model) = model else {
                return Err(ProviderFailure::unsupported(
                    "model",
                    "a test of Bedrock needs a model; name one that it serves",
                ));
            };
            let converse = request::read(model, &probe::question()?)?;
            let call = self.client.converse().model_id(model).set_messages(Some(converse.messages));
            let call = call.inference_config(converse.inference).send();
            Ok(match timeout(probe::TIMEOUTS.total, call).await {
                Ok(Ok(_)) => Probe { status: Some(200), error: None },
                Ok(Err(error)) => failure::probe(&error),
                Err(_) => {
                    let message = "Bedrock did not answer in time".to_owned();
                    Probe { status: None, error: Some(("destination_timeout".to_owned(), message)) }
                }
            })
        })
    }

    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>> {
        let message =
            "Bedrock's runtime has no list of models; take the names of models or inference profiles from its console";
        Box::pin(async move { Err(ProviderFailure::unsupported("models", message)) })
    }
}

async fn with_timeout<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, ProviderFailure> {
    timeout(limit, work).await.map_err(|_| ProviderFailure::timeout())
}
