//! The files of a message as parts of a prompt: images for models that see, and texts.

use std::time::Duration;

use domain::chat::ContentPart;
use domain::run::{RunThread, StepError};
use engine::drive::{EffectError, RetryHint};
use messaging::{Attachments, FileContent, LoadError, LoadedFile};
use tokio::time::sleep;

use crate::errors::to_effect_error;
use crate::prompt_files::{is_image, is_text, to_image};

/// A longer text is cut.
const MAX_TEXT_CHARS: usize = 40_000;

/// How often the files are tried within one attempt of the node, because a node may have only one attempt.
const MAX_TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);
/// A longer wait is left to the retry policy of the node.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

pub async fn read(attachments: &Attachments, thread: &RunThread) -> Result<Vec<ContentPart>, EffectError> {
    let Some(stored) = attachments.threads.find(thread.id).await.map_err(to_effect_error)? else {
        return Ok(Vec::new());
    };
    let message = attachments.threads.message(thread.id, thread.message).await.map_err(to_effect_error)?;
    let Some(mut message) = message else { return Ok(Vec::new()) };
    let mut tries = 1;
    loop {
        match attachments.load(&stored.thread, &mut message).await {
            Ok(files) => return Ok(files.into_iter().map(describe).collect()),
            Err(LoadError::Store(error)) => return Err(to_effect_error(error)),
            Err(LoadError::Unavailable { wait, message }) => {
                let pause = wait.unwrap_or_default().max(PAUSE);
                if tries >= MAX_TRIES || pause > LONGEST_PAUSE {
                    let error = StepError::new("file_unavailable", message);
                    return Err(EffectError { error, retry: RetryHint::After(pause) });
                }
                tries += 1;
                sleep(pause).await;
            }
        }
    }
}

fn describe(file: LoadedFile) -> ContentPart {
    let LoadedFile { name, media_type, content } = file;
    match content {
        FileContent::Missing(reason) => ContentPart::Text(format!("[{name}: {reason}]")),
        FileContent::Loaded(content) if is_image(&media_type) => to_image(&media_type, &content),
        FileContent::Loaded(content) if is_text(&media_type) => {
            let content = String::from_utf8_lossy(&content);
            let content: String = content.chars().take(MAX_TEXT_CHARS).collect();
            ContentPart::Text(format!("[{name}]\n{content}"))
        }
        FileContent::Loaded(_) => {
            ContentPart::Text(format!("[{name}: a file of the type {media_type}, which cannot be shown]"))
        }
    }
}
