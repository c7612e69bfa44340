//! The bodies of image generation.

use domain::id::ImageJobId;
use domain::usd::Usd;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
pub struct ImageHeaders {
    /// `respond-async` answers with the job at once
    #[param(rename = "Prefer", nullable = false, example = "respond-async")]
    prefer: Option<String>,
}

/// The crate `gateway` parses the request and forwards the other parameters of OpenAI, such as `quality` and `style`.
#[derive(Serialize, ToSchema)]
#[schema(as = ImageGeneration)]
pub struct ImageGenerationIn {
    /// The name of an image model in the catalog, or a public alias. OpenAI's name for this parameter, `model`, works too.
    #[schema(example = "dev-image")]
    preset: String,
    #[schema(min_length = 1, max_length = 4096, example = "A red fox in the snow")]
    prompt: String,
    #[schema(minimum = 1, maximum = 4, default = 1)]
    n: Option<u32>,
    /// The width and height in pixels, or `auto` for the choice of the provider. Each model has its own sizes.
    #[schema(default = "1024x1024", pattern = "^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$")]
    size: Option<String>,
    /// `url`: the images are URLs that are valid for an hour. `b64_json`: the images are in the answer.
    #[schema(default = "url")]
    response_format: Option<PictureFormIn>,
    /// Images are not streamed: `true` is refused with `parameter_not_supported`. Send the header `Prefer: respond-async`
    /// to get a job at once.
    #[schema(default = false)]
    stream: Option<bool>,
}

/// A form with pictures. Other parameters of OpenAI, such as `quality`, `background` and `output_format`, are forwarded.
#[derive(Serialize, ToSchema)]
#[schema(as = ImageEditForm)]
pub struct ImageEditIn {
    /// The pictures: PNG, JPEG or WebP files. Several are in parts named `image[]`
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 16)]
    image: Vec<String>,
    /// A picture whose transparent parts show what is to be edited
    #[schema(value_type = Option<String>, format = Binary)]
    mask: Option<String>,
    /// The name of a model with the capability `image_edits`, or a public alias
    #[schema(example = "dev-image")]
    model: String,
    #[schema(min_length = 1, max_length = 4096, example = "Give the fox a hat")]
    prompt: String,
    #[schema(minimum = 1, maximum = 4, default = 1)]
    n: Option<u32>,
    /// The width and height in pixels, or `auto`. The provider chooses by default
    #[schema(pattern = "^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$")]
    size: Option<String>,
    /// `url`: the images are URLs that are valid for an hour. `b64_json`: the images are in the answer
    #[schema(default = "url")]
    response_format: Option<PictureFormIn>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PictureForm)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "used only for the OpenAPI document")]
enum PictureFormIn {
    Url,
    B64Json,
}

/// Generated images.
#[derive(Serialize, ToSchema)]
#[schema(as = Images)]
pub struct ImagesOut {
    /// The time of the request, in Unix seconds.
    pub created: i64,
    pub data: Vec<ImageOut>,
    pub usage: ImageUsageOut,
}

/// A generated image, as a URL or as base64.
#[derive(Serialize, ToSchema)]
#[schema(as = Image)]
pub struct ImageOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub b64_json: Option<String>,
    /// The prompt that the provider used instead of the given one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub revised_prompt: Option<String>,
}

/// The usage of image generation. Only some models are paid by token.
#[derive(Serialize, ToSchema)]
#[schema(as = ImageUsage)]
pub struct ImageUsageOut {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
    /// US dollars
    pub cost: Usd,
}

/// A job that has been started.
#[derive(Serialize, ToSchema)]
#[schema(as = StartedImageJob)]
pub struct StartedImageJobOut {
    #[schema(value_type = String, example = "job_01980000000070008000000000000001")]
    pub job_id: ImageJobId,
    pub status: &'static str,
}

/// A job that generates images.
#[derive(Serialize, ToSchema)]
#[schema(as = ImageJob)]
pub struct ImageJobOut {
    #[schema(value_type = String)]
    pub job_id: ImageJobId,
    /// `queued`, `running`, `succeeded` or `failed`
    pub status: &'static str,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(required, format = DateTime)]
    pub finished_at: Option<String>,
    #[schema(required)]
    pub result: Option<ImagesOut>,
    #[schema(required)]
    pub error: Option<ImageErrorOut>,
}

/// Why a job failed.
#[derive(Serialize, ToSchema)]
#[schema(as = ImageError)]
pub struct ImageErrorOut {
    pub code: String,
    pub message: String,
    /// The parameter that caused the error.
    #[schema(required)]
    pub param: Option<String>,
}
