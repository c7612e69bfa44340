//! The extractor of forms with files (`multipart/form-data`).

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures::{StreamExt, stream};
use multer::{Multipart, parse_boundary};
use ring::digest::{Context, SHA256};

use crate::Result;
use crate::extract::{ApiError, encode_hash, read_request};
use domain::Error;

/// Each chosen option of a form is a part. Forms of OpenAI's API have at most about 30.
const MAX_PARTS: usize = 1_000;
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// A form with files, within the maximum size of a body. Its parts keep their order.
#[derive(Debug)]
pub struct Form(pub Vec<Part>);

/// A part of a form: a file if it has a file name, else a text.
#[derive(Debug)]
pub struct Part {
    pub name: String,
    pub file_name: Option<String>,
    pub content_type: Option<String>,
    pub content: Bytes,
}

impl Part {
    /// The value of a part that is not a file.
    pub fn text(&self) -> domain::Result<&str> {
        if self.file_name.is_some() {
            return Err(Error::invalid_body(&self.name, "must be a text, not a file"));
        }
        str::from_utf8(&self.content).map_err(|_| Error::invalid_body(&self.name, "must be UTF-8"))
    }
}

impl Form {
    /// The form in a body with these headers.
    pub async fn read(headers: &HeaderMap, body: Bytes) -> domain::Result<Self> {
        Ok(Self(read_parts(body, boundary_of(headers)?).await?))
    }

    /// The hash of the parts, by which a retry of the same request is recognized. Clients choose another boundary for each request,
    /// so it is not that of the body. `operation` tells routes apart that take the same form.
    pub fn hash(&self, operation: &str) -> String {
        let mut context = Context::new(&SHA256);
        context.update(operation.as_bytes());
        for Part { name, file_name, content_type, content } in &self.0 {
            let texts = [Some(name), file_name.as_ref(), content_type.as_ref()];
            for field in texts.map(|text| text.map(String::as_bytes)).into_iter().chain([Some(&content[..])]) {
                // The lengths separate the fields.
                context.update(&field.map_or(u64::MAX, |field| field.len() as u64).to_le_bytes());
                context.update(field.unwrap_or_default());
            }
        }
        encode_hash(&context.finish())
    }

    /// Removes the parts of this name: `image` also finds `image[]`, as some clients name the elements of a list.
    pub fn take_all(&mut self, name: &str) -> Vec<Part> {
        let is_named = |part: &mut Part| part.name == name || part.name.strip_suffix("[]") == Some(name);
        self.0.extract_if(.., is_named).collect()
    }

    /// Removes the only part of this name, if there is one.
    pub fn take(&mut self, name: &str) -> domain::Result<Option<Part>> {
        let mut parts = self.take_all(name);
        match parts.len() {
            0 | 1 => Ok(parts.pop()),
            _ => Err(Error::invalid_body(name, "must be sent once")),
        }
    }

    /// Removes the only file of this name.
    pub fn take_file(&mut self, name: &str) -> domain::Result<Part> {
        let file = self.take(name)?.ok_or_else(|| Error::invalid_body(name, "is required"))?;
        match file.file_name {
            Some(_) => Ok(file),
            None => Err(Error::invalid_body(name, "must be a file, with a file name")),
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let boundary = boundary_of(request.headers())?;
        let body = read_request(request).await?;
        Ok(Self(read_parts(body, boundary).await?))
    }
}

/// What separates the parts of a form.
fn boundary_of(headers: &HeaderMap) -> domain::Result<String> {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    parse_boundary(declared).map_err(|_| Error::NotAForm)
}

async fn read_parts(body: Bytes, boundary: String) -> domain::Result<Vec<Part>> {
    let pieces = stream::iter([Ok::<_, std::convert::Infallible>(body)]).fuse();
    let mut form = Multipart::new(pieces, boundary);
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(malformed)? {
        if parts.len() == MAX_PARTS {
            return Err(Error::invalid_body("", format_args!("has more than {MAX_PARTS} parts; send fewer")));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let (file_name, content_type) =
            (field.file_name().map(str::to_owned), field.content_type().map(ToString::to_string));
        let content = field.bytes().await.map_err(malformed)?;
        if file_name.is_none() && content.len() > MAX_TEXT_BYTES {
            return Err(Error::invalid_body(name, format_args!("is longer than {MAX_TEXT_BYTES} bytes")));
        }
        parts.push(Part { name, file_name, content_type, content });
    }
    Ok(parts)
}

fn malformed(error: multer::Error) -> Error {
    tracing::debug!(?error, "a form is malformed");
    Error::invalid_body(
        "",
        "is not a whole multipart form: its parts must be separated by the boundary of Content-Type",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(body: &[u8]) -> domain::Result<Vec<Part>> {
        read_parts(Bytes::copy_from_slice(body), "edge".to_owned()).await
    }

    fn part(headers: &str, content: &str) -> String {
        format!("--edge\r\nContent-Disposition: form-data; {headers}\r\n\r\n{content}\r\n")
    }

    #[tokio::test]
    async fn a_form_has_its_texts_and_files_in_order() {
        let mut body = part("name=\"model\"", "small").into_bytes();
        body.extend(
            part("name=\"image[]\"; filename=\"a.png\"\r\nContent-Type: image/png", "\r\n--edg\0").into_bytes(),
        );
        body.extend(part("name=\"image[]\"; filename=\"b.png\"", "").into_bytes());
        body.extend(b"--edge--\r\n");
        let mut form = Form(read(&body).await.unwrap());
        let model = form.take("model").unwrap().unwrap();
        assert_eq!((model.text().unwrap(), form.0.len()), ("small", 2));
        let problem = form.0[0].text().unwrap_err().to_string();
        assert!(problem.contains("must be a text"), "{problem}");
        let images = form.take_all("image");
        assert_eq!(images[0].content, "\r\n--edg\0");
        assert_eq!(images[0].content_type.as_deref(), Some("image/png"));
        assert_eq!((images[1].file_name.as_deref(), images[1].content.len()), (Some("b.png"), 0));
        assert!(form.0.is_empty() && form.take("model").unwrap().is_none());
    }

    #[tokio::test]
    async fn the_hash_depends_on_the_parts_and_not_on_the_boundary() {
        let hash = async |body: String, boundary: &str| {
            Form(read_parts(body.into(), boundary.to_owned()).await.unwrap()).hash("edit")
        };
        let body = |file: &str| part(&format!("name=\"file\"{file}"), "1") + "--edge--";
        let first = hash(body(""), "edge").await;
        assert_eq!(hash(body("").replace("--edge", "--other"), "other").await, first);
        assert_eq!(first.len(), 22);
        assert_ne!(hash(body("; filename=\"a\""), "edge").await, first);
        assert_ne!(hash(part("name=\"fil\"", "e1") + "--edge--", "edge").await, first);
    }

    #[tokio::test]
    async fn malformed_and_doubled_parts_are_refused() {
        for body in ["", "--edge", &part("name=\"model\"", "cut")[..20], &part("name=\"model\"", "no end")] {
            assert!(read(body.as_bytes()).await.unwrap_err().to_string().contains("whole multipart form"), "{body:?}");
        }
        let many = part("name=\"n\"", "1").repeat(MAX_PARTS + 1) + "--edge--";
        assert!(read(many.as_bytes()).await.unwrap_err().to_string().contains("more than 1000 parts"));
        let twice = part("name=\"file\"", "1").repeat(2) + "--edge--";
        let mut form = Form(read(twice.as_bytes()).await.unwrap());
        assert!(form.take("file").unwrap_err().to_string().contains("must be sent once"));
        let text = part("name=\"file\"", "1") + "--edge--";
        let mut form = Form(read(text.as_bytes()).await.unwrap());
        assert!(form.take_file("file").unwrap_err().to_string().contains("must be a file"));
        assert!(form.take_file("file").unwrap_err().to_string().contains("required"));
    }
}
