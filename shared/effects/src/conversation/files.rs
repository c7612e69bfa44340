//! The files of a message as parts of a prompt: images for models that see, and texts.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::Result;
use domain::run::RunThread;
use messaging::{Attachments, FileContent, LoadedFile};
use serde_json::{Value, json};

/// A longer text is cut.
const MAX_TEXT_CHARS: usize = 40_000;
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

pub async fn read(attachments: &Attachments, thread: &RunThread) -> Result<Vec<Value>> {
    let Some(stored) = attachments.threads.find(thread.id).await? else { return Ok(Vec::new()) };
    let Some(mut message) = attachments.threads.message(thread.id, thread.message).await? else {
        return Ok(Vec::new());
    };
    let files = attachments.load(&stored.thread, &mut message).await?;
    Ok(files.into_iter().map(describe).collect())
}

fn describe(file: LoadedFile) -> Value {
    let LoadedFile { name, media_type, content } = file;
    let text = |text: String| json!({"type": "text", "text": text});
    match content {
        FileContent::Missing(reason) => text(format!("[{name}: {reason}]")),
        FileContent::Loaded(content) if IMAGES.contains(&media_type.as_str()) => {
            let url = format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(&content));
            json!({"type": "image_url", "image_url": {"url": url}})
        }
        FileContent::Loaded(content) if media_type.starts_with("text/") || media_type == "application/json" => {
            let content = String::from_utf8_lossy(&content);
            let content: String = content.chars().take(MAX_TEXT_CHARS).collect();
            text(format!("[{name}]\n{content}"))
        }
        FileContent::Loaded(_) => text(format!("[{name}: a file of the type {media_type}, which cannot be shown]")),
    }
}
