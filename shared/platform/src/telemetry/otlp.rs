//! Spans in the JSON of OTLP: the mapping of Protocol Buffers, with hexadecimal ids, and times and integers as text.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::attributes::{FUNCTION, SERVICE_NAME, SERVICE_VERSION};
use super::record::{AttributeValue, SpanRecord};

const ERROR: u32 = 2;

/// The body of an export. Each function is a service of its own, also where many run in one process. `service` is the
/// name that the operator gave to all of them.
pub fn export_body(spans: &[SpanRecord], service: Option<&str>) -> Vec<u8> {
    let mut functions = BTreeMap::<_, Vec<_>>::new();
    for span in spans {
        functions.entry(&*span.function).or_default().push(span_json(span));
    }
    let resources = functions.into_iter().map(|(function, spans)| {
        let attributes = [
            (SERVICE_NAME, service.unwrap_or(function)),
            (FUNCTION, function),
            (SERVICE_VERSION, env!("CARGO_PKG_VERSION")),
        ];
        let attributes = attributes.map(|(name, value)| json!({"key": name, "value": {"stringValue": value}}));
        let scope = json!({"name": "atelier", "version": env!("CARGO_PKG_VERSION")});
        json!({"resource": {"attributes": attributes}, "scopeSpans": [{"scope": scope, "spans": spans}]})
    });
    json!({"resourceSpans": resources.collect::<Vec<_>>()}).to_string().into_bytes()
}

fn span_json(span: &SpanRecord) -> Value {
    let attributes = span.attributes.iter().map(|(name, value)| json!({"key": name, "value": value_json(value)}));
    let mut json = json!({
        "traceId": span.context.trace_id(),
        "spanId": format!("{:016x}", span.context.span_id),
        "flags": u8::from(span.context.is_sampled),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.started.as_nanos().to_string(),
        "endTimeUnixNano": (span.started + span.took).as_nanos().to_string(),
        "attributes": attributes.collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        json["parentSpanId"] = format!("{parent:016x}").into();
    }
    if span.has_failed {
        json["status"] = json!({"code": ERROR});
    }
    json
}

fn value_json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::Text(text) => json!({"stringValue": text}),
        AttributeValue::Number(number) => json!({"intValue": number.to_string()}),
        AttributeValue::Texts(texts) => {
            let values: Vec<_> = texts.iter().map(|text| json!({"stringValue": text})).collect();
            json!({"arrayValue": {"values": values}})
        }
    }
}
