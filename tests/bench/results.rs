//! The results of all rounds: numbers per measurement, and medians over rounds.

use tests::statistics;

use crate::rounds::{Kind, Measurement};
use crate::subject::Name;

pub struct Results {
    pub measurements: Vec<Measurement>,
}

impl Measurement {
    pub fn p50_ms(&self) -> Option<f64> {
        self.report.times.as_ref().map(|times| times.p50_us / 1e3)
    }

    pub fn p99_ms(&self) -> Option<f64> {
        self.report.times.as_ref().map(|times| times.p99_us / 1e3)
    }

    pub fn first_byte_ms(&self) -> Option<f64> {
        self.report.times.as_ref().map(|times| times.first_byte_p50_us / 1e3)
    }

    /// The rate of answered calls. `None` if there are only errors.
    pub fn requests_per_s(&self) -> Option<f64> {
        self.report.times.as_ref().map(|_| self.report.requests_per_s)
    }

    /// The CPU time per call. `None` for the mock, which is not a gateway, and if there are only errors.
    pub fn cpu_ms_per_call(&self) -> Option<f64> {
        (self.name != Name::Direct && self.report.times.is_some()).then_some(self.cpu_ms_per_call)
    }

    pub fn rss_mb(&self) -> Option<f64> {
        (self.name != Name::Direct).then_some(self.rss_mb)
    }
}

impl Results {
    /// The measurements of one subject under one load, in the order of rounds.
    pub fn select(&self, name: Name, kind: Kind) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(move |measurement| measurement.name == name && measurement.kind == kind)
    }

    /// The median over the rounds that have this number.
    pub fn median(&self, name: Name, kind: Kind, number: impl Fn(&Measurement) -> Option<f64>) -> Option<f64> {
        statistics::median(self.select(name, kind).filter_map(number))
    }

    /// The median of what a gateway adds to the mock's own number in the same round.
    pub fn added(&self, name: Name, kind: Kind, number: impl Fn(&Measurement) -> Option<f64>) -> Option<f64> {
        let pairs = self.select(name, kind).zip(self.select(Name::Direct, kind));
        let added = pairs.filter_map(|(measurement, direct)| Some(number(measurement)? - number(direct)?));
        if name == Name::Direct { None } else { statistics::median(added) }
    }
}
