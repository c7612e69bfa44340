//! Counters and histograms in memory. To record a value takes a look-up under a shared lock and some atomic additions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use super::definitions::{Kind, MICROSECOND, Metric};

/// A metric with more combinations of labels counts the further ones as `other`.
const MAX_SERIES: usize = 1_000;
const OTHER: &str = "other";
/// Separates the values of labels in the key of a series.
const SEPARATOR: char = '\u{1f}';

#[derive(Debug, Default)]
pub struct Registry {
    families: [Family; Metric::ALL.len()],
}

/// The series of a metric, by the values of their labels.
#[derive(Debug, Default)]
struct Family(RwLock<BTreeMap<String, Series>>);

#[derive(Debug)]
struct Series {
    /// In units of the metric.
    sum: AtomicU64,
    /// The number of observations in each bucket of a histogram, the last of which has no bound.
    buckets: Box<[AtomicU64]>,
}

/// The values of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub metric: Metric,
    /// The values of the labels, beginning with the function.
    pub labels: Vec<String>,
    pub sum: f64,
    /// The number of observations in each bucket of a histogram.
    pub buckets: Vec<u64>,
}

impl Registry {
    /// Adds to a counter, or adds an observation to a histogram. `labels` are those after the function.
    pub fn record(&self, metric: Metric, function: &str, labels: &[&str], amount: u64) {
        let family = &self.families[metric as usize].0;
        let length = labels.iter().map(|label| SEPARATOR.len_utf8() + label.len()).sum::<usize>();
        let mut key = String::with_capacity(function.len() + length);
        key.push_str(function);
        for label in labels {
            key.push(SEPARATOR);
            key.push_str(label);
        }
        if let Some(series) = family.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return series.record(metric, amount);
        }
        let mut family = family.write().unwrap_or_else(PoisonError::into_inner);
        let key =
            if family.len() < MAX_SERIES { key } else { vec![OTHER; labels.len() + 1].join(&SEPARATOR.to_string()) };
        family.entry(key).or_insert_with(|| Series::new(metric)).record(metric, amount);
    }

    /// The values since the start.
    pub fn samples(&self) -> Vec<Sample> {
        self.read(|value| value.load(Ordering::Relaxed))
    }

    /// The values since the last call.
    pub fn take_samples(&self) -> Vec<Sample> {
        let mut samples = self.read(|value| value.swap(0, Ordering::Relaxed));
        samples.retain(|sample| sample.sum > 0.0 || sample.count() > 0);
        samples
    }

    fn read(&self, load: impl Fn(&AtomicU64) -> u64) -> Vec<Sample> {
        let mut samples = Vec::new();
        for metric in Metric::ALL {
            let family = self.families[metric as usize].0.read().unwrap_or_else(PoisonError::into_inner);
            samples.extend(family.iter().map(|(key, series)| Sample {
                metric,
                labels: key.split(SEPARATOR).map(str::to_owned).collect(),
                sum: load(&series.sum) as f64 * metric.definition().unit,
                buckets: series.buckets.iter().map(&load).collect(),
            }));
        }
        samples
    }
}

impl Series {
    fn new(metric: Metric) -> Self {
        let buckets = match metric.definition().kind {
            Kind::Counter => 0,
            Kind::Histogram(bounds) => bounds.len() + 1,
        };
        Self { sum: AtomicU64::default(), buckets: (0..buckets).map(|_| AtomicU64::default()).collect() }
    }

    fn record(&self, metric: Metric, amount: u64) {
        self.sum.fetch_add(amount, Ordering::Relaxed);
        if let Kind::Histogram(bounds) = metric.definition().kind {
            let value = amount as f64 * MICROSECOND;
            self.buckets[bounds.partition_point(|bound| *bound < value)].fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Sample {
    /// The number of observations of a histogram.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_added_and_observations_fall_into_buckets() {
        let registry = Registry::default();
        registry.record(Metric::Messages, "run-worker", &["handled"], 2);
        registry.record(Metric::Messages, "run-worker", &["handled"], 3);
        for microseconds in [1_000, 1_001, 400_000_000] {
            registry.record(Metric::RequestSeconds, "agents", &[], microseconds);
        }
        let [seconds, messages] = &registry.samples()[..] else { panic!() };
        assert_eq!(
            (messages.sum, messages.labels.as_slice()),
            (5.0, &["run-worker", "handled"].map(str::to_owned)[..])
        );
        assert_eq!((seconds.buckets[0], seconds.buckets[1], seconds.buckets.last()), (1, 1, Some(&1)));
        assert_eq!(seconds.count(), 3);
    }

    #[test]
    fn values_are_taken_once() {
        let registry = Registry::default();
        registry.record(Metric::Cost, "inference", &["a", "m"], 1_500_000_000_000);
        assert_eq!(registry.take_samples()[0].sum, 1.5);
        assert_eq!(registry.take_samples(), []);
    }

    #[test]
    fn further_series_are_counted_together() {
        let registry = Registry::default();
        for number in 0..MAX_SERIES + 5 {
            registry.record(Metric::Messages, &number.to_string(), &["handled"], 1);
        }
        let samples = registry.samples();
        assert_eq!(samples.len(), MAX_SERIES + 1);
        assert_eq!(samples.iter().find(|sample| sample.labels[0] == OTHER).unwrap().sum, 5.0);
    }
}
