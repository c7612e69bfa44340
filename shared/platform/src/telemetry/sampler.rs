//! Decides which traces are exported: the samplers of OpenTelemetry, by their standard names.

use super::trace_context::TraceContext;

/// The number of different values that a sampler reads: 63 random bits of the trace id.
const VALUES: u64 = 1 << 63;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Whether the decision of the caller counts, if there is one.
    follows_parent: bool,
    /// The trace ids below are sampled.
    bound: u64,
}

impl Sampler {
    /// `parentbased_always_on`, the default of the standard.
    pub const DEFAULT: Self = Self { follows_parent: true, bound: VALUES };

    /// The sampler of this name; `None` if there is none.
    pub fn find(name: &str, ratio: f64) -> Option<Self> {
        let (follows_parent, root) = match name.strip_prefix("parentbased_") {
            Some(root) => (true, root),
            None => (false, name),
        };
        let bound = match root {
            "always_on" => VALUES,
            "always_off" => 0,
            "traceidratio" => (ratio * VALUES as f64) as u64,
            _ => return None,
        };
        Some(Self { follows_parent, bound })
    }

    /// Decides by the trace id, so that all processes decide alike for one trace.
    pub fn samples(&self, trace_id: u128, parent: Option<&TraceContext>) -> bool {
        match parent {
            Some(parent) if self.follows_parent => parent.is_sampled,
            _ => (trace_id as u64 >> 1) < self.bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: u128 = 1;
    const HIGH: u128 = u128::MAX;

    #[test]
    fn a_sampler_decides_by_the_trace_id_or_by_its_parent() {
        let parent = |is_sampled| TraceContext { trace_id: LOW, span_id: 1, is_sampled };
        let decide = |name: &str, id, parent: Option<TraceContext>| {
            Sampler::find(name, 0.5).unwrap().samples(id, parent.as_ref())
        };
        for (name, low, high) in
            [("always_on", true, true), ("always_off", false, false), ("traceidratio", true, false)]
        {
            assert_eq!((decide(name, LOW, None), decide(name, HIGH, None)), (low, high), "{name}");
            assert_eq!(decide(name, LOW, Some(parent(!low))), low, "{name} ignores the caller");
            let parent_based = format!("parentbased_{name}");
            assert_eq!(decide(&parent_based, HIGH, None), high, "{name}");
            for decision in [true, false] {
                assert_eq!(decide(&parent_based, HIGH, Some(parent(decision))), decision, "{name}");
            }
        }
        assert_eq!(Sampler::find("parentbased_always_on", 0.0), Some(Sampler::DEFAULT));
        assert_eq!(Sampler::find("sometimes", 1.0), None);
    }
}
