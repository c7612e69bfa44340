//! The results of all rounds: numbers per measurement, and medians over rounds.

use tests::statistics;

use crate::rounds::{Kind, Measurement};
use crate::subject::{DIRECT, Name};

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

    /// The CPU time per call. `None` for the mock, which is not compared, and if there are only errors.
    pub fn cpu_ms_per_call(&self) -> Option<f64> {
        self.per_call(self.used.cpu.as_secs_f64() * 1e3)
    }

    pub fn written_kb_per_call(&self) -> Option<f64> {
        self.per_call(self.used.written as f64 / 1e3)
    }

    pub fn memory_mb(&self) -> Option<f64> {
        (self.name != DIRECT).then_some(self.memory_mb)
    }

    fn per_call(&self, total: f64) -> Option<f64> {
        let calls = (self.report.requests + self.report.errors) as f64;
        (self.name != DIRECT && self.report.times.is_some()).then_some(total / calls)
    }
}

impl Results {
    /// The subjects, in the order in which they were measured.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for Measurement { name, .. } in &self.measurements {
            if !names.contains(name) {
                names.push(*name);
            }
        }
        names
    }

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
        let pairs = self.select(name, kind).zip(self.select(DIRECT, kind));
        let added = pairs.filter_map(|(measurement, direct)| Some(number(measurement)? - number(direct)?));
        if name == DIRECT { None } else { statistics::median(added) }
    }

    /// The multiples of another subject's number in the same round, smallest first.
    pub fn ratios(&self, own: Name, name: Name, kind: Kind, number: fn(&Measurement) -> Option<f64>) -> Vec<f64> {
        let pairs = self.select(name, kind).zip(self.select(own, kind));
        let mut ratios: Vec<_> = pairs.filter_map(|(other, own)| Some(number(other)? / number(own)?)).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }
}
