//! Image generation and edits of images: a request starts a job, and the function `image-worker` carries it out.
//!
//! The request reserves the maximum cost, so a shortage is refused at once. The job takes over the lease.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::try_join_all;

use super::bodies::KeptAnswer;
use super::usage::{Used, count_input};
use crate::answers::StartedImages;
use crate::attempt::Operation;
use crate::caller::RequestBody;
use crate::images::{EditSources, ImageAnswer, ImageRequest};
use crate::routing::{Routed, Unserved};
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::{Model, Purpose};
use domain::guard::{GuardMessage, GuardRole};
use domain::id::{Id, ImageJobId};
use domain::identity::Account;
use domain::image::{GeneratedImages, ImageFailure, ImageJob, ImageOrder, StoredPicture};
use domain::lease::CallLimits;
use domain::usage::Quantities;
use domain::{Error, ProviderTrouble, Result};
use store::image_jobs::ImageHint;
use store::leases::CallEnd;
use store::model_catalog::Chosen;

/// The longest call of a provider. It is shorter than the time for which a worker has the job.
const LONGEST_GENERATION: Duration = Duration::from_secs(300);
const URL_VALID: Duration = Duration::from_secs(60 * 60);
/// The times between two readings of a job that a request waits for.
const FIRST_POLL: Duration = Duration::from_millis(100);
const LAST_POLL: Duration = Duration::from_secs(1);

impl Gateway {
    /// Reserves the maximum cost, and starts a job. With `sources` it edits them.
    pub async fn start_images(
        &self,
        caller: GatewayCaller,
        request: ImageRequest,
        sources: Option<EditSources>,
    ) -> Result<(StartedImages, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.create_job(&caller, request, sources).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn create_job(
        &self,
        caller: &GatewayCaller,
        request: ImageRequest,
        sources: Option<EditSources>,
    ) -> Result<(StartedImages, CallReport)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        let (purpose, problem) = match sources {
            None => (
                Purpose::Images,
                "this model generates no images; choose one with the capability images from GET /gateway/v1/models",
            ),
            Some(_) => (
                Purpose::ImageEdits,
                "this model edits no images; choose one from GET /gateway/v1/models?capabilities=image_edits",
            ),
        };
        if !chosen.model.does(purpose) {
            return Err(Error::invalid_body("preset", problem));
        }
        let prompt = GuardMessage { role: GuardRole::User, content: request.prompt().to_owned() };
        Box::pin(self.check_input(caller, vec![prompt])).await?;
        let notes = ParameterNotes { parameters: request.parameters().report(), ..ParameterNotes::default() };
        let started = StartedImages { job: ImageJobId::new(), is_asynchronous: chosen.model.asynchronous };
        let answer = self.store_answer(&started).await?;
        let need = greatest_use(&chosen, &request, sources.as_ref());
        let mut slot = self.take_job_slot(caller, &chosen, need).await?;
        let quota_left = slot.quota_left();
        // They are stored after the cost is reserved, so that nobody fills the bucket without credits.
        let edited = match self.store_sources(caller.payer.org, started.job, sources).await {
            Ok(edited) => edited,
            Err(error) => {
                slot.put_back();
                return Err(error);
            }
        };
        let order = ImageOrder {
            id: started.job,
            account: Account { org: caller.payer.org, user: caller.payer.user },
            key: caller.payer.key,
            model: chosen.model.name.clone(),
            alias: chosen.alias.clone(),
            request: request.into_body(),
            edited,
            call: caller.call.clone(),
            lease: slot.lease(),
            idempotency_key: caller.claim.as_ref().map(|claim| claim.key().to_owned()),
            created_at: self.inner.clock.now(),
        };
        let claim = caller.claim.as_ref().map(|claim| (claim, &answer));
        match self.inner.image_jobs.create(order, claim).await {
            Ok(true) => slot.hand_over(),
            Ok(false) => {
                slot.put_back();
                return Err(super::taken_over());
            }
            // The job may have been stored. If it was not, the sweep closes the lease.
            Err(error) => {
                slot.hand_over();
                return Err(error);
            }
        }
        Ok((started, CallReport { chosen, notes, deployment: None, quota_left, cost: None, cache: None }))
    }

    pub async fn find_images(&self, account: Account, id: ImageJobId) -> Result<ImageJob> {
        let job = self.inner.image_jobs.find(account, id).await?;
        job.ok_or(Error::NotFound { kind: ImageJobId::KIND })
    }

    /// Waits until the job has ended, at most for `patience`.
    pub async fn wait_for_images(&self, account: Account, id: ImageJobId, patience: Duration) -> Result<ImageJob> {
        let (began, mut pause) = (tokio::time::Instant::now(), FIRST_POLL);
        loop {
            let job = self.find_images(account, id).await?;
            if job.end.is_some() || began.elapsed() >= patience {
                return Ok(job);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_POLL);
        }
    }

    /// The URL of a picture. Everyone who has it can read the picture for an hour.
    pub async fn picture_url(&self, picture: &StoredPicture) -> Result<String> {
        self.inner.files.presigned(&picture.object, URL_VALID).await
    }

    pub async fn picture_content(&self, picture: &StoredPicture) -> Result<Bytes> {
        let content = self.inner.files.get(&picture.object).await?;
        content.ok_or_else(|| Error::internal("a picture of a job is missing in the bucket"))
    }

    /// Carries out a job, unless it has ended or another worker has it.
    pub async fn generate_images(&self, hint: ImageHint) -> Result<()> {
        let Some(job) = self.inner.image_jobs.claim(hint).await? else { return Ok(()) };
        match self.carry_out(&job).await {
            Ok(()) => Ok(()),
            Err(error) => self.inner.image_jobs.fail(&job, failure(error)?, self.inner.clock.now()).await,
        }
    }

    async fn carry_out(&self, job: &ImageJob) -> Result<()> {
        let ImageOrder { id, account, ref model, ref request, ref edited, ref call, .. } = job.order;
        let Some(lease) = self.inner.image_jobs.lease(&job.order).await? else {
            return Err(ImageFailure::timeout().into());
        };
        let mut slot = self.inner.leases.slot_of_job(lease);
        // From here on, the job or the sweep closes the lease.
        slot.hand_over();
        let chosen = self.models().find_for_job(model).await?;
        let body = kept_body(&job.order)?;
        let request = Arc::new(ImageRequest::of_job(request.clone()));
        let sources = match edited {
            Some(edited) => Some(Arc::new(self.read_sources(edited).await?)),
            None => None,
        };
        let operation = if sources.is_some() { Operation::EditImages } else { Operation::GenerateImages };
        let sent = self.inner.routing.send_call(&chosen, operation, |provider, model| {
            let (request, sources) = (request.clone(), sources.clone());
            async move {
                match sources {
                    Some(sources) => provider.edit_images(&model, &request, &sources).await,
                    None => provider.generate(&model, &request).await,
                }
            }
        });
        let routed = tokio::time::timeout(LONGEST_GENERATION, sent).await;
        let routed = routed.unwrap_or_else(|_| Err(Unserved::timeout()));
        let Routed { answer: ImageAnswer { mut pictures, usage }, served, attempt, .. } = match routed {
            Ok(routed) => routed,
            Err(unserved) => {
                let alias = job.order.alias.as_deref();
                return Err(self.log_unserved(&slot, call, body.as_ref(), alias, unserved).await);
            }
        };
        let (tokens, source) = count_input(usage, greatest_input(&chosen.model, &request, sources.as_deref()));
        attempt.end(&tokens);
        // Only the requested number was reserved, so more pictures are dropped.
        pictures.truncate(usize::try_from(request.n()).unwrap_or_default());
        let stored = pictures.into_iter().enumerate().map(|(index, picture)| async move {
            // Each attempt has its own objects, so a slow worker replaces nothing.
            let object = format!("images/{}/{id}/{}-{index}.{}", account.org, job.attempt, picture.format.extension());
            self.inner.files.put(&object, picture.format.content_type(), picture.content.to_vec()).await?;
            Ok::<_, Error>(StoredPicture { object, revised_prompt: picture.revised_prompt })
        });
        let pictures = try_join_all(stored).await?;
        let images = pictures.len() as u64;
        let used = Used { tokens, source, quantities: Quantities::of_images(images) };
        let usage = used.of_call(call, job.order.alias.as_deref(), served);
        let charge = self.compute_charge(&slot, usage).await;
        let images = GeneratedImages { pictures, cost: charge.cost, tokens };
        if slot.record_once(&charge, CallEnd::Images(job, &images)).await? {
            let render = move || KeptAnswer::Images { job: id, images: &images.pictures }.to_json();
            self.inner.bodies.keep(body.as_ref(), &charge, || render);
            slot.close_if_finished().await;
        }
        Ok(())
    }
}

/// The body of the request for a job. `None` if it is not kept.
fn kept_body(order: &ImageOrder) -> Result<Option<RequestBody>> {
    let body = order.call.retention.map(|_| serde_json::to_vec(&order.request)).transpose();
    body.map(|body| body.map(|body| Bytes::from(body).into())).map_err(Error::internal)
}

/// The most input tokens of a request. Models without a price for tokens count none for pictures.
fn greatest_input(model: &Model, request: &ImageRequest, sources: Option<&EditSources>) -> u64 {
    let sources = sources.filter(|_| model.pricing.has_token_price());
    request.greatest_input() + sources.map_or(0, EditSources::greatest_input)
}

/// The most that a request may use. `max_output_tokens` of a model is that of one image.
fn greatest_use(chosen: &Chosen, request: &ImageRequest, sources: Option<&EditSources>) -> CallLimits {
    let (model, images) = (&chosen.model, request.n());
    let input = greatest_input(model, request, sources);
    let output = model.max_output_tokens.unwrap_or_default().saturating_mul(images);
    CallLimits {
        money: model.pricing.greatest_cost(input, output) + model.pricing.quantity_cost(&Quantities::of_images(images)),
        tokens: input.saturating_add(output),
        images,
    }
}

/// The failure of a job, from the error of its attempt. Other errors are passed on: the job is attempted again.
fn failure(error: Error) -> Result<ImageFailure> {
    match error {
        Error::Provider { trouble, code, message, param, .. } => Ok(ImageFailure { trouble, code, message, param }),
        Error::NotFound { kind: "model" } => Ok(ImageFailure {
            trouble: ProviderTrouble::Setup,
            code: "model_not_found".to_owned(),
            message:
                "the model was removed before the images were generated; choose another from GET /gateway/v1/models"
                    .to_owned(),
            param: None,
        }),
        other => Err(other),
    }
}
