//! Durations as counts in buckets. The buckets of many days are added up, and quantiles are read from the sums, with a
//! relative error of at most 2 %.

use std::collections::BTreeMap;
use std::time::Duration;

/// Each bucket ends this much later than the one before. An estimate in the middle of a bucket then differs by at most
/// (1.038 - 1) / (1.038 + 1) = 1.87 % from any duration in it.
const GROWTH: f64 = 1.038;

/// How many durations each bucket has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations(BTreeMap<u16, u64>);

/// The bucket of a duration. Bucket 0 is for less than a millisecond; the others end at 1.038⁰, 1.038¹, 1.038² … milliseconds.
pub fn bucket_of(duration: Duration) -> u16 {
    let millis = duration.as_millis();
    if millis == 0 {
        return 0;
    }
    // A run of 30 days is in bucket 583, so the number fits.
    (millis as f64).log(GROWTH).ceil() as u16 + 1
}

/// The milliseconds that stand for the durations in a bucket.
fn estimate(bucket: u16) -> f64 {
    match bucket.checked_sub(1) {
        None => 0.0,
        Some(exponent) => 2.0 * GROWTH.powi(i32::from(exponent)) / (GROWTH + 1.0),
    }
}

impl Durations {
    pub fn add(&mut self, bucket: u16, count: u64) {
        *self.0.entry(bucket).or_default() += count;
    }

    pub fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|(bucket, count)| self.add(*bucket, *count));
    }

    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// The milliseconds that a share of the durations, between 0 and 1, do not exceed. None if there are no durations.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = ((self.count() as f64 * share).ceil() as u64).max(1);
        let mut so_far = 0;
        let found = self.0.iter().find(|(_, count)| {
            so_far += **count;
            so_far >= rank
        });
        // Three decimals: whole numbers would add an error to short durations.
        found.map(|(bucket, _)| (estimate(*bucket) * 1_000.0).round() / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(millis: impl IntoIterator<Item = u64>) -> Durations {
        let mut durations = Durations::default();
        millis.into_iter().for_each(|millis| durations.add(bucket_of(Duration::from_millis(millis)), 1));
        durations
    }

    #[test]
    fn every_duration_is_close_to_the_estimate_of_its_bucket() {
        let short = 1..20_000_u64;
        let long = (0..400).map(|step| 20_000 + 86_400_000 * 30 / 400 * step);
        for millis in short.chain(long) {
            let median = of([millis]).quantile(0.5).unwrap();
            let error = (median - millis as f64).abs() / millis as f64;
            assert!(error <= 0.02, "{millis}: {median}");
        }
        assert_eq!(of([0]).quantile(0.5), Some(0.0));
    }

    /// Three distributions: even, with a long tail, and with two peaks.
    #[test]
    fn quantiles_are_within_two_percent_of_the_exact_ones() {
        // A sequence that fills the range evenly, so that the test is the same each time.
        let shares = || (1..=100_000_u64).map(|n| (n as f64 * 0.618_033_988_749_895).fract());
        let distributions: [(&str, Vec<u64>); 3] = [
            ("even", shares().map(|share| 1 + (share * 60_000.0) as u64).collect()),
            ("long tail", shares().map(|share| (20.0 * (1.0 - share).powf(-0.9)) as u64).collect()),
            ("two peaks", shares().map(|share| if share < 0.9 { 40 + (share * 10.0) as u64 } else { 5_000 }).collect()),
        ];
        for (name, mut millis) in distributions {
            let durations = of(millis.iter().copied());
            millis.sort_unstable();
            for share in [0.5, 0.95, 0.99] {
                let exact = millis[(millis.len() as f64 * share).ceil() as usize - 1] as f64;
                let found = durations.quantile(share).unwrap();
                assert!((found - exact).abs() / exact <= 0.02, "{name} {share}: {found}, exact {exact}");
            }
        }
    }

    #[test]
    fn the_durations_of_several_days_add_up() {
        let (mut one, other) = (of(1..500), of(500..=1_000));
        one.add_all(&other);
        assert_eq!(one, of(1..=1_000));
        assert_eq!((one.count(), Durations::default().quantile(0.5)), (1_000, None));
    }
}
