//! The erasure of a participant from a thread, and what the thread has of them.

use std::collections::HashSet;

use super::Threads;
use super::item::MessageItem;
use super::participants::ThreadLink;
use crate::item::parse;
use crate::keys;
use crate::query::TableQuery;
use domain::Result;
use domain::id::{ParticipantId, RunId, ThreadId};
use domain::run::Run;
use domain::time::Time;

impl Threads {
    /// Finds what the thread has of the participant. `runs` are the runs that they have started, in any thread.
    pub async fn find_traces(&self, erasure: &ThreadErasure, runs: &HashSet<RunId>) -> Result<ThreadTraces> {
        let entries = self.entries(erasure.link.thread).await?;
        let is_own = |entry: &&ThreadEntry| entry.participant == Some(erasure.participant) && erasure.has(entry.number);
        let own: Vec<&ThreadEntry> = entries.iter().filter(is_own).collect();
        let mut traces =
            ThreadTraces { runs: own.iter().filter_map(|entry| entry.run).collect(), ..Default::default() };
        let answers = |entry: &ThreadEntry| {
            let is_answer = |run| traces.runs.contains(&run) || runs.contains(&run);
            entry.participant.is_none() && entry.run.is_some_and(is_answer)
        };
        traces.answers = entries.iter().filter(|entry| answers(entry)).map(|entry| entry.number).collect();
        traces.own = own.iter().map(|entry| entry.number).collect();
        traces.first = own.first().map(|first| (first.number, first.at));
        for entry in &entries {
            traces.others.extend(entry.participant.filter(|other| *other != erasure.participant));
            traces.other_runs.extend(entry.run.filter(|run| !traces.runs.contains(run) && !runs.contains(run)));
        }
        Ok(traces)
    }

    /// Reads the messages of a thread without their texts, page by page, so that few texts are in memory at once.
    async fn entries(&self, id: ThreadId) -> Result<Vec<ThreadEntry>> {
        let (mut entries, mut query) = (Vec::new(), TableQuery::partition(keys::messages(id)));
        loop {
            let page = self.journal.query(&query).await?;
            for item in page.items {
                entries.push(ThreadEntry::from(parse::<MessageItem>(item)?));
            }
            match page.next {
                None => return Ok(entries),
                next => query.after = next,
            }
        }
    }
}

/// The erasure of a participant from a thread.
#[derive(Debug)]
pub struct ThreadErasure {
    pub(super) link: ThreadLink,
    pub(super) participant: ParticipantId,
    pub(super) extent: Extent,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    /// The head of the thread has expired and is deleted.
    Gone,
    /// Nobody else takes part in the thread, or it has expired.
    Thread,
    /// The messages of the participant up to this number. A later one has made the thread theirs again.
    MessagesUntil(u64),
}

impl ThreadErasure {
    fn has(&self, number: u64) -> bool {
        match self.extent {
            Extent::Gone | Extent::Thread => true,
            Extent::MessagesUntil(last) => number <= last,
        }
    }

    /// Whether a run of somebody else is erased, too. Agents and models with a memory were given the earlier messages of
    /// the thread, and their runs have recorded them.
    pub fn concerns(&self, run: &Run, traces: &ThreadTraces) -> bool {
        let known = run.thread.as_ref().filter(|known| known.id == self.link.thread);
        match (self.extent, traces.first) {
            (Extent::MessagesUntil(_), Some((first, _))) => known.is_some_and(|known| known.newest >= first),
            (Extent::MessagesUntil(_), None) => false,
            (Extent::Gone | Extent::Thread, _) => known.is_some(),
        }
    }
}

/// What a thread has of a participant.
#[derive(Debug, Default)]
pub struct ThreadTraces {
    /// The numbers of their messages.
    pub(super) own: Vec<u64>,
    /// The numbers of the messages that answer them.
    pub(super) answers: Vec<u64>,
    /// The number of their first message, and when it was stored.
    first: Option<(u64, Time)>,
    /// The runs that their messages started.
    pub runs: HashSet<RunId>,
    /// The other runs that messages of the thread name.
    pub other_runs: HashSet<RunId>,
    /// Who else has written.
    pub others: HashSet<ParticipantId>,
}

impl ThreadTraces {
    /// When the participant's first message was stored.
    pub fn begin_at(&self) -> Option<Time> {
        self.first.map(|(_, at)| at)
    }
}

/// A message without its text.
struct ThreadEntry {
    number: u64,
    at: Time,
    participant: Option<ParticipantId>,
    run: Option<RunId>,
}

impl From<MessageItem> for ThreadEntry {
    fn from(item: MessageItem) -> Self {
        let at = Time::from_uuid(item.message.uuid());
        Self { number: item.number(), at, participant: item.participant, run: item.run }
    }
}
