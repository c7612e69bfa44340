//! How far a batch has come: which lines have an answer or an error, and the objects that have them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::file::FilePart;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchProgress {
    /// The number of lines.
    pub total: u32,
    /// Every line before this one is done or waits. Lines are numbered from 0.
    pub next: u32,
    /// The lines before `next` that are not done, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<u32>,
    pub completed: u32,
    pub failed: u32,
    /// The parts of the output file so far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<FilePart>,
    /// The parts of the error file so far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FilePart>,
}

impl BatchProgress {
    pub fn of_lines(total: u32) -> Self {
        Self { total, ..Self::default() }
    }

    /// The lines that are not done, in the order in which they are made.
    pub fn pending(&self) -> impl Iterator<Item = u32> {
        self.waiting.iter().copied().chain(self.next..self.total)
    }

    pub fn is_done(&self) -> bool {
        self.pending().next().is_none()
    }

    /// Notes that lines are done.
    pub fn finish(&mut self, done: &BTreeSet<u32>) {
        let next = done.last().map_or(self.next, |last| self.next.max(last + 1));
        let before = self.waiting.iter().copied().chain(self.next..next);
        self.waiting = before.filter(|line| !done.contains(line)).collect();
        self.next = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_done_stay_pending() {
        let mut progress = BatchProgress::of_lines(6);
        progress.finish(&BTreeSet::from([1, 3]));
        assert_eq!((progress.next, progress.pending().collect::<Vec<_>>()), (4, vec![0, 2, 4, 5]));
        progress.finish(&BTreeSet::from([0, 4]));
        assert_eq!(progress.pending().collect::<Vec<_>>(), [2, 5]);
        progress.finish(&BTreeSet::new());
        assert!(!progress.is_done());
        progress.finish(&BTreeSet::from([2, 5]));
        assert!(progress.is_done() && progress.waiting.is_empty());
    }
}
