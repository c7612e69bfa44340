//! Runs that steps of other runs have started. The end of such a run wakes its parent, in one transaction. A parent that
//! ends while they are in progress stops them.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;

use super::hold::RunHold;
use super::items::{CalledRunItem, ReviewItem, ReviewState};
use super::{PARENT, Runs};
use crate::item::{Item, parse};
use crate::keys::{self, Key};
use crate::query::{Range, TableQuery};
use crate::write::Write;
use domain::id::RunId;
use domain::run::{Answer, ParentStep, RunEnd};
use domain::{Error, Result};

impl Runs {
    /// The writes that report the end of a run to the step that waits for it.
    pub(super) fn wake_parent(&self, parent: Option<&ParentStep>, run_id: RunId) -> Vec<Write> {
        let Some(ParentStep { run, step, .. }) = parent else { return Vec::new() };
        let call = self.entities.update(keys::called_run(*run, step)).set(CalledRunItem::HAS_ENDED, true);
        let call = call.require_is(CalledRunItem::RUN_ID, run_id).require_is(CalledRunItem::HAS_ENDED, false);
        vec![call.labeled(PARENT), self.wake(*run, self.now()).labeled(PARENT)]
    }

    /// The answers to the steps that wait.
    pub async fn answers(&self, hold: &mut RunHold, waiting: &BTreeSet<String>) -> Result<BTreeMap<String, Answer>> {
        let (wakes, answers) = self.retry_while_unavailable(hold, || self.read_answers(hold.id(), waiting)).await?;
        hold.seen_wakes = wakes.unwrap_or(hold.seen_wakes);
        Ok(answers)
    }

    /// The number of wakes, and the answers. The number is read before the answers, so a later answer makes `park` fail.
    async fn read_answers(
        &self,
        id: RunId,
        waiting: &BTreeSet<String>,
    ) -> Result<(Option<u64>, BTreeMap<String, Answer>)> {
        let wakes = self.item(id).await?.map(|item| item.wakes);
        let range = Range::beginning_between(keys::CALLED_RUN, keys::REVIEW);
        let query = TableQuery { range: Some(range), ..TableQuery::partition(keys::run_items(id)) };
        let items = self.entities.query_all(query).await?;
        let answers = try_join_all(items.into_iter().map(|item| self.answer(item, waiting))).await?;
        Ok((wakes, answers.into_iter().flatten().collect()))
    }

    /// The step and the answer of an item, if it has one for a step that waits.
    async fn answer(&self, item: Item, waiting: &BTreeSet<String>) -> Result<Option<(String, Answer)>> {
        if Key::from_item(&item).is_some_and(|key| key.sk.starts_with(keys::CALLED_RUN)) {
            let CalledRunItem { step, run_id, has_ended, .. } = parse(item)?;
            return Ok(match has_ended && waiting.contains(&step) {
                true => Some((step, Answer::Run(self.reported_end(run_id).await?))),
                false => None,
            });
        }
        let ReviewItem { step, state, answer, .. } = parse(item)?;
        let answer = answer.filter(|_| state == ReviewState::Answered && waiting.contains(&step));
        Ok(answer.map(|answer| (step, Answer::Review(answer))))
    }

    /// The end of a run that has reported it.
    async fn reported_end(&self, id: RunId) -> Result<RunEnd> {
        self.find_end(id).await?.ok_or_else(|| Error::internal("a run that has reported its end is in progress"))
    }

    /// Stops runs that nobody waits for any more. One that has ended stays as it is.
    pub async fn stop_all(&self, runs: &[RunId]) -> Result<()> {
        for run in runs {
            match Box::pin(self.stop(*run)).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
