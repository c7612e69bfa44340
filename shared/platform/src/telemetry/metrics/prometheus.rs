//! Metrics in the text format of Prometheus.

use std::fmt::Write;

use super::definitions::{Definition, FUNCTION, Kind, Metric};
use super::registry::{Registry, Sample};

/// The media type of the format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

pub fn render(registry: &Registry) -> String {
    let (samples, mut text) = (registry.samples(), String::new());
    for metric in Metric::ALL {
        let definition = metric.definition();
        let kind = match definition.kind {
            Kind::Counter => "counter",
            Kind::Histogram(_) => "histogram",
        };
        // Writing to a string cannot fail.
        let Definition { name, help, .. } = definition;
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for sample in samples.iter().filter(|sample| sample.metric == metric) {
            let _ = render_sample(&mut text, &definition, sample);
        }
    }
    text
}

fn render_sample(text: &mut String, definition: &Definition, sample: &Sample) -> std::fmt::Result {
    let names = [FUNCTION].into_iter().chain(definition.labels.iter().copied());
    let labels: Vec<_> =
        names.zip(&sample.labels).map(|(label, value)| format!("{label}=\"{}\"", escape(value))).collect();
    let (name, labels) = (definition.name, labels.join(","));
    let Kind::Histogram(bounds) = definition.kind else {
        return writeln!(text, "{name}{{{labels}}} {}", sample.sum);
    };
    let mut count = 0;
    let bounds = bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    for (bound, observations) in bounds.zip(&sample.buckets) {
        count += observations;
        writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}")?;
    }
    writeln!(text, "{name}_sum{{{labels}}} {}\n{name}_count{{{labels}}} {count}", sample.sum)
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
