//! Edits of images, and generated images, which answers have as base64 or as URLs.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::future::try_join_all;
use serde::Deserialize;
use serde_json::Value;

use crate::body::others;
use crate::failure::ProviderFailure;
use crate::images::{EditSources, ImageAnswer, ImageRequest, Picture};
use crate::providers::count;
use crate::providers::endpoint::Endpoint;
use crate::providers::multipart::MultipartForm;
use crate::providers::status::failure_in_answer;
use domain::image::PictureFormat;
use domain::usage::Tokens;

/// Pictures are at most a few megabytes.
const MAX_PICTURE_BYTES: usize = 32 << 20;

/// The parameters as the client sent them, with the provider's name of the model, and the pictures.
pub fn edit_form(model: &str, request: &ImageRequest, EditSources { pictures, mask }: &EditSources) -> MultipartForm {
    let mut form = MultipartForm::new();
    form.add("model", &model.into());
    others(request.body(), &["model", "response_format"]).for_each(|(name, value)| form.add(name, value));
    if takes_response_format(model) {
        form.add("response_format", &"b64_json".into());
    }
    // Some servers know only one picture, without the brackets of a list.
    let name = if pictures.len() == 1 { "image" } else { "image[]" };
    pictures.iter().for_each(|picture| form.add_file(name, picture));
    mask.iter().for_each(|mask| form.add_file("mask", mask));
    form
}

/// Whether the bytes of pictures are requested by the parameter. `gpt-image` models always return them, and refuse it.
pub fn takes_response_format(model: &str) -> bool {
    !model.rsplit('/').next().unwrap_or(model).starts_with("gpt-image")
}

#[derive(Deserialize)]
pub struct AnswerView {
    #[serde(default)]
    data: Vec<Row>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Row {
    b64_json: Option<String>,
    url: Option<String>,
    revised_prompt: Option<String>,
}

pub fn read(body: &[u8]) -> Result<AnswerView, ProviderFailure> {
    let mut answer: AnswerView = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    match answer.error.take() {
        Some(error) => Err(failure_in_answer(&error)),
        None if answer.data.is_empty() => Err(ProviderFailure::malformed_answer("no images")),
        None => Ok(answer),
    }
}

/// Collects the pictures, and downloads those that the answer gives as URLs.
pub async fn collect(endpoint: &Endpoint, answer: AnswerView) -> Result<ImageAnswer, ProviderFailure> {
    let usage = answer.usage.as_ref().and_then(read_usage);
    let pictures = answer.data.into_iter().map(|row| collect_one(endpoint, row));
    Ok(ImageAnswer { pictures: try_join_all(pictures).await?, usage })
}

async fn collect_one(endpoint: &Endpoint, row: Row) -> Result<Picture, ProviderFailure> {
    let content = match (row.b64_json, row.url) {
        (Some(base64), _) => Bytes::from(BASE64_STANDARD.decode(base64).map_err(ProviderFailure::malformed_answer)?),
        (None, Some(url)) => endpoint.download(&url, MAX_PICTURE_BYTES).await?,
        (None, None) => return Err(ProviderFailure::malformed_answer("an image without content")),
    };
    let format = PictureFormat::of(&content);
    let format = format.ok_or_else(|| ProviderFailure::malformed_answer("an image that is not PNG, JPEG or WebP"))?;
    Ok(Picture { content, format, revised_prompt: row.revised_prompt })
}

/// The tokens of models that report them. Others are paid per image.
fn read_usage(usage: &Value) -> Option<Tokens> {
    let (input, output) = (count(&usage["input_tokens"])?, count(&usage["output_tokens"])?);
    Some(Tokens { input, output, ..Tokens::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_empty_answers_fail() {
        assert_eq!(read(br#"{"data":[]}"#).err().unwrap().code, "provider_answer_garbled");
        let refused = read(br#"{"error":{"code":"content_policy_violation","message":"no"}}"#).err().unwrap();
        assert_eq!(refused.code, "content_policy_violation");
    }

    #[test]
    fn usage_is_read_if_it_is_complete() {
        let usage = |text: &str| read_usage(&serde_json::from_str(text).unwrap());
        let tokens = Tokens { input: 50, output: 4_160, ..Tokens::default() };
        assert_eq!(usage(r#"{"input_tokens":50,"output_tokens":4160,"total_tokens":4210}"#), Some(tokens));
        assert_eq!(usage(r#"{"input_tokens":-1,"output_tokens":2}"#), None);
    }
}
