//! Image generation and edits of images in OpenAI's format: the request, and the answer of a provider.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::body::{read_parameters, refuse_parameter};
use crate::parameters::{IMAGES, Parameters};
use crate::tokens;
use crate::upload::UploadedFile;
use domain::image::{ImageSize, PictureFormat};
use domain::provider::UpstreamApi;
use domain::usage::Tokens;
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 5] = ["model", "prompt", "n", "size", "response_format"];
/// The parameters of edits that are numbers, which a form has as texts.
pub const NUMBERS: [&str; 3] = ["n", "output_compression", "partial_images"];
const MAX_EDITED: usize = 16;
/// A picture of the highest fidelity.
const MOST_TOKENS_PER_PICTURE: u64 = 7_000;
const MAX_PROMPT_CHARS: usize = 4_096;
const MAX_IMAGES: u64 = 4;
/// The maximum size of a request, which is stored in the item of its job.
const MAX_BYTES: usize = 32 * 1024;

/// A validated request. `model` names the model; OpenAI's SDKs send it instead of `preset`.
#[derive(Clone, Debug)]
pub struct ImageRequest {
    body: Map<String, Value>,
}

/// The pictures that a request edits.
#[derive(Clone, Debug)]
pub struct EditSources {
    pub pictures: Vec<UploadedFile>,
    /// A picture whose transparent parts are edited.
    pub mask: Option<UploadedFile>,
}

/// A provider's answer.
#[derive(Debug)]
pub struct ImageAnswer {
    pub pictures: Vec<Picture>,
    pub usage: Option<Tokens>,
}

/// A generated picture, as a file.
#[derive(Debug)]
pub struct Picture {
    pub content: Bytes,
    pub format: PictureFormat,
    /// The prompt that the provider used instead of the client's.
    pub revised_prompt: Option<String>,
}

impl EditSources {
    /// Checks the files of a form, and gives them the content types of their formats.
    pub fn read(pictures: Vec<UploadedFile>, mask: Option<UploadedFile>) -> Result<Self> {
        if !(1..=MAX_EDITED).contains(&pictures.len()) {
            return Err(Error::invalid_body("image", "must be 1 to 16 files, in parts named image or image[]"));
        }
        let pictures = pictures.into_iter().map(|picture| check_picture("image", picture)).collect::<Result<_>>()?;
        let mask = mask.map(|mask| check_picture("mask", mask)).transpose()?;
        Ok(Self { pictures, mask })
    }

    /// The maximum tokens that a provider may count for the pictures.
    pub fn greatest_input(&self) -> u64 {
        MOST_TOKENS_PER_PICTURE * (self.pictures.len() + usize::from(self.mask.is_some())) as u64
    }
}

fn check_picture(field: &str, mut picture: UploadedFile) -> Result<UploadedFile> {
    let format = PictureFormat::of(&picture.content);
    let format = format.ok_or_else(|| Error::invalid_body(field, "must be a PNG, JPEG or WebP file"))?;
    picture.content_type = Some(format.content_type().to_owned());
    Ok(picture)
}

impl ImageRequest {
    /// Reads the parameters of an edit, which a form has as texts.
    pub fn read_edit(mut body: Value) -> Result<Self> {
        if body.get("stream").is_some_and(|stream| stream == "false") {
            body["stream"] = false.into();
        }
        Self::read(body)
    }

    pub fn read(body: Value) -> Result<Self> {
        let mut body = read_parameters(body, &["n"])?;
        let bytes = serde_json::to_vec(&body).map_err(Error::internal)?.len();
        if bytes > MAX_BYTES {
            return Err(Error::invalid_body("", format_args!("{bytes} bytes, the maximum is {MAX_BYTES}")));
        }
        read_model(&mut body)?;
        Self::checked(body)
    }

    /// The request for pictures of the platform itself.
    pub fn new(model: &str, prompt: &str, n: Option<u32>, size: Option<&str>) -> Result<Self> {
        let mut body = Map::from_iter([("prompt".to_owned(), prompt.into()), ("model".to_owned(), model.into())]);
        body.extend(n.map(|n| ("n".to_owned(), n.into())));
        body.extend(size.map(|size| ("size".to_owned(), size.into())));
        Self::checked(body)
    }

    fn checked(mut body: Map<String, Value>) -> Result<Self> {
        let prompt_chars = body.get("prompt").and_then(Value::as_str).map_or(0, |prompt| prompt.chars().count());
        if !(1..=MAX_PROMPT_CHARS).contains(&prompt_chars) {
            return Err(Error::invalid_body("prompt", "must be a text of 1 to 4096 characters"));
        }
        if !body.get("n").is_none_or(|n| n.as_u64().is_some_and(|n| (1..=MAX_IMAGES).contains(&n))) {
            return Err(Error::invalid_body("n", "must be an integer from 1 to 4"));
        }
        let is_size =
            |size: &Value| size.as_str().is_some_and(|size| size == "auto" || size.parse::<ImageSize>().is_ok());
        if !body.get("size").is_none_or(is_size) {
            let (min, max) = (ImageSize::MIN_SIDE, ImageSize::MAX_SIDE);
            let problem =
                format_args!("must be auto, or the width and height in pixels, such as 1024x1024; {min} to {max} each");
            return Err(Error::invalid_body("size", problem));
        }
        match body.get("response_format").map(Value::as_str) {
            None | Some(Some("url" | "b64_json")) => {}
            Some(_) => return Err(Error::invalid_body("response_format", "must be url or b64_json")),
        }
        match body.remove("stream") {
            None | Some(Value::Bool(false)) => Ok(Self { body }),
            Some(_) => {
                let problem = "images are not streamed; leave stream out, or send the header Prefer: respond-async to \
                               get a job at once";
                Err(refuse_parameter("stream", problem))
            }
        }
    }

    /// The request of a job, whose body was validated when the job was created.
    pub fn of_job(body: Map<String, Value>) -> Self {
        Self { body }
    }

    pub fn into_body(self) -> Map<String, Value> {
        self.body
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    /// The rules for the parameters. All providers of images have OpenAI's.
    pub fn parameters(&self) -> Parameters<'_> {
        Parameters::new(&IMAGES, &VALIDATED, &self.body, UpstreamApi::OpenAi, "")
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn prompt(&self) -> &str {
        self.body.get("prompt").and_then(Value::as_str).unwrap_or_default()
    }

    /// The number of images.
    pub fn n(&self) -> u64 {
        self.body.get("n").and_then(Value::as_u64).unwrap_or(1)
    }

    /// The size. None if the provider is to choose it.
    pub fn size(&self) -> Option<ImageSize> {
        match self.body.get("size").and_then(Value::as_str) {
            None => Some(ImageSize::DEFAULT),
            Some(size) => size.parse().ok(),
        }
    }

    /// Whether the client wants the pictures in the answer, instead of their URLs.
    pub fn wants_base64(&self) -> bool {
        self.body.get("response_format").is_some_and(|format| format == "b64_json")
    }

    /// The maximum tokens that a provider may count for the prompt.
    pub fn greatest_input(&self) -> u64 {
        tokens::count(self.prompt()) + tokens::PER_MESSAGE
    }
}

/// Reads the name of the model from `preset` or `model`, and stores it as `model`.
fn read_model(body: &mut Map<String, Value>) -> Result<()> {
    let name = match (body.remove("preset"), body.get("model")) {
        (Some(preset), Some(model)) if preset != *model => {
            return Err(Error::invalid_body("preset", "must equal `model`; send only one of them"));
        }
        (Some(preset), _) => preset,
        (None, model) => model.cloned().unwrap_or_default(),
    };
    if name.as_str().is_none_or(str::is_empty) {
        return Err(Error::invalid_body("preset", "must be the name of an image model or of an alias"));
    }
    body.insert("model".to_owned(), name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn preset_and_model_name_the_same_model() {
        for body in [
            json!({"preset": "m", "prompt": "a cat"}),
            json!({"model": "m", "prompt": "a cat"}),
            json!({"preset": "m", "model": "m", "prompt": "a cat", "n": 1.0, "size": null, "stream": false}),
        ] {
            let request = ImageRequest::read(body).unwrap();
            assert_eq!((request.model(), request.n(), request.size()), ("m", 1, Some(ImageSize::DEFAULT)));
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let with = |name: &str, value: Value| {
            let mut body = json!({"preset": "m", "prompt": "a cat"});
            body[name] = value;
            match ImageRequest::read(body).unwrap_err() {
                Error::InvalidBody { field, .. } => field,
                Error::Provider { param, .. } => param.unwrap_or_default(),
                other => panic!("{other:?}"),
            }
        };
        for (name, value) in [
            ("preset", json!("")),
            ("preset", json!(7)),
            ("prompt", json!("")),
            ("prompt", json!("é".repeat(4_097))),
            ("n", json!(0)),
            ("n", json!(5)),
            ("n", json!("1")),
            ("size", json!("1024")),
            ("size", json!("10000x10000")),
            ("response_format", json!("png")),
            ("stream", json!(true)),
        ] {
            assert_eq!(with(name, value.clone()), name, "{name}: {value}");
        }
        assert_eq!(with("model", json!("other")), "preset");
        assert_eq!(with("user", json!("x".repeat(MAX_BYTES))), "");
        let longest = json!({"preset": "m", "prompt": "é".repeat(4_096)});
        assert!(ImageRequest::read(longest).is_ok());
    }
}
