//! Guesses what a model does from a provider's name of it, because few providers list it. Wrong guesses are corrected with
//! `PATCH /gateway/v1/admin/models/{name}`.

use web::gateway::ModelTypeWire;

const CHAT: [&str; 6] = ["chat", "streaming", "tools", "vision", "json_mode", "json_schema"];
/// Parts of the names of models that neither chat nor embed.
const OTHERS: [&str; 12] = [
    "whisper",
    "tts",
    "transcribe",
    "speech",
    "audio",
    "realtime",
    "moderation",
    "guard",
    "ocr",
    "sora",
    "veo",
    "babbage",
];
const IMAGES: [&str; 5] = ["dall-e", "gpt-image", "imagen", "stable-diffusion", "flux"];

/// The type and the capabilities of a model. None if it is of a kind that must be declared.
pub fn guess_kind(name: &str) -> Option<(ModelTypeWire, &'static [&'static str])> {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if name.contains("rerank") {
        Some((ModelTypeWire::Others, &["rerank"]))
    } else if has(&["embed", "bge-", "e5-", "minilm"]) {
        Some((ModelTypeWire::Embeddings, &["embeddings"]))
    } else if name == "dev-guard" {
        Some((ModelTypeWire::Others, &["guard"]))
    } else if name == "dev-transcribe" {
        Some((ModelTypeWire::Others, &["transcription"]))
    } else if name == "dev-speech" {
        Some((ModelTypeWire::Others, &["speech"]))
    } else if name == "dev-image" {
        Some((ModelTypeWire::Others, &["images", "image_edits"]))
    } else if has(&IMAGES) {
        Some((ModelTypeWire::Others, &["images"]))
    } else if has(&OTHERS) {
        None
    } else {
        Some((ModelTypeWire::Others, &CHAT))
    }
}
