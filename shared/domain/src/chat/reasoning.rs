//! The reasoning ("thinking") of a model. Some providers refuse the next request of a conversation with tools unless the
//! reasoning comes back to them unchanged, with its signature.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A block of reasoning.
#[derive(Clone, Debug, PartialEq)]
pub enum Reasoning {
    Text {
        text: String,
        /// It shows the provider that its model wrote the text.
        signature: Option<Opaque>,
    },
    /// Reasoning that only the provider can read.
    Encrypted(Opaque),
}

/// Data that only the vendor of a model can read. It is never changed, and no other vendor gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opaque {
    pub vendor: Vendor,
    pub data: String,
    /// The id that the vendor gave to the block.
    pub id: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    Anthropic,
    Google,
    OpenAi,
}

/// A piece of streamed reasoning.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasoningDelta {
    /// The place of the block among the blocks of the answer.
    pub index: u32,
    pub piece: ReasoningPiece,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReasoningPiece {
    Text(String),
    /// The signature of the text before it.
    Signature(Opaque),
    Encrypted(Opaque),
}

impl Vendor {
    const ALL: [Self; 3] = [Self::Anthropic, Self::Google, Self::OpenAi];

    /// The name of the format in `reasoning_details`, as the API of `OpenRouter` introduced it.
    fn format(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic-claude-v1",
            Self::Google => "google-gemini-v1",
            Self::OpenAi => "openai-responses-v1",
        }
    }

    /// What marks data of this vendor in a field of any vendor.
    fn prefix(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic/",
            Self::Google => "google/",
            Self::OpenAi => "openai/",
        }
    }
}

impl Opaque {
    pub fn new(vendor: Vendor, data: impl Into<String>) -> Self {
        Self { vendor, data: data.into(), id: None }
    }

    /// The data for a field whose values are those of `owner`. Data of other vendors get a prefix, by which `from_field`
    /// recognizes them when the client sends them back. So does data with an id, which the vendor wants back with it.
    pub fn to_field(&self, owner: Vendor) -> String {
        match &self.id {
            None if self.vendor == owner => self.data.clone(),
            id => format!("{}{}/{}", self.vendor.prefix(), id.as_deref().unwrap_or_default(), self.data),
        }
    }

    pub fn from_field(field: &str, owner: Vendor) -> Self {
        let read = |vendor: Vendor| {
            let (id, data) = field.strip_prefix(vendor.prefix())?.split_once('/')?;
            Some(Self { vendor, data: data.to_owned(), id: (!id.is_empty()).then(|| id.to_owned()) })
        };
        Vendor::ALL.into_iter().find_map(read).unwrap_or_else(|| Self::new(owner, field))
    }
}

impl Reasoning {
    /// The text, which is empty if it is encrypted.
    pub fn text(&self) -> &str {
        match self {
            Self::Text { text, .. } => text,
            Self::Encrypted(_) => "",
        }
    }

    pub fn opaque(&self) -> Option<&Opaque> {
        match self {
            Self::Text { signature, .. } => signature.as_ref(),
            Self::Encrypted(data) => Some(data),
        }
    }

    /// Whether a provider of this vendor accepts the block. A text without a signature is not refused by providers that sign
    /// none.
    pub fn is_of(&self, vendor: Vendor) -> bool {
        self.opaque().is_some_and(|opaque| opaque.vendor == vendor)
    }

    /// Reads the reasoning of a message or a delta in OpenAI's format: `reasoning_details`, or else the plain text in
    /// `reasoning_content` or `reasoning`.
    pub fn read_all(fields: &Map<String, Value>) -> Vec<Self> {
        let mut blocks = Vec::new();
        for ReasoningDelta { piece, .. } in ReasoningDelta::read_all(fields) {
            // A signature belongs to the block before it. All else is a new block.
            let is_signature = matches!(piece, ReasoningPiece::Signature(_));
            let place = if is_signature { blocks.len().saturating_sub(1) } else { blocks.len() };
            Self::add(&mut blocks, ReasoningDelta { index: u32::try_from(place).unwrap_or(u32::MAX), piece });
        }
        blocks
    }

    /// Adds a piece of a stream to the blocks that have arrived.
    pub fn add(blocks: &mut Vec<Self>, ReasoningDelta { index, piece }: ReasoningDelta) {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        match (piece, blocks.get_mut(place)) {
            (ReasoningPiece::Text(more), Some(Self::Text { text, .. })) => text.push_str(&more),
            (ReasoningPiece::Text(text), _) => blocks.push(Self::Text { text, signature: None }),
            (ReasoningPiece::Signature(own), Some(Self::Text { signature, .. })) => *signature = Some(own),
            (ReasoningPiece::Signature(own), _) => {
                blocks.push(Self::Text { text: String::new(), signature: Some(own) });
            }
            (ReasoningPiece::Encrypted(data), _) => blocks.push(Self::Encrypted(data)),
        }
    }

    /// Writes the fields that `read_all` reads.
    pub fn write_all<M: SerializeMap>(blocks: &[Self], map: &mut M) -> Result<(), M::Error> {
        if blocks.is_empty() {
            return Ok(());
        }
        let text: String = blocks.iter().map(Self::text).collect();
        if !text.is_empty() {
            map.serialize_entry("reasoning_content", &text)?;
        }
        if blocks.iter().all(|block| block.opaque().is_none()) {
            return Ok(());
        }
        let details = blocks.iter().enumerate().map(|(index, block)| match block {
            Self::Text { text, signature: None } => json!({"type": "reasoning.text", "text": text, "index": index}),
            Self::Text { text, signature: Some(signature) } => json!({
                "type": "reasoning.text", "text": text, "signature": signature.data, "id": signature.id,
                "format": signature.vendor.format(), "index": index,
            }),
            Self::Encrypted(data) => encrypted(data, index),
        });
        map.serialize_entry("reasoning_details", &details.collect::<Vec<_>>())
    }
}

impl ReasoningDelta {
    pub fn text(index: u32, text: impl Into<String>) -> Self {
        Self { index, piece: ReasoningPiece::Text(text.into()) }
    }

    /// Reads the pieces of a delta in OpenAI's format.
    pub fn read_all(fields: &Map<String, Value>) -> Vec<Self> {
        if let Some(details) = fields.get("reasoning_details").and_then(Value::as_array) {
            return details.iter().enumerate().flat_map(|(place, detail)| Self::read_detail(place, detail)).collect();
        }
        let text = ["reasoning_content", "reasoning"].iter().find_map(|name| fields.get(*name)?.as_str());
        text.filter(|text| !text.is_empty()).map(|text| Self::text(0, text)).into_iter().collect()
    }

    fn read_detail(place: usize, detail: &Value) -> Vec<Self> {
        let index = detail["index"].as_u64().and_then(|index| index.try_into().ok());
        let index = index.unwrap_or_else(|| u32::try_from(place).unwrap_or_default());
        let vendor = Vendor::ALL.into_iter().find(|vendor| detail["format"] == vendor.format());
        // Clients of the first version of the format leave it out, when only Anthropic signed texts.
        let vendor = vendor.or_else(|| detail["format"].is_null().then_some(Vendor::Anthropic));
        let opaque = |name: &str| {
            let id = detail["id"].as_str().map(str::to_owned);
            detail[name]
                .as_str()
                .filter(|data| !data.is_empty())
                .zip(vendor)
                .map(|(data, vendor)| Opaque { id, ..Opaque::new(vendor, data) })
        };
        let text = detail["text"].as_str().or_else(|| detail["summary"].as_str());
        let text = text.filter(|text| !text.is_empty()).map(|text| ReasoningPiece::Text(text.to_owned()));
        let pieces = match detail["type"].as_str() {
            Some("reasoning.encrypted") => [opaque("data").map(ReasoningPiece::Encrypted), None],
            _ => [text, opaque("signature").map(ReasoningPiece::Signature)],
        };
        pieces.into_iter().flatten().map(|piece| Self { index, piece }).collect()
    }

    /// Writes the fields that `read_all` reads.
    pub fn write_all<M: SerializeMap>(pieces: &[Self], map: &mut M) -> Result<(), M::Error> {
        if pieces.is_empty() {
            return Ok(());
        }
        let text: String = pieces.iter().map(Self::as_text).collect();
        if !text.is_empty() {
            map.serialize_entry("reasoning_content", &text)?;
        }
        map.serialize_entry("reasoning_details", pieces)
    }

    pub fn as_text(&self) -> &str {
        match &self.piece {
            ReasoningPiece::Text(text) => text,
            ReasoningPiece::Signature(_) | ReasoningPiece::Encrypted(_) => "",
        }
    }
}

impl Serialize for ReasoningDelta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { index, piece } = self;
        match piece {
            ReasoningPiece::Text(text) => json!({"type": "reasoning.text", "text": text, "index": index}),
            ReasoningPiece::Signature(own) => json!({
                "type": "reasoning.text", "signature": own.data, "id": own.id, "format": own.vendor.format(),
                "index": index,
            }),
            ReasoningPiece::Encrypted(data) => encrypted(data, usize::try_from(*index).unwrap_or_default()),
        }
        .serialize(serializer)
    }
}

fn encrypted(Opaque { vendor, data, id }: &Opaque, index: usize) -> Value {
    json!({"type": "reasoning.encrypted", "data": data, "id": id, "format": vendor.format(), "index": index})
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fields<'a>(&'a [Reasoning]);

    impl Serialize for Fields<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            Reasoning::write_all(self.0, &mut map)?;
            map.end()
        }
    }

    fn read(fields: Value) -> Vec<Reasoning> {
        Reasoning::read_all(fields.as_object().unwrap())
    }

    fn signed(text: &str, vendor: Vendor, data: &str) -> Reasoning {
        Reasoning::Text { text: text.to_owned(), signature: Some(Opaque::new(vendor, data)) }
    }

    #[test]
    fn reasoning_is_written_and_read_again() {
        let with_id = Opaque { id: Some("rs_1".to_owned()), ..Opaque::new(Vendor::OpenAi, "x/y") };
        let blocks = [
            signed("a", Vendor::Anthropic, "s="),
            Reasoning::Encrypted(with_id),
            signed("", Vendor::Google, "t"),
            Reasoning::Text { text: "b".to_owned(), signature: None },
        ];
        let fields = json!(Fields(&blocks));
        assert_eq!(fields["reasoning_content"], "ab");
        assert_eq!(read(fields), blocks);
        let plain = [Reasoning::Text { text: "b".to_owned(), signature: None }];
        assert_eq!(json!(Fields(&plain)), json!({"reasoning_content": "b"}));
        assert_eq!(json!(Fields(&[])), json!({}));
    }

    #[test]
    fn reasoning_of_other_servers_is_read() {
        let text = |text: &str| vec![Reasoning::Text { text: text.to_owned(), signature: None }];
        assert_eq!(read(json!({"reasoning_content": "a", "reasoning": "a"})), text("a"));
        assert_eq!(read(json!({"reasoning": "a"})), text("a"));
        assert_eq!(read(json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "a"}]})), text("a"));
        assert_eq!(read(json!({"reasoning_content": "", "reasoning_details": null})), []);
        let unknown = json!({"reasoning_details": [
            {"type": "reasoning.encrypted", "data": "d", "format": "xai-responses-v1"},
            {"type": "reasoning.text", "text": "a", "signature": "s"},
        ]});
        assert_eq!(read(unknown), [signed("a", Vendor::Anthropic, "s")]);
    }

    #[test]
    fn pieces_are_put_together() {
        let mut blocks = Vec::new();
        let signature = Opaque::new(Vendor::Anthropic, "s");
        for (index, piece) in [
            (0, ReasoningPiece::Text("a".to_owned())),
            (0, ReasoningPiece::Text("b".to_owned())),
            (0, ReasoningPiece::Signature(signature.clone())),
            (1, ReasoningPiece::Encrypted(signature.clone())),
            (2, ReasoningPiece::Signature(signature)),
        ] {
            let delta = ReasoningDelta { index, piece };
            let fields = json!({"reasoning_details": [delta]});
            let read = ReasoningDelta::read_all(fields.as_object().unwrap());
            assert_eq!(read, std::slice::from_ref(&delta));
            Reasoning::add(&mut blocks, delta);
        }
        let encrypted = Reasoning::Encrypted(Opaque::new(Vendor::Anthropic, "s"));
        assert_eq!(blocks, [signed("ab", Vendor::Anthropic, "s"), encrypted, signed("", Vendor::Anthropic, "s")]);
    }

    #[test]
    fn data_of_other_vendors_come_back_from_a_field() {
        for vendor in Vendor::ALL {
            for owner in Vendor::ALL {
                for id in [None, Some("rs_1".to_owned())] {
                    let data = Opaque { id, ..Opaque::new(vendor, "a/b+c==") };
                    assert_eq!(Opaque::from_field(&data.to_field(owner), owner), data);
                }
            }
        }
    }
}
