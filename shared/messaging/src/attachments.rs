//! The files of messages. A file is fetched from its provider when a run needs it, and is kept as long as the message.

use std::time::Duration;

use bytes::Bytes;
use domain::Error;
use domain::thread::{Thread, ThreadMessage};
use store::{Credentials, Threads};

use crate::{FetchError, Messenger};

/// The maximum size of one file.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The maximum size of all files of a message.
const MAX_TOTAL_BYTES: usize = 8 * 1024 * 1024;

#[derive(Clone)]
pub struct Attachments {
    pub threads: Threads,
    pub credentials: Credentials,
    pub messenger: Messenger,
}

/// A file of a message, with its content.
pub struct LoadedFile {
    pub name: String,
    pub media_type: String,
    pub content: FileContent,
}

pub enum FileContent {
    Loaded(Bytes),
    /// Why there is none, in words for the model.
    Missing(&'static str),
}

/// Why the files of a message were not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file is not available now. Another attempt, after the wait if there is one, may succeed.
    #[error("{message}")]
    Unavailable { wait: Option<Duration>, message: String },
    #[error(transparent)]
    Store(#[from] Error),
}

impl Attachments {
    /// Reads the files of a message. A file that can never be read is replaced by the reason.
    pub async fn load(&self, thread: &Thread, message: &mut ThreadMessage) -> Result<Vec<LoadedFile>, LoadError> {
        let before = message.attachments.clone();
        let loaded = self.load_all(thread, message).await;
        // The files that were fetched are kept, although a later one was not.
        if message.attachments != before {
            self.threads.set_attachments(thread.id, message).await?;
        }
        loaded
    }

    async fn load_all(&self, thread: &Thread, message: &mut ThreadMessage) -> Result<Vec<LoadedFile>, LoadError> {
        let mut files = Vec::new();
        let mut left = MAX_TOTAL_BYTES;
        for index in 0..message.attachments.len() {
            let attachment = &message.attachments[index];
            let (name, media_type) = (attachment.file.name.clone(), attachment.file.media_type.clone());
            let content = match &attachment.object {
                Some(object) => match self.threads.read_file(object, MAX_FILE_BYTES).await? {
                    Some(content) => FileContent::Loaded(content),
                    None => FileContent::Missing("the file has expired"),
                },
                None => self.fetch(thread, message, index).await?,
            };
            if let (FileContent::Loaded(content), None) = (&content, &message.attachments[index].object) {
                let object = self.threads.store_file(thread, &media_type, content).await?;
                message.attachments[index].object = Some(object);
            }
            let content = match content {
                FileContent::Loaded(content) if content.len() > left => FileContent::Missing("the files are too large"),
                FileContent::Loaded(content) => {
                    left -= content.len();
                    FileContent::Loaded(content)
                }
                missing @ FileContent::Missing(_) => missing,
            };
            files.push(LoadedFile { name, media_type, content });
        }
        Ok(files)
    }

    async fn fetch(&self, thread: &Thread, message: &ThreadMessage, index: usize) -> Result<FileContent, LoadError> {
        let credential = match self.credentials.open(thread.account, thread.workflow, thread.credential).await {
            Ok(credential) => credential,
            Err(Error::NotFound { .. }) => {
                return Ok(FileContent::Missing("the credential of the channel was deleted"));
            }
            Err(error) => return Err(error.into()),
        };
        let file = &message.attachments[index].file;
        let error = match self.messenger.fetch(thread.credential, &credential, file, MAX_FILE_BYTES).await {
            Ok(content) => return Ok(FileContent::Loaded(content)),
            Err(error) => error,
        };
        tracing::warn!(%error, thread_id = %thread.id, "a file of a message could not be fetched");
        match error {
            FetchError::TooLarge { .. } => Ok(FileContent::Missing("the file is too large")),
            FetchError::Refused { .. } => Ok(FileContent::Missing("the file could not be fetched")),
            FetchError::Unavailable { wait, message } => Err(LoadError::Unavailable { wait, message }),
        }
    }
}
