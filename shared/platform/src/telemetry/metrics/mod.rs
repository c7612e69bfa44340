//! Counters and histograms: in the cloud as lines of the log, in `local` as a page for Prometheus.

mod definitions;
pub mod emf;
pub mod prometheus;
mod registry;

pub use definitions::Metric;
pub use registry::Registry;
