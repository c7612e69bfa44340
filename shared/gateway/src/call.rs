//! What every call goes through, whatever it asks for: the most it can come to is taken, a deployment is asked, and what
//! it came to is charged.

use std::sync::Arc;

use tracing::Instrument;

use super::leases::{Outcome, Slot, Standing};
use super::providers::{Failure, Provider};
use super::routing::Routed;
use super::{Asker, Gateway, refused};
use domain::lease::Need;
use domain::ledger::Charge;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};
use shared::models::Chosen;
use shared::store::claims::Claim;

impl Gateway {
    /// A call that is brought to its end, and charged, even if nobody waits for it any more. One that fails gives up
    /// its claim.
    pub(super) async fn to_the_end<T: Send + 'static>(
        &self,
        claim: Option<Claim>,
        call: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let gateway = self.clone();
        let call = async move {
            let ended = call.await;
            if ended.is_err() {
                gateway.release(claim.as_ref()).await;
            }
            ended
        };
        tokio::spawn(call.instrument(tracing::Span::current())).await.map_err(Error::internal)?
    }

    /// Takes the most that a call can come to.
    pub(super) async fn take(&self, asker: &Asker, chosen: &Chosen, need: Need) -> Result<Slot> {
        let taken = self.inner.leases.take(&asker.payer, &chosen.model, need).await?;
        taken.map_err(|shortage| refused(shortage, Time::now()))
    }

    /// Asks the model's deployments. When none of them answers, another call may use the slot.
    pub(super) async fn ask<T, F>(
        &self,
        slot: &mut Slot,
        chosen: &Chosen,
        ask: impl Fn(Arc<dyn Provider>, Arc<str>) -> F,
    ) -> Result<Routed<T>>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let asked = self.inner.routing.ask(chosen, ask).await;
        if asked.is_err() {
            slot.put_back();
        }
        asked
    }

    /// What a call comes to. When the client says that this is not its first try, an earlier one is noted.
    pub(super) async fn price(
        &self,
        slot: &Slot,
        asker: &Asker,
        provider: String,
        tokens: Tokens,
        source: UsageSource,
    ) -> Charge {
        let (request_id, body_hash) = (asker.request_id.clone(), Some(asker.body_hash.clone()));
        let mut charge = slot.priced(Outcome { tokens, source, images: 0, provider, request_id, body_hash });
        if asker.retries > 0 {
            match self.inner.ledger.earlier_try(&charge).await {
                Ok(earlier) => charge.retry_of = earlier.map(|earlier| earlier.retry_of.unwrap_or(earlier.id)),
                Err(error) => tracing::warn!(?error, "an earlier try could not be looked for"),
            }
        }
        charge
    }

    /// Writes the charge, and keeps the answer if it is to be kept.
    pub(super) async fn record(
        &self,
        slot: &mut Slot,
        asker: &Asker,
        charge: &Charge,
        content_type: &str,
        answer: &[u8],
    ) -> Result<()> {
        let Some(claim) = &asker.claim else { return slot.record(charge).await };
        let kept = self.keep(content_type, answer).await?;
        if slot.record_once(charge, claim, &kept).await? {
            return Ok(());
        }
        slot.put_back();
        Err(Error::busy("another try of this request has taken it over"))
    }

    /// Ends a call that is answered whole; what the caller has left then.
    pub(super) async fn settle(
        &self,
        mut slot: Slot,
        asker: &Asker,
        charge: &Charge,
        answer: &[u8],
    ) -> Result<Standing> {
        self.record(&mut slot, asker, charge, "application/json", answer).await?;
        let standing = slot.standing();
        slot.close_when_over().await;
        Ok(standing)
    }
}
