//! Reviews and the pages of forms: questions to people. The first answer counts; a question that nobody answers in time is closed
//! by the holder of its run.

use std::time::Duration;

use futures::future::try_join_all;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Runs;
use super::hold::RunHold;
use super::items::{ReviewItem, ReviewState, RunItem};
use crate::item::parse;
use crate::keys;
use crate::query::{Range, TableQuery};
use crate::table::{RefusedWrite, WriteOutcome};
use domain::form::FormPage;
use domain::id::RunId;
use domain::run::{QuestionKind, ReviewAnswer, ReviewRequest, Run, RunState, has_ended, node_id_of};
use domain::time::Time;
use domain::{Error, Result};

/// A question as the person sees it.
#[derive(Clone, Debug)]
pub struct OpenReview {
    /// The path of the step.
    pub step: String,
    pub kind: QuestionKind,
    pub state: ReviewState,
    pub request: Map<String, Value>,
    pub closes_at: Time,
    pub answer: Option<ReviewAnswer>,
}

const REVIEW: &str = "review";

impl Runs {
    pub async fn reviews(&self, run: RunId) -> Result<Vec<OpenReview>> {
        let mut questions = self.questions(run).await?;
        questions.retain(|question| question.kind == QuestionKind::Review);
        Ok(questions)
    }

    /// The reviews and the pages of forms.
    pub async fn questions(&self, run: RunId) -> Result<Vec<OpenReview>> {
        Ok(self.review_items(run).await?.into_iter().map(OpenReview::from).collect())
    }

    async fn review_items(&self, run: RunId) -> Result<Vec<ReviewItem>> {
        let query =
            TableQuery { range: Some(Range::beginning(keys::REVIEW)), ..TableQuery::partition(keys::run_items(run)) };
        self.entities.query_all(query).await?.into_iter().map(parse).collect()
    }

    /// Takes the reviews of a run that was stopped out of the list of open reviews. Nobody can answer them any more.
    pub(super) async fn unlist_reviews(&self, run: RunId) -> Result<()> {
        let items = self.review_items(run).await?.into_iter().filter(|review| review.listed_at.is_some());
        let writes = items.map(|review| {
            let review = self.entities.update(keys::review(run, &review.step)).require_exists();
            self.entities.write(ReviewItem::unlist(review))
        });
        try_join_all(writes).await.map(drop)
    }

    /// The reviews that people can answer now. The one that expires first is the first one.
    pub async fn open_reviews(&self, run: &Run, now: Time) -> Result<Vec<OpenReview>> {
        self.open_questions(run, QuestionKind::Review, now).await
    }

    /// The pages that the person who has sent the form can send now. The one that expires first is the first one.
    pub async fn open_form_pages(&self, run: &Run, now: Time) -> Result<Vec<OpenReview>> {
        self.open_questions(run, QuestionKind::FormPage, now).await
    }

    async fn open_questions(&self, run: &Run, kind: QuestionKind, now: Time) -> Result<Vec<OpenReview>> {
        if !matches!(run.state, RunState::Running | RunState::Paused) {
            return Ok(Vec::new());
        }
        let mut open = self.questions(run.id).await?;
        open.retain(|question| question.kind == kind && question.is_open(now));
        open.sort_by_key(|review| review.closes_at);
        Ok(open)
    }

    /// Closes a review whose time is over. If somebody was faster, returns the answer.
    pub async fn expire(&self, hold: &RunHold, step: &str) -> Result<Option<ReviewAnswer>> {
        let update = self.entities.update(keys::review(hold.id(), step));
        let update =
            update.require_is(ReviewItem::STATE, ReviewState::Open).set(ReviewItem::STATE, ReviewState::Expired);
        let update = ReviewItem::unlist(update);
        match self.retry_while_unavailable(hold, || self.entities.write(update.clone())).await? {
            WriteOutcome::Written => Ok(None),
            WriteOutcome::Refused(refused) => Ok(refused.parse_item()?.and_then(|stored: ReviewItem| stored.answer)),
        }
    }

    /// Answers a review and wakes its run. Returns the review as it is stored, if it was closed before.
    pub async fn resolve(&self, run: RunId, step: &str, answer: ReviewAnswer) -> Result<Option<OpenReview>> {
        let now = self.now();
        let review = self
            .entities
            .update(keys::review(run, step))
            .require_is(ReviewItem::STATE, ReviewState::Open)
            .require(ReviewItem::CLOSES_AT.is_greater_than(now))
            .set(ReviewItem::STATE, ReviewState::Answered)
            .set(ReviewItem::ANSWER, &answer)
            .labeled(REVIEW);
        let review = ReviewItem::unlist(review);
        let wake = self.wake(run, now).require(RunItem::STOP.is_missing());
        match self.entities.transact(Uuid::now_v7(), &[review, wake]).await? {
            WriteOutcome::Written => {}
            WriteOutcome::Refused(RefusedWrite { label: REVIEW, item, .. }) => {
                let stored: ReviewItem = parse(item.ok_or(Error::NotFound { kind: REVIEW })?)?;
                if stored.answer.as_ref() != Some(&answer) {
                    return Ok(Some(stored.into()));
                }
            }
            WriteOutcome::Refused(_) => return Err(has_ended()),
        }
        self.send_hint(run, Duration::ZERO).await;
        Ok(None)
    }
}

impl OpenReview {
    /// Whether a person can answer it. The holder of the run closes an expired review later.
    pub fn is_open(&self, now: Time) -> bool {
        self.state == ReviewState::Open && self.closes_at > now
    }

    pub fn node_id(&self) -> &str {
        node_id_of(&self.step)
    }

    /// What the page of a form shows.
    pub fn form_page(&self) -> Result<FormPage> {
        serde_json::from_value(Value::Object(self.request.clone())).map_err(Error::internal)
    }

    /// What a review shows.
    pub fn content(&self) -> ReviewRequest {
        serde_json::from_value(self.request.clone().into()).unwrap_or_default()
    }
}

impl From<ReviewItem> for OpenReview {
    fn from(item: ReviewItem) -> Self {
        let ReviewItem { step, kind, state, request, closes_at, answer, .. } = item;
        Self { step, kind, state, request, closes_at, answer }
    }
}
