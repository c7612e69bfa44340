//! Files of dify.

use super::*;

pub const FILES: [(&str, &str); 13] = [
    ("agent-chat.yml", include_str!("../fixtures/dify/agent-chat.yml")),
    ("agent-with-tools.yml", include_str!("../fixtures/dify/agent-with-tools.yml")),
    ("completion.json", include_str!("../fixtures/dify/completion.json")),
    ("human-approval.yml", include_str!("../fixtures/dify/human-approval.yml")),
    ("iterate-reviews.yml", include_str!("../fixtures/dify/iterate-reviews.yml")),
    ("lead-scoring.yml", include_str!("../fixtures/dify/lead-scoring.yml")),
    ("loop-until.yml", include_str!("../fixtures/dify/loop-until.yml")),
    ("rag-chatbot.yml", include_str!("../fixtures/dify/rag-chatbot.yml")),
    ("scheduled-report.yml", include_str!("../fixtures/dify/scheduled-report.yml")),
    ("structured.yml", include_str!("../fixtures/dify/structured.yml")),
    ("support-chat.yml", include_str!("../fixtures/dify/support-chat.yml")),
    ("support-triage.yml", include_str!("../fixtures/dify/support-triage.yml")),
    ("webhook-enrichment.yml", include_str!("../fixtures/dify/webhook-enrichment.yml")),
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
