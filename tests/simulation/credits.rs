//! The credits of an organization, as they really are.

use domain::time::Time;

#[derive(Default)]
pub struct Credits {
    pub given: i128,
    charged: i128,
    /// What it had, from which moment on.
    had: Vec<(Time, i128)>,
    changes: Vec<Time>,
}

impl Credits {
    /// What is left then.
    pub fn moved(&mut self, given: i128, charged: i128, now: Time) -> i128 {
        self.given += given;
        self.charged += charged;
        self.had.push((now, self.left()));
        self.left()
    }

    /// The organization's meter was written.
    pub fn changed(&mut self, now: Time) {
        self.changes.push(now);
    }

    pub fn left(&self) -> i128 {
        self.given - self.charged
    }

    /// The least and the most that it had in a while; none when it changed so often that no look is sure.
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
