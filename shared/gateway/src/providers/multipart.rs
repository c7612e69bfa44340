//! Writes forms with files (`multipart/form-data`), which providers with OpenAI's API take.

use bytes::Bytes;
use http::HeaderValue;
use serde_json::Value;

use crate::failure::ProviderFailure;
use crate::upload::UploadedFile;

const BINARY: &str = "application/octet-stream";

pub struct MultipartForm {
    boundary: String,
    body: Vec<u8>,
}

impl MultipartForm {
    pub fn new() -> Self {
        // No file has this line by chance, and no client can guess it.
        Self { boundary: format!("form-{:032x}", fastrand::u128(..)), body: Vec::new() }
    }

    /// Adds a parameter: a text as it is, a list as a part for each element, and other values as JSON.
    pub fn add(&mut self, name: &str, value: &Value) {
        match value {
            Value::Array(list) => list.iter().for_each(|element| self.add(&format!("{name}[]"), element)),
            Value::String(text) => self.add_part(name, "", text.as_bytes()),
            other => self.add_part(name, "", other.to_string().as_bytes()),
        }
    }

    pub fn add_file(&mut self, name: &str, file: &UploadedFile) {
        let content_type = file.content_type.as_deref().filter(|value| HeaderValue::from_str(value).is_ok());
        let (file_name, content_type) = (escape(&file.name), content_type.unwrap_or(BINARY));
        let more = format!("; filename=\"{file_name}\"\r\nContent-Type: {content_type}");
        self.add_part(name, &more, &file.content);
    }

    fn add_part(&mut self, name: &str, more: &str, content: &[u8]) {
        let (boundary, name) = (&self.boundary, escape(name));
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n");
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
    }

    /// The content type and the bytes of the form.
    pub fn finish(mut self) -> Result<(HeaderValue, Bytes), ProviderFailure> {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        let content_type = format!("multipart/form-data; boundary={}", self.boundary);
        let content_type = content_type.try_into().map_err(ProviderFailure::malformed_answer)?;
        Ok((content_type, self.body.into()))
    }
}

/// Escapes a name as browsers do, so that it ends neither its quotes nor its line.
fn escape(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_has_its_texts_lists_and_files() {
        let mut form = MultipartForm::new();
        form.add("model", &json!("whisper"));
        form.add("temperature", &json!(0.5));
        form.add("timestamp_granularities", &json!(["word", "segment"]));
        let name = "a\"\r\nX-Evil: 1\r\n\r\n.wav".to_owned();
        form.add_file("file", &UploadedFile { name, content_type: None, content: Bytes::from_static(b"\0\r\n") });
        let boundary = form.boundary.clone();
        let (content_type, body) = form.finish().unwrap();
        assert_eq!(content_type.to_str().unwrap(), format!("multipart/form-data; boundary={boundary}"));
        let body = String::from_utf8(body.to_vec()).unwrap().replace(&boundary, "B").replace("\r\n", "|");
        let part = |name: &str, text: &str| format!("--B|Content-Disposition: form-data; name=\"{name}\"||{text}|");
        let file = "filename=\"a%22%0D%0AX-Evil: 1%0D%0A%0D%0A.wav\"|Content-Type: application/octet-stream||\0||";
        let expected = [
            part("model", "whisper"),
            part("temperature", "0.5"),
            part("timestamp_granularities[]", "word"),
            part("timestamp_granularities[]", "segment"),
            format!("--B|Content-Disposition: form-data; name=\"file\"; {file}--B--|"),
        ];
        assert_eq!(body, expected.concat());
    }
}
