//! Forms with files (`multipart/form-data`), as clients send them and as providers get them.

use reqwest::RequestBuilder;

use crate::provider::RecordedRequest;

/// A form. Its boundary is chosen by the test, because each request of a client has another one.
#[derive(Clone, Debug)]
pub struct TestForm {
    boundary: String,
    body: Vec<u8>,
}

impl Default for TestForm {
    fn default() -> Self {
        Self::with_boundary("edge-of-a-part")
    }
}

impl TestForm {
    pub fn with_boundary(boundary: &str) -> Self {
        Self { boundary: boundary.to_owned(), body: Vec::new() }
    }

    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        self.part(&format!("name=\"{name}\""), value.as_bytes())
    }

    #[must_use]
    pub fn file(self, name: &str, file_name: &str, content: &[u8]) -> Self {
        self.part(&format!("name=\"{name}\"; filename=\"{file_name}\""), content)
    }

    fn part(mut self, headers: &str, content: &[u8]) -> Self {
        let head = format!("--{}\r\nContent-Disposition: form-data; {headers}\r\n\r\n", self.boundary);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    pub fn bytes(&self) -> Vec<u8> {
        [&self.body[..], format!("--{}--\r\n", self.boundary).as_bytes()].concat()
    }

    pub fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("content-type", self.content_type()).body(self.bytes())
    }
}

/// A part of a form that a provider got: its name, the name of its file, and its content.
#[derive(Debug, PartialEq, Eq)]
pub struct ReceivedPart {
    pub name: String,
    pub file_name: Option<String>,
    pub content: Vec<u8>,
}

impl RecordedRequest {
    /// The parts of a form, in their order.
    pub fn parts(&self) -> Vec<ReceivedPart> {
        let content_type = self.headers["content-type"].to_str().unwrap();
        let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let body = self.raw.strip_suffix(format!("--{boundary}--\r\n").as_bytes()).unwrap();
        let mark = format!("--{boundary}\r\n");
        let mut starts = Vec::new();
        for at in 0..body.len() {
            if body[at..].starts_with(mark.as_bytes()) {
                starts.push(at);
            }
        }
        let ends = starts.iter().skip(1).copied().chain([body.len()]);
        starts.iter().zip(ends).map(|(start, end)| read_part(&body[start + mark.len()..end])).collect()
    }
}

fn read_part(part: &[u8]) -> ReceivedPart {
    let head = part.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let headers = String::from_utf8(part[..head].to_vec()).unwrap();
    let value = |name: &str| {
        let (_, rest) = headers.split_once(&format!("; {name}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let content = part[head + 4..].strip_suffix(b"\r\n").unwrap().to_vec();
    ReceivedPart { name: value("name").unwrap(), file_name: value("filename"), content }
}
