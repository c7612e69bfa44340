//! Metrics in the embedded metric format of AWS: lines of the log, which become metrics.

use serde_json::{Map, Value, json};

use super::definitions::{FUNCTION, Kind};
use super::registry::Sample;

const NAMESPACE: &str = "Atelier";
/// A line has at most this many values of one metric.
const MAX_VALUES: u64 = 100;

/// The lines with what happened since the last ones. An invocation needs one line, unless a metric has several values of a
/// label: a line has one value of each dimension.
pub fn render(samples: &[Sample], now_ms: i64) -> Vec<String> {
    let mut documents: Vec<Document> = Vec::new();
    for sample in samples {
        let fitting = documents.iter_mut().find(|document| document.has_room_for(sample));
        match fitting {
            Some(document) => document.add(sample),
            None => {
                let mut document = Document::default();
                document.add(sample);
                documents.push(document);
            }
        }
    }
    documents.into_iter().map(|document| document.render(now_ms)).collect()
}

/// One line.
#[derive(Default)]
struct Document {
    /// The dimensions and the metrics.
    fields: Map<String, Value>,
    directives: Vec<Value>,
}

impl Document {
    /// Whether the sample's labels have no other values in this line, and its metric has none.
    fn has_room_for(&self, sample: &Sample) -> bool {
        let agrees = |(label, value): (&str, &String)| self.fields.get(label).is_none_or(|known| known == value);
        !self.fields.contains_key(sample.metric.definition().name) && dimensions(sample).all(agrees)
    }

    fn add(&mut self, sample: &Sample) {
        let definition = sample.metric.definition();
        let (unit, value) = match definition.kind {
            Kind::Counter => (definition.unit_name, json!(sample.sum)),
            // The sum and the number are exact, and so is the time of the one request of an invocation.
            Kind::Histogram(_) => {
                let count = sample.count();
                let mean = sample.sum / count as f64;
                (definition.unit_name, (0..count.min(MAX_VALUES)).map(|_| mean).collect())
            }
        };
        let names: Vec<_> = dimensions(sample).map(|(label, _)| label).collect();
        let metrics = [json!({"Name": definition.name, "Unit": unit})];
        self.directives.push(json!({"Namespace": NAMESPACE, "Dimensions": [names], "Metrics": metrics}));
        self.fields.extend(dimensions(sample).map(|(label, value)| (label.to_owned(), json!(value))));
        self.fields.insert(definition.name.to_owned(), value);
    }

    fn render(self, now_ms: i64) -> String {
        let mut line = json!({"_aws": {"Timestamp": now_ms, "CloudWatchMetrics": self.directives}});
        if let Some(line) = line.as_object_mut() {
            line.extend(self.fields);
        }
        line.to_string()
    }
}

/// The labels of a sample and their values.
fn dimensions(sample: &Sample) -> impl Iterator<Item = (&'static str, &String)> {
    [FUNCTION].into_iter().chain(sample.metric.definition().labels.iter().copied()).zip(&sample.labels)
}

#[cfg(test)]
mod tests {
    use super::super::definitions::Metric;
    use super::super::registry::Registry;
    use super::*;

    #[test]
    fn an_invocation_is_one_line_unless_a_label_has_several_values() {
        let registry = Registry::default();
        registry.record(Metric::Requests, "inference", &["POST", "/gateway/v1/embeddings", "2xx"], 1);
        registry.record(Metric::RequestSeconds, "inference", &[], 1_500_000);
        registry.record(Metric::ModelCalls, "inference", &["first", "m", "timeout"], 1);
        registry.record(Metric::ModelCalls, "inference", &["second", "m", "ok"], 1);
        let lines = render(&registry.take_samples(), 1_700_000_000_000);
        assert_eq!(
            lines,
            [
                concat!(
                    r#"{"_aws":{"Timestamp":1700000000000,"CloudWatchMetrics":["#,
                    r#"{"Namespace":"Atelier","Dimensions":[["function","method","route","status"]],"#,
                    r#""Metrics":[{"Name":"atelier_requests_total","Unit":"Count"}]},"#,
                    r#"{"Namespace":"Atelier","Dimensions":[["function"]],"#,
                    r#""Metrics":[{"Name":"atelier_request_duration_seconds","Unit":"Seconds"}]},"#,
                    r#"{"Namespace":"Atelier","Dimensions":[["function","provider","model","outcome"]],"#,
                    r#""Metrics":[{"Name":"atelier_model_calls_total","Unit":"Count"}]}]},"#,
                    r#""function":"inference","method":"POST","route":"/gateway/v1/embeddings","status":"2xx","#,
                    r#""atelier_requests_total":1.0,"atelier_request_duration_seconds":[1.5],"#,
                    r#""provider":"first","model":"m","outcome":"timeout","atelier_model_calls_total":1.0}"#,
                ),
                concat!(
                    r#"{"_aws":{"Timestamp":1700000000000,"CloudWatchMetrics":["#,
                    r#"{"Namespace":"Atelier","Dimensions":[["function","provider","model","outcome"]],"#,
                    r#""Metrics":[{"Name":"atelier_model_calls_total","Unit":"Count"}]}]},"#,
                    r#""function":"inference","provider":"second","model":"m","outcome":"ok","#,
                    r#""atelier_model_calls_total":1.0}"#,
                ),
            ]
        );
        assert_eq!(render(&registry.take_samples(), 0), [""; 0]);
    }
}
