//! The calls of lines, as the gateway makes them: claimed, reserved, and charged together with their answer.

use std::sync::Arc;
use std::time::Duration;

use batch_worker::{Calls, LineAnswer, Outcome, idempotency_key};
use domain::Result;
use domain::batch::{BatchLine, BatchOrder};
use domain::ledger::CallOrigin;
use domain::token::TokenHash;
use domain::usage::{Quantities, Tokens, UsageSource};
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, SlotRequest, Taken};
use http::StatusCode;
use store::Claims;
use store::claims::{Claim, ClaimState, StoredAnswer};
use store::leases::CallEnd;
use store::stored_text::StoredText;
use tokio::time::sleep;

use super::protocol::BatchProtocol;
use super::scenario::Reply;
use crate::machine::process::Process;

const JSON: &str = "application/json";
/// The hash of all bodies: each line has an idempotency key of its own.
const BODY: &str = "body";
/// How long a worker waits for a call that another one has claimed.
const SOON: Duration = Duration::from_secs(20);

pub struct SimulatedCalls {
    pub process: Process,
    pub protocol: Arc<BatchProtocol>,
    claims: Claims,
    leases: LeasePools,
}

impl SimulatedCalls {
    pub fn new(process: &Process, protocol: &Arc<BatchProtocol>) -> Self {
        let context = process.context();
        let (claims, leases) = (Claims::new(&context).unwrap(), LeasePools::new(&context).unwrap());
        Self { process: process.clone(), protocol: protocol.clone(), claims, leases }
    }

    fn count(&self, what: &'static str) {
        self.protocol.accounts().findings.count(what);
    }

    async fn call(&self, order: &BatchOrder, number: u32) -> Result<Outcome> {
        let key = idempotency_key(order, number);
        match self.claims.claim(order.account, &key, BODY, self.process.now()).await? {
            ClaimState::Claimed(claim) => self.ask(order, number, &key, &claim).await,
            ClaimState::Answered(answer) => {
                self.count("answers found again");
                Ok(Outcome::Answered(answered(answer)))
            }
            ClaimState::InFlight | ClaimState::Reused => Ok(Outcome::Wait(SOON)),
        }
    }

    async fn ask(&self, order: &BatchOrder, number: u32, key: &str, claim: &Claim) -> Result<Outcome> {
        let scenario = &self.protocol.scenario;
        let origin = CallOrigin { request_id: key.to_owned(), ..CallOrigin::default() };
        let request = SlotRequest {
            payer: &scenario.payer,
            model: (&scenario.model).into(),
            need: scenario.need(),
            labels: &origin.labels,
        };
        let taken = self.leases.take(request).await?;
        let Taken::Slot(mut slot) = taken else {
            self.claims.release(claim).await?;
            return Ok(refused());
        };
        let (takes, reply) = self.protocol.next_reply(order, number);
        sleep(takes).await;
        self.process.wait_until_running().await;
        if reply != Reply::Answer {
            slot.put_back();
            self.claims.release(claim).await?;
            return Ok(match reply {
                Reply::NoRoom(pause) => {
                    self.count("calls without room");
                    Outcome::Wait(pause)
                }
                _ => {
                    self.count("calls refused");
                    refused()
                }
            });
        }
        let (counted, served) = ((Tokens::default(), UsageSource::Provider), Served::first("simulated", "m"));
        let usage =
            CallUsage { quantities: Quantities::of_images(1), ..CallUsage::of_tokens(&origin, None, served, counted) };
        let charge = slot.price_call(usage);
        let answer =
            StoredAnswer { content_type: JSON.to_owned(), body: StoredText::from(&*format!("{{\"line\":{number}}}")) };
        if slot.record_once(&charge, CallEnd::Answer(claim, &answer)).await? {
            slot.close_if_finished().await;
            self.count("calls answered");
            return Ok(Outcome::Answered(answered(answer)));
        }
        slot.put_back();
        self.count("late charges refused");
        Ok(Outcome::Wait(SOON))
    }
}

fn answered(answer: StoredAnswer) -> LineAnswer {
    let StoredText::Text(body) = answer.body else { panic!("answers of the simulation are short") };
    LineAnswer { status: StatusCode::OK, request_id: String::new(), body: body.into() }
}

fn refused() -> Outcome {
    let (status, body) = (StatusCode::BAD_REQUEST, "{\"error\":{}}".into());
    Outcome::Answered(LineAnswer { status, request_id: String::new(), body })
}

impl Calls for SimulatedCalls {
    async fn key_of(&self, _: &BatchOrder) -> Result<Option<TokenHash>> {
        Ok(Some(TokenHash::from_stored("key".to_owned())))
    }

    async fn make(&self, order: &BatchOrder, _: Option<&TokenHash>, number: u32, _: &BatchLine<'_>) -> Result<Outcome> {
        match self.call(order, number).await {
            Ok(outcome) => Ok(outcome),
            Err(error) => {
                self.protocol.record_failure(&self.process, "a call", &error);
                Ok(Outcome::Wait(SOON))
            }
        }
    }

    async fn seal(
        &self,
        order: &BatchOrder,
        _: &TokenHash,
        number: u32,
        _: &BatchLine<'_>,
    ) -> Result<Option<LineAnswer>> {
        let key = idempotency_key(order, number);
        let answer = self.claims.seal(order.account, &key, BODY, self.process.now()).await?;
        if answer.is_some() {
            self.count("answers found at the end");
        }
        Ok(answer.map(answered))
    }
}
