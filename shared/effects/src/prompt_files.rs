//! Files as parts of a prompt, for models that can read them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use documents::File;
use domain::chat::{AudioPart, ContentPart, FilePart};
use domain::run::StepError;
use engine::drive::EffectError;
use serde_json::Value;

use crate::errors::permanent;

const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Types of texts whose names do not begin with `text/`.
const TEXTS: [&str; 3] = ["application/json", "application/xml", "application/yaml"];
const PDF: &str = "application/pdf";

pub fn is_image(media_type: &str) -> bool {
    IMAGES.contains(&media_type)
}

pub fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || TEXTS.contains(&media_type)
}

pub fn to_image(media_type: &str, content: &[u8]) -> ContentPart {
    ContentPart::Image(data_url(media_type, content))
}

/// The parts for the value of `files`: a list of files and of URLs of images.
pub fn read(files: &Value) -> Result<Vec<ContentPart>, EffectError> {
    let invalid =
        |field: String, problem: String| permanent(StepError::new("file_invalid", format!("{field}: {problem}")));
    let Some(files) = files.as_array() else {
        return Err(invalid("config.files".to_owned(), "must be a list of files".to_owned()));
    };
    let read = |(index, file)| to_part(file).map_err(|problem| invalid(format!("config.files[{index}]"), problem));
    files.iter().enumerate().map(read).collect()
}

fn to_part(file: &Value) -> Result<ContentPart, String> {
    if let Some(url) = file.as_str() {
        let is_url = ["https://", "http://", "data:image/"].iter().any(|start| url.starts_with(start));
        return if is_url { Ok(ContentPart::Image(url.to_owned())) } else { Err("must be a file or a URL".to_owned()) };
    }
    let file = File::from_value(file.clone())?;
    let (named, name) = (file.media_type(), file.name.clone());
    let content = file.into_bytes();
    // Many servers send every file with this type.
    let named = named.filter(|named| named != "application/octet-stream");
    let media_type = named.or_else(|| recognize(&content).map(str::to_owned)).unwrap_or_default();
    match media_type.as_str() {
        media_type if is_image(media_type) => Ok(to_image(media_type, &content)),
        PDF => Ok(ContentPart::File(FilePart { url: data_url(PDF, &content), name })),
        "audio/mpeg" | "audio/mp3" => Ok(to_audio("mp3", &content)),
        "audio/wav" | "audio/x-wav" | "audio/wave" => Ok(to_audio("wav", &content)),
        media_type if is_text(media_type) => {
            let title = name.map(|name| format!("[{name}]\n")).unwrap_or_default();
            Ok(ContentPart::Text(format!("{title}{}", String::from_utf8_lossy(&content))))
        }
        "" => Err("its type is not known; set `contentType`".to_owned()),
        other => Err(format!("a model reads no file of the type {other}; use an image, a PDF, a text, MP3 or WAV")),
    }
}

fn to_audio(format: &str, content: &[u8]) -> ContentPart {
    ContentPart::Audio(AudioPart { format: format.to_owned(), base64: BASE64_STANDARD.encode(content) })
}

fn data_url(media_type: &str, content: &[u8]) -> String {
    format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(content))
}

/// The type of a file by its first bytes, or of a text.
fn recognize(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        [b'I', b'D', b'3', ..] | [0xFF, 0xF2 | 0xF3 | 0xFA | 0xFB, ..] => Some("audio/mpeg"),
        [b'%', b'P', b'D', b'F', ..] => Some(PDF),
        content => str::from_utf8(content).is_ok().then_some("text/plain"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_become_the_parts_that_models_read() {
        let png = "iVBORw0KGgo=";
        let parts = read(&json!([
            {"base64": png, "contentType": "image/png"},
            {"base64": png, "contentType": "application/octet-stream", "name": "a.bin"},
            "https://example.com/a.png",
            {"base64": "JVBERi0xLjc=", "contentType": "application/pdf; x=y", "name": "a.pdf"},
            {"base64": "SUQz", "contentType": "audio/mpeg"},
            {"text": "a", "contentType": "text/plain", "name": "a.txt"},
        ]));
        let image = ContentPart::Image(format!("data:image/png;base64,{png}"));
        let pdf =
            FilePart { url: "data:application/pdf;base64,JVBERi0xLjc=".to_owned(), name: Some("a.pdf".to_owned()) };
        assert_eq!(
            parts.unwrap(),
            [
                image.clone(),
                image,
                ContentPart::Image("https://example.com/a.png".to_owned()),
                ContentPart::File(pdf),
                ContentPart::Audio(AudioPart { format: "mp3".to_owned(), base64: "SUQz".to_owned() }),
                ContentPart::Text("[a.txt]\na".to_owned()),
            ]
        );
    }

    #[test]
    fn what_no_model_reads_is_refused_with_its_place() {
        for (files, problem) in [
            (json!({}), "config.files: must be a list"),
            (json!(["a.png"]), "config.files[0]: must be a file or a URL"),
            (json!(["https://a.example", null]), "config.files[1]: must be a file"),
            (json!([{"base64": "AAAA/w==", "contentType": "video/mp4"}]), "of the type video/mp4"),
            (json!([{"base64": "AAAA/w=="}]), "its type is not known"),
        ] {
            let error = read(&files).unwrap_err().error;
            assert_eq!(error.code, "file_invalid");
            assert!(error.message.contains(problem), "{}", error.message);
        }
    }
}
