//! The verdicts about Atelier: a number is within a limit, or it is better than that of others in every round.

use std::cmp::Ordering;

use crate::results::Results;
use crate::rounds::{Kind, Measurement};
use crate::subject::{ATELIER, Name};
use crate::table::Number;

/// A number that is compared, and which of two values is better.
pub struct Measure {
    pub title: &'static str,
    pub number: Number,
    better: Ordering,
}

pub const P50: Measure = Measure { title: "ms p50", number: Measurement::p50_ms, better: Ordering::Less };
pub const FIRST_BYTE: Measure =
    Measure { title: "ms to the first byte", number: Measurement::first_byte_ms, better: Ordering::Less };
pub const CPU: Measure = Measure { title: "CPU ms", number: Measurement::cpu_ms_per_call, better: Ordering::Less };
pub const WRITTEN: Measure =
    Measure { title: "KB written", number: Measurement::written_kb_per_call, better: Ordering::Less };
pub const MEMORY: Measure = Measure { title: "MB of memory", number: Measurement::memory_mb, better: Ordering::Less };
pub const RATE: Measure =
    Measure { title: "calls a second", number: Measurement::requests_per_s, better: Ordering::Greater };

/// A sentence about a limit, and whether it is met.
pub struct Verdict {
    pub sentence: String,
    pub is_met: bool,
}

/// Prints the verdicts, and returns whether there are some and all limits are met.
pub fn print(verdicts: &[Verdict]) -> bool {
    if verdicts.is_empty() {
        println!("There is no verdict: Atelier was not measured under a load that has limits.");
        return false;
    }
    for Verdict { sentence, is_met } in verdicts {
        println!("- {sentence}: {}.", if *is_met { "yes" } else { "no" });
    }
    verdicts.iter().all(|verdict| verdict.is_met)
}

impl Results {
    /// Whether Atelier's median is within a limit. `None` if Atelier was not measured under this load.
    pub fn is_at_most(&self, kind: Kind, measure: &Measure, limit: f64) -> Option<Verdict> {
        let median = self.median(ATELIER, kind, measure.number)?;
        let sentence = format!("{kind}: {median:.3} {}, at most {limit}", measure.title);
        Some(Verdict { sentence, is_met: median <= limit })
    }

    /// The same for what Atelier adds to the mock's number.
    pub fn adds_at_most(&self, kind: Kind, measure: &Measure, limit: f64) -> Option<Verdict> {
        let added = self.added(ATELIER, kind, measure.number)?;
        let sentence = format!("{kind}: {added:.3} {} added, at most {limit}", measure.title);
        Some(Verdict { sentence, is_met: added <= limit })
    }

    /// Whether Atelier's rate does not fall when the load grows.
    pub fn is_no_slower(&self, many: Kind, some: Kind) -> Option<Verdict> {
        let [high, low] = [many, some].map(|kind| self.median(ATELIER, kind, RATE.number));
        let (high, low) = (high?, low?);
        let sentence = format!("{many}: {high:.0} calls a second, at least the {low:.0} of {some}");
        Some(Verdict { sentence, is_met: high >= low })
    }

    /// Whether Atelier's number is at least as good as a multiple of the best other one in every round. `None` if none of
    /// the others was measured under this load, or Atelier was not.
    pub fn is_better(&self, kind: Kind, measure: &Measure, factor: f64, others: &[Name]) -> Option<Verdict> {
        let own: Vec<_> = self.select(ATELIER, kind).collect();
        let names: Vec<_> = others.iter().copied().filter(|other| self.select(other, kind).count() > 0).collect();
        if own.is_empty() || names.is_empty() {
            return None;
        }
        let won = |round: usize| {
            // With a single error, Atelier is not better. Another subject without any answer is always worse.
            let Some(number) = (measure.number)(own[round]).filter(|_| own[round].report.errors == 0) else {
                return false;
            };
            names.iter().filter_map(|name| (measure.number)(self.select(name, kind).nth(round)?)).all(|other| {
                let order = number.total_cmp(&(factor * other));
                order == measure.better || order == Ordering::Equal
            })
        };
        let (rounds, won) = (own.len(), (0..own.len()).filter(|&round| won(round)).count());
        let limit = match measure.better {
            Ordering::Greater => "at least",
            _ => "at most",
        };
        let (title, names) = (measure.title, names.join(", "));
        let sentence = format!("{kind}: {title}, {limit} {factor} × each of {names}, in {won} of {rounds} rounds");
        Some(Verdict { sentence, is_met: won == rounds })
    }
}
