//! The inbox of a user: what happened last in all workflows that they see. It has no items of its own: the lists of threads,
//! of open reviews and of failed runs have the order in which these changed.

use uuid::Uuid;

use super::runs::{ListedReview, RunFilter, Runs};
use super::sharded_list::merge;
use super::sharing::{Seen, SeenWorkflows};
use super::threads::{ThreadFilter, Threads};
use domain::page::{Slice, SliceRequest};
use domain::run::{Run, RunState};
use domain::sharing::TeamRole;
use domain::thread::Thread;
use domain::{Error, Result};
use platform::Context;

/// What an entry of the inbox is about.
#[derive(Debug)]
pub enum InboxEntry {
    /// The last change of a thread: a message, or an operator who took or released it.
    Thread(Thread),
    /// A review was opened. The user may resolve it.
    Review(Box<ListedReview>),
    /// A run failed.
    Failure(Run),
}

#[derive(Clone)]
pub struct ConsoleInbox {
    runs: Runs,
    threads: Threads,
}

impl ConsoleInbox {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { runs: Runs::new(context)?, threads: Threads::new(context)? })
    }

    /// Lists what happened in the workflows. A page may be short although another one follows.
    pub async fn list(&self, workflows: &SeenWorkflows, request: SliceRequest) -> Result<Slice<Seen<InboxEntry>>> {
        let failed = RunFilter { states: vec![RunState::Failed], ..RunFilter::default() };
        let (all, resolvable) = (ThreadFilter::default(), workflows.with_role(TeamRole::Operator));
        let (threads, reviews, runs) = futures::try_join!(
            self.threads.list_seen(workflows, &all, request.clone()),
            self.runs.list_open_reviews(&resolvable, request.clone()),
            self.runs.list_seen(workflows, &failed, request.clone()),
        )?;
        let ends = [&threads.next, &reviews.next, &runs.next].into_iter().flatten();
        let ends = ends.map(|end| end.parse::<Uuid>().map_err(Error::internal)).collect::<Result<Vec<_>>>()?;
        let threads = threads.items.into_iter().map(|seen| seen.map(InboxEntry::Thread));
        let reviews = reviews.items.into_iter().map(|seen| seen.map(|listed| InboxEntry::Review(Box::new(listed))));
        let runs = runs.items.into_iter().map(|seen| seen.map(InboxEntry::Failure));
        let entries = threads.chain(reviews).chain(runs).map(|seen| (seen.place, seen)).collect();
        let (entries, next) = merge(entries, ends, request.order, request.limit);
        let items = entries.into_iter().map(|(_, entry)| entry).collect();
        Ok(Slice { items, next: next.map(|place| place.to_string()) })
    }
}
