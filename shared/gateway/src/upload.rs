//! A file that a request brings.

use bytes::Bytes;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedFile {
    /// The name that the client gave it. Providers recognize formats by its extension.
    pub name: String,
    pub content_type: Option<String>,
    pub content: Bytes,
}
