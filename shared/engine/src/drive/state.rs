//! The state of the driver.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use futures::future::{AbortHandle, Abortable, BoxFuture};
use futures::stream::FuturesUnordered;
use tokio::sync::OwnedSemaphorePermit;

use super::events::EventKey;
use super::limits::Limits;
use super::masks::Masks;
use super::restore::Begun;
use super::{Commit, EffectError, EffectOutcome, Shift};
use crate::run::{DueEffect, Execution, StepPath};
use domain::id::RunId;
use domain::time::Time;

/// When an intent is recorded, the attempt's timeout must end this long before the shift ends. If less than half of it
/// is left after storing, the attempt does not begin.
pub const MARGIN: Duration = Duration::from_secs(5);

pub struct Driver<'a, E> {
    pub run_id: String,
    pub shift: Shift,
    pub limits: Limits,
    /// When the run fails because it lasts too long.
    pub ends_by: Time,
    /// The work after which the driver pauses.
    pub pause_at: u64,
    pub execution: Execution,
    pub effects: &'a E,
    /// What the log says about the effects that become due again after a restart.
    pub begun: BTreeMap<StepPath, Begun>,
    /// The events of the log that the execution has not computed again yet.
    pub stored: HashSet<EventKey>,
    /// The effects that are due and have no result.
    pub active: BTreeMap<StepPath, Active>,
    pub in_progress: FuturesUnordered<Abortable<BoxFuture<'a, (StepPath, AttemptResult)>>>,
    /// The results that arrived while the last events were stored.
    pub results: VecDeque<(StepPath, AttemptResult)>,
    /// The parts of values that are masked in what is stored.
    pub masks: Masks,
    /// What is stored next.
    pub pending: Commit,
    /// When the driver looks for answers again.
    pub next_look: Time,
    /// When the effects in progress are interrupted, because the process stops.
    pub interrupts_at: Option<Time>,
    /// The permit for a suspect that begins next.
    pub suspect_permit: Option<OwnedSemaphorePermit>,
}

pub type AttemptResult = Result<EffectOutcome, EffectError>;

/// An effect that is due and has no result.
pub struct Active {
    pub effect: DueEffect,
    /// The approximate memory of its work and of the request that is made of it.
    pub bytes: usize,
    pub stage: Stage,
}

#[derive(Clone, Debug)]
pub enum Stage {
    /// The attempt begins as soon as there is time.
    Ready(Ready),
    InProgress {
        attempt: u32,
        abort: AbortHandle,
        is_suspect: bool,
    },
    /// The attempt begins at a time.
    Retry {
        attempt: u32,
        at: Time,
        is_suspect: bool,
    },
    Delay {
        until: Time,
    },
    /// A person is to be asked: for a review, or whether an uncertain attempt is repeated.
    Unasked {
        uncertain: Option<u32>,
    },
    /// A person is asked.
    Review {
        expires_at: Time,
        uncertain: Option<u32>,
    },
    /// Another run is in progress.
    Call {
        attempt: u32,
        run_id: RunId,
        until: Option<Time>,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Ready {
    pub attempt: u32,
    /// The log has its intent.
    pub is_stored: bool,
    /// It has begun several times without a result.
    pub is_suspect: bool,
}

impl Ready {
    pub fn new(attempt: u32) -> Self {
        Self { attempt, is_stored: false, is_suspect: false }
    }
}

impl Stage {
    /// Whether the effect goes on with an answer.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::Review { .. } | Self::Call { .. })
    }

    /// When the effect goes on by itself.
    pub fn wakes_at(&self) -> Option<Time> {
        match self {
            Self::Ready(_) | Self::InProgress { .. } | Self::Unasked { .. } => None,
            Self::Retry { at, .. } => Some(*at),
            Self::Delay { until } => Some(*until),
            Self::Review { expires_at, .. } => Some(*expires_at),
            Self::Call { until, .. } => *until,
        }
    }
}
