//! Files of n8n.

use super::*;

pub const FILES: [(&str, &str); 11] = [
    ("agent-with-tools.json", include_str!("../fixtures/n8n/agent-with-tools.json")),
    ("drawn-circle.json", include_str!("../fixtures/n8n/drawn-circle.json")),
    ("error-handling.json", include_str!("../fixtures/n8n/error-handling.json")),
    ("human-approval.json", include_str!("../fixtures/n8n/human-approval.json")),
    ("lead-scoring.json", include_str!("../fixtures/n8n/lead-scoring.json")),
    ("loop-over-items.json", include_str!("../fixtures/n8n/loop-over-items.json")),
    ("merge-sources.json", include_str!("../fixtures/n8n/merge-sources.json")),
    ("rag-chatbot.json", include_str!("../fixtures/n8n/rag-chatbot.json")),
    ("scheduled-report.json", include_str!("../fixtures/n8n/scheduled-report.json")),
    ("support-triage.json", include_str!("../fixtures/n8n/support-triage.json")),
    ("webhook-enrichment.json", include_str!("../fixtures/n8n/webhook-enrichment.json")),
];

#[test]
fn show() {
    for (name, text) in FILES {
        let imported = read_sound(text);
        eprintln!("=== {name}\n{}\n--- {}", told(&imported), wired(&imported));
        for r in reconnected(&imported) { eprintln!("  R {r}"); }
        for node in &imported.graph.nodes { eprintln!("  C {} {} {}", node.id, node.r#type, serde_json::to_string(&node.config).unwrap()); }
        for p in problems(&imported) { eprintln!("  P {:?} {} {}", p.severity, p.code, p.message); }
    }
}
