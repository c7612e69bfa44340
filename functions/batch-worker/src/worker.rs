//! Carries out batches, part by part.
//!
//! A part is what a worker does with one claim: it makes some calls, stores their results in the bucket, and commits how far the
//! batch has come. If it crashes before that, the next worker makes the same calls again, and those that were charged return their
//! stored answers. Lines that are not made any more are sealed. So no call is charged twice, and no charged answer is lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::batch::{Batch, BatchLine, BatchOrder, BatchProgress, BatchState, read_lines};
use domain::file::FilePart;
use domain::time::Clock;
use domain::{Error, Result};
use futures::{StreamExt, stream};
use platform::Context;
use store::Batches;
use store::batches::BatchHint;
use tokio::time::Instant;

use crate::calls::{Calls, Outcome, RouterCalls};
use crate::results::Results;

/// The maximum number of calls of a part, and of calls at the same time.
const PART_LINES: usize = 500;
const CONCURRENCY: usize = 8;
/// No call of a part begins after this time. With the longest call, a part ends before its claim.
const STARTS_FOR: Duration = Duration::from_secs(60);
/// No call of a part begins after its answers have this size.
const PART_BYTES: usize = 4 * 1024 * 1024;
/// Results are appended to the last object until it has this size, so that a file has few objects.
const OBJECT_BYTES: u64 = 4 * 1024 * 1024;

pub struct Worker<C = RouterCalls> {
    batches: Batches,
    calls: C,
    clock: Clock,
}

/// The calls of a part.
struct Part {
    results: Results,
    /// How long the next part must wait, if there was no room for some calls.
    pause: Option<Duration>,
}

/// How far a batch has come with the results of a part, and the objects that are not needed any more once it is committed.
struct Advance {
    progress: BatchProgress,
    replaced: Vec<String>,
}

impl Worker {
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_calls(context, RouterCalls::new(context)?)
    }
}

impl<C: Calls> Worker<C> {
    pub fn with_calls(context: &Context, calls: C) -> Result<Self> {
        Ok(Self { batches: Batches::new(context)?, calls, clock: context.clock.clone() })
    }

    /// Carries out a part of a batch, unless it has ended or another worker has it.
    pub async fn handle_hint(&self, hint: BatchHint) -> Result<()> {
        let Some(batch) = self.batches.claim(hint).await? else { return Ok(()) };
        let input = self.batches.read_input(&batch.order).await?;
        // The lines of a batch that was cancelled before its validation may be wrong. Then none of them was made.
        let (lines, problems) = match read_lines(&input, batch.order.endpoint) {
            Ok(lines) => (lines, Vec::new()),
            Err(problems) => (Vec::new(), problems),
        };
        if batch.state == BatchState::Validating {
            if problems.is_empty() {
                let progress = BatchProgress::of_lines(lines.len().try_into().unwrap_or(u32::MAX));
                self.batches.advance(&batch, BatchState::InProgress, Some(progress)).await?;
            } else {
                self.batches.end(&batch, BatchState::Failed, BatchProgress::default(), problems).await?;
            }
        }
        self.go_on(batch, &lines).await
    }

    /// Moves the batch on until it has ended, or until its next part.
    async fn go_on(&self, mut batch: Batch, lines: &[BatchLine<'_>]) -> Result<()> {
        let epoch = batch.epoch;
        loop {
            // The user may have cancelled the batch since it was read.
            batch = self.batches.find(batch.order.account, batch.order.id).await?;
            if batch.epoch != epoch || batch.state.has_ended() {
                return Ok(());
            }
            match batch.state {
                BatchState::InProgress if batch.progress.is_done() => {
                    self.batches.advance(&batch, BatchState::Finalizing, None).await?;
                }
                BatchState::InProgress if self.clock.now() >= batch.order.deadline() => {
                    let mut results = self.seal(&batch, lines).await?;
                    expire(&batch, lines, &mut results)?;
                    self.end(&batch, BatchState::Expired, results).await?;
                }
                BatchState::Cancelling => {
                    let results = self.seal(&batch, lines).await?;
                    self.end(&batch, BatchState::Cancelled, results).await?;
                }
                BatchState::Finalizing => self.end(&batch, BatchState::Completed, Results::default()).await?,
                BatchState::InProgress => {
                    let part = self.make_part(&batch, lines).await?;
                    let advance = self.add(&batch, part.results).await?;
                    let next = (!advance.progress.is_done()).then(|| part.pause.unwrap_or_default());
                    if !self.commit(&batch, advance, next).await? || next.is_some() {
                        return Ok(());
                    }
                }
                BatchState::Validating
                | BatchState::Failed
                | BatchState::Completed
                | BatchState::Expired
                | BatchState::Cancelled => return Ok(()),
            }
        }
    }

    /// The results of the lines that an earlier worker may have begun and that are not made any more: the answers that it has
    /// stored. It cannot charge the others later. The first worker of a batch has no earlier one.
    async fn seal(&self, batch: &Batch, lines: &[BatchLine<'_>]) -> Result<Results> {
        let (order, mut results) = (&batch.order, Results::default());
        let Some(key) = self.calls.key_of(order).await?.filter(|_| batch.epoch > 1) else { return Ok(results) };
        let key = &key;
        let sealed = stream::iter(pending(batch, lines).take(PART_LINES)).map(|number| async move {
            let answer = Box::pin(self.calls.seal(order, key, number, &lines[number as usize])).await?;
            Ok::<_, Error>((number, answer))
        });
        let mut sealed = sealed.buffer_unordered(CONCURRENCY);
        while let Some(sealed) = sealed.next().await {
            if let (number, Some(answer)) = sealed? {
                results.add_answer(order, number, &lines[number as usize], answer)?;
            }
        }
        Ok(results)
    }

    /// Makes calls until the part is full, or until there is no room for one.
    async fn make_part(&self, batch: &Batch, lines: &[BatchLine<'_>]) -> Result<Part> {
        let (order, key) = (&batch.order, self.calls.key_of(&batch.order).await?);
        let (until, is_full, bytes) = (Instant::now() + STARTS_FOR, AtomicBool::new(false), AtomicUsize::new(0));
        let may_start = |_: &u32| {
            let has_room = bytes.load(Ordering::Relaxed) < PART_BYTES && !is_full.load(Ordering::Relaxed);
            has_room && Instant::now() < until && self.clock.now() < order.deadline()
        };
        let (key, is_full, bytes) = (key.as_ref(), &is_full, &bytes);
        let starts = pending(batch, lines).take(PART_LINES).take_while(may_start);
        let made = stream::iter(starts).map(|number| async move {
            // Boxed, because a call is a large future.
            let outcome = Box::pin(self.calls.make(order, key, number, &lines[number as usize])).await;
            match &outcome {
                Ok(Outcome::Answered(answer)) => {
                    bytes.fetch_add(answer.body.len(), Ordering::Relaxed);
                }
                Ok(Outcome::Wait(_)) | Err(_) => is_full.store(true, Ordering::Relaxed),
            }
            (number, outcome)
        });
        let mut made: Vec<_> = made.buffer_unordered(CONCURRENCY).collect().await;
        made.sort_by_key(|(number, _)| *number);
        let mut part = Part { results: Results::default(), pause: None };
        for (number, outcome) in made {
            match outcome? {
                Outcome::Answered(answer) => {
                    part.results.add_answer(order, number, &lines[number as usize], answer)?;
                }
                Outcome::Wait(pause) => part.pause = part.pause.max(Some(pause)),
            }
        }
        Ok(part)
    }

    /// Stores results in the bucket.
    async fn add(&self, batch: &Batch, results: Results) -> Result<Advance> {
        let Results { output, errors, completed, failed, done } = results;
        let mut advance = Advance { progress: batch.progress.clone(), replaced: Vec::new() };
        let Advance { progress, replaced } = &mut advance;
        self.append(&batch.order, &mut progress.output, output, replaced).await?;
        self.append(&batch.order, &mut progress.errors, errors, replaced).await?;
        progress.finish(&done);
        progress.completed += completed;
        progress.failed += failed;
        Ok(advance)
    }

    async fn append(
        &self,
        order: &BatchOrder,
        parts: &mut Vec<FilePart>,
        results: Vec<u8>,
        replaced: &mut Vec<String>,
    ) -> Result<()> {
        if results.is_empty() {
            return Ok(());
        }
        let last = parts.pop_if(|last| last.bytes + results.len() as u64 <= OBJECT_BYTES);
        parts.push(self.batches.store_results(order, last.as_ref(), results).await?);
        replaced.extend(last.map(|last| last.object));
        Ok(())
    }

    /// Ends a batch with the last results.
    async fn end(&self, batch: &Batch, state: BatchState, results: Results) -> Result<()> {
        let Advance { progress, replaced } = self.add(batch, results).await?;
        if self.batches.end(batch, state, progress, Vec::new()).await? {
            self.discard(replaced).await;
        }
        Ok(())
    }

    async fn commit(&self, batch: &Batch, advance: Advance, next: Option<Duration>) -> Result<bool> {
        let Advance { progress, replaced } = advance;
        let is_committed = self.batches.commit(batch, &progress, next).await?;
        if is_committed {
            self.discard(replaced).await;
        }
        Ok(is_committed)
    }

    async fn discard(&self, objects: Vec<String>) {
        for object in objects {
            self.batches.discard(&object).await;
        }
    }
}

/// The numbers of the lines that have no result yet.
fn pending(batch: &Batch, lines: &[BatchLine<'_>]) -> impl Iterator<Item = u32> {
    let total = lines.len();
    batch.progress.pending().filter(move |number| (*number as usize) < total)
}

/// Adds the results of the lines that have no answer at the end of the window.
fn expire(batch: &Batch, lines: &[BatchLine<'_>], results: &mut Results) -> Result<()> {
    for number in pending(batch, lines) {
        if !results.done.contains(&number) {
            results.add_expired(&batch.order, number, &lines[number as usize])?;
        }
    }
    Ok(())
}
