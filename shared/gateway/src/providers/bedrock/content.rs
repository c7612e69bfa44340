//! The content blocks of Converse's messages.

use aws_sdk_bedrockruntime::error::BuildError;
use aws_sdk_bedrockruntime::primitives::Blob;
use aws_sdk_bedrockruntime::types::{
    CachePointBlock, CachePointType, CacheTtl, ContentBlock, DocumentBlock, DocumentFormat, DocumentSource, ImageBlock,
    ImageFormat, ImageSource, ReasoningContentBlock, ReasoningTextBlock, ToolResultBlock, ToolResultContentBlock,
    ToolUseBlock,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::{MAKER, document};
use crate::chat::{ChatRole, ContentPart, Message};
use crate::failure::ProviderFailure;
use crate::providers::conversation::{BLANK, Media, arguments, invalid_request, media, unsupported_part};
use domain::chat::{CacheMark, FilePart, Reasoning, Vendor};

const MAX_NAME_CHARS: usize = 200;

/// `caches` is whether the model takes marks of the cache.
pub fn blocks(message: &Message, caches: bool) -> Result<Vec<ContentBlock>, ProviderFailure> {
    let mut blocks = Vec::with_capacity(message.parts.len());
    if message.role == ChatRole::Tool {
        blocks.push(ContentBlock::ToolResult(result(message)?));
    }
    for part in &message.parts {
        match part {
            ContentPart::CacheMark(mark) if caches => blocks.push(ContentBlock::CachePoint(cache_point(mark)?)),
            ContentPart::CacheMark(_) => {}
            _ if message.role == ChatRole::Tool => {}
            ContentPart::Reasoning(it) => blocks.extend(reasoning(it)?.map(ContentBlock::ReasoningContent)),
            ContentPart::Text(text) => blocks.push(ContentBlock::Text(text.clone())),
            ContentPart::Image(url) => blocks.push(ContentBlock::Image(image(url)?)),
            ContentPart::File(file) => blocks.push(ContentBlock::Document(document(file)?)),
            ContentPart::Audio(_) | ContentPart::Other(_) => return Err(unsupported_part(MAKER, part)),
        }
    }
    for call in &message.tool_calls {
        let input = document::from_json(&arguments(call)?);
        let block = ToolUseBlock::builder().tool_use_id(&call.id).name(&call.name).input(input);
        blocks.push(ContentBlock::ToolUse(block.build().map_err(incomplete)?));
    }
    Ok(blocks)
}

fn result(message: &Message) -> Result<ToolResultBlock, ProviderFailure> {
    let mut content = Vec::new();
    for part in &message.parts {
        content.push(match part {
            ContentPart::Text(text) => ToolResultContentBlock::Text(text.clone()),
            ContentPart::Image(url) => ToolResultContentBlock::Image(image(url)?),
            ContentPart::File(file) => ToolResultContentBlock::Document(document(file)?),
            ContentPart::CacheMark(_) | ContentPart::Reasoning(_) => continue,
            ContentPart::Audio(_) | ContentPart::Other(_) => return Err(unsupported_part(MAKER, part)),
        });
    }
    if content.is_empty() {
        content.push(ToolResultContentBlock::Text(BLANK.to_owned()));
    }
    let result = ToolResultBlock::builder().set_tool_use_id(message.tool_call_id.clone()).set_content(Some(content));
    result.build().map_err(incomplete)
}

pub fn cache_point(mark: &CacheMark) -> Result<CachePointBlock, ProviderFailure> {
    let ttl = mark.is_for_an_hour().then_some(CacheTtl::OneHour);
    CachePointBlock::builder().r#type(CachePointType::Default).set_ttl(ttl).build().map_err(incomplete)
}

/// The reasoning of a model of Anthropic, which is the only one that signs it on Bedrock.
fn reasoning(reasoning: &Reasoning) -> Result<Option<ReasoningContentBlock>, ProviderFailure> {
    let Some(opaque) = reasoning.opaque().filter(|opaque| opaque.vendor == Vendor::Anthropic) else { return Ok(None) };
    Ok(Some(match reasoning {
        Reasoning::Text { text, .. } => {
            let block = ReasoningTextBlock::builder().text(text).signature(&opaque.data);
            ReasoningContentBlock::ReasoningText(block.build().map_err(incomplete)?)
        }
        Reasoning::Encrypted(_) => ReasoningContentBlock::RedactedContent(decode(&opaque.data)?),
    }))
}

fn image(url: &str) -> Result<ImageBlock, ProviderFailure> {
    let Media::Inline { media_type, base64 } = media(url)? else {
        return Err(ProviderFailure::unsupported("messages", "Bedrock does not fetch images; send them as data: URLs"));
    };
    let format = match media_type {
        "image/png" => ImageFormat::Png,
        "image/jpeg" | "image/jpg" => ImageFormat::Jpeg,
        "image/gif" => ImageFormat::Gif,
        "image/webp" => ImageFormat::Webp,
        other => return Err(unreadable(other)),
    };
    ImageBlock::builder().format(format).source(ImageSource::Bytes(decode(base64)?)).build().map_err(incomplete)
}

fn document(file: &FilePart) -> Result<DocumentBlock, ProviderFailure> {
    let Media::Inline { media_type, base64 } = media(&file.url)? else {
        return Err(ProviderFailure::unsupported("messages", "Bedrock does not fetch files; send them as data: URLs"));
    };
    let format = match media_type {
        "application/pdf" => DocumentFormat::Pdf,
        "text/csv" => DocumentFormat::Csv,
        "text/html" => DocumentFormat::Html,
        "text/markdown" => DocumentFormat::Md,
        "text/plain" => DocumentFormat::Txt,
        "application/msword" => DocumentFormat::Doc,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => DocumentFormat::Docx,
        "application/vnd.ms-excel" => DocumentFormat::Xls,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => DocumentFormat::Xlsx,
        other => return Err(unreadable(other)),
    };
    let source = DocumentSource::Bytes(decode(base64)?);
    DocumentBlock::builder().format(format).name(name(file)).source(source).build().map_err(incomplete)
}

/// A name of a document may have only letters, digits, hyphens, brackets and single spaces.
fn name(file: &FilePart) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-()[]".contains(c) { c } else { ' ' };
    let name: String = file.name.iter().flat_map(|name| name.chars()).take(MAX_NAME_CHARS).map(allowed).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "document".to_owned() } else { name }
}

/// Creates the failure for a request that lacks a field the SDK requires.
pub fn incomplete(cause: BuildError) -> ProviderFailure {
    invalid_request("messages", cause)
}

fn decode(base64: &str) -> Result<Blob, ProviderFailure> {
    BASE64_STANDARD.decode(base64).map(Blob::new).map_err(|cause| invalid_request("messages", cause))
}

fn unreadable(media_type: &str) -> ProviderFailure {
    ProviderFailure::unsupported("messages", format_args!("Bedrock does not read {media_type}"))
}
