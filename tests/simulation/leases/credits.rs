//! The true credits of an organization over time, for the oracles.

use domain::time::Time;

#[derive(Default)]
pub struct Credits {
    pub given: i128,
    charged: i128,
    /// The credits left from each moment on.
    had: Vec<(Time, i128)>,
    changes: Vec<Time>,
}

impl Credits {
    /// Adds credits given and charged, and returns what is left.
    pub fn add(&mut self, given: i128, charged: i128, now: Time) -> i128 {
        self.given += given;
        self.charged += charged;
        self.had.push((now, self.left()));
        self.left()
    }

    /// Records a write of the organization's meter.
    pub fn changed(&mut self, now: Time) {
        self.changes.push(now);
    }

    pub fn left(&self) -> i128 {
        self.given - self.charged
    }

    /// The least and the most credits left between two moments. `None` after more than five changes: the platform stops
    /// retrying a read that so many changes interrupt.
    pub fn between(&self, from: Time, to: Time) -> Option<(i128, i128)> {
        if self.changes.iter().filter(|at| (from..=to).contains(at)).count() > 5 {
            return None;
        }
        let before = self.had.iter().rev().find(|(at, _)| *at < from);
        let within = self.had.iter().filter(|(at, _)| (from..=to).contains(at));
        let had: Vec<i128> = before.into_iter().chain(within).map(|(_, had)| *had).collect();
        Some((*had.iter().min()?, *had.iter().max()?))
    }
}
