//! A scripted collector of traces: it receives spans by OTLP over HTTP, as JSON.

use std::collections::BTreeMap;

use http::HeaderMap;
use local::Options;
use serde_json::Value;

use crate::provider::{Behaviour, FakeProvider};

/// The collector runs as long as the runtime it was started in.
pub struct Collector {
    server: FakeProvider,
}

/// A span as it arrived.
#[derive(Clone, Debug)]
pub struct CollectedSpan {
    pub service: String,
    pub name: String,
    pub kind: u64,
    pub trace_id: String,
    pub span_id: String,
    pub parent: Option<String>,
    /// The values of the attributes, without their types.
    pub attributes: BTreeMap<String, Value>,
    pub has_failed: bool,
    pub began_ns: u64,
    pub ended_ns: u64,
}

impl Collector {
    pub async fn start() -> Self {
        let server = FakeProvider::start().await;
        server.respond_with(Behaviour::json(200, "{}"));
        Self { server }
    }

    pub fn url(&self) -> &str {
        &self.server.base_url
    }

    pub fn respond_with(&self, behaviour: Behaviour) {
        self.server.respond_with(behaviour);
    }

    /// Lets the platform export its spans to this collector.
    pub fn connect(&self, options: &mut Options) {
        options.settings.push(("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), self.url().to_owned()));
    }

    /// Takes the headers and the bodies of the exports received since the last call.
    pub fn take_exports(&self) -> Vec<(HeaderMap, Value)> {
        let requests = self.server.take_requests().into_iter();
        let export = requests.map(|request| {
            assert_eq!(request.path, "/v1/traces");
            (request.headers, request.body)
        });
        export.collect()
    }

    /// Takes the spans received since the last call, in the order of their starts.
    pub fn take_spans(&self) -> Vec<CollectedSpan> {
        let mut spans = Vec::new();
        for (_, body) in self.take_exports() {
            for resource in body["resourceSpans"].as_array().unwrap() {
                let service = read_attributes(&resource["resource"])["service.name"].as_str().unwrap().to_owned();
                let scopes = resource["scopeSpans"].as_array().unwrap().iter();
                let arrived = scopes.flat_map(|scope| scope["spans"].as_array().unwrap());
                spans.extend(arrived.map(|span| CollectedSpan::read(&service, span)));
            }
        }
        spans.sort_by_key(|span| span.began_ns);
        spans
    }
}

impl CollectedSpan {
    fn read(service: &str, span: &Value) -> Self {
        let text = |field: &str| span[field].as_str().unwrap_or_else(|| panic!("{field} in {span}")).to_owned();
        let time = |field: &str| text(field).parse().unwrap();
        Self {
            service: service.to_owned(),
            name: text("name"),
            kind: span["kind"].as_u64().unwrap(),
            trace_id: text("traceId"),
            span_id: text("spanId"),
            parent: span.get("parentSpanId").map(|parent| parent.as_str().unwrap().to_owned()),
            attributes: read_attributes(span),
            has_failed: span["status"]["code"] == 2,
            began_ns: time("startTimeUnixNano"),
            ended_ns: time("endTimeUnixNano"),
        }
    }
}

/// The attributes of a span or a resource. A list is a list of texts.
fn read_attributes(owner: &Value) -> BTreeMap<String, Value> {
    let attributes = owner["attributes"].as_array().unwrap().iter();
    let read = |attribute: &Value| {
        let value = &attribute["value"];
        let value = match value.get("arrayValue") {
            Some(list) => list["values"].as_array().unwrap().iter().map(|value| value["stringValue"].clone()).collect(),
            None => value.get("stringValue").or_else(|| value.get("intValue")).unwrap().clone(),
        };
        (attribute["key"].as_str().unwrap().to_owned(), value)
    };
    attributes.map(read).collect()
}
