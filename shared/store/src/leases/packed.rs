//! The packed form of a charge. The size of a record is what its write costs, in the table and in its index, so names are
//! short, ids are bytes, and what all charges of a record share is stored once.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use super::packed_facts::PackedFacts;
use domain::id::LeaseId;
use domain::ledger::Charge;
use domain::money::Money;
use domain::run::RunStep;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};

/// The prefix of the request ids that the platform creates.
const REQUEST: &str = "req_";

/// What the charges of a lease have in common.
#[derive(Serialize, Deserialize)]
pub(super) struct Shared {
    #[serde(rename = "o")]
    org: IdBytes,
    #[serde(rename = "u")]
    user: IdBytes,
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    key: Option<IdBytes>,
    #[serde(rename = "m")]
    model: String,
    #[serde(rename = "v")]
    price_version: u64,
    /// The provider of the first charge, and of the others unless they name one.
    #[serde(rename = "p")]
    provider: String,
    /// The provider's name for the model in the first call, and in the others unless they have another one.
    #[serde(rename = "um", default, skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct PackedCharge {
    #[serde(rename = "i")]
    id: IdBytes,
    #[serde(rename = "s")]
    slot: u32,
    /// In milliseconds.
    #[serde(rename = "t")]
    created_at: i64,
    #[serde(rename = "c")]
    cost: Money,
    /// None if it is the cost.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    charged: Option<Money>,
    #[serde(rename = "n", default, skip_serializing_if = "Money::is_zero")]
    uncollected: Money,
    #[serde(rename = "e", default, skip_serializing_if = "Money::is_zero")]
    overage: Money,
    #[serde(rename = "in", default, skip_serializing_if = "is_zero")]
    input: u64,
    #[serde(rename = "ca", default, skip_serializing_if = "is_zero")]
    cached: u64,
    #[serde(rename = "cw", default, skip_serializing_if = "is_zero")]
    written: u64,
    #[serde(rename = "ch", default, skip_serializing_if = "is_zero")]
    written_1h: u64,
    #[serde(rename = "ou", default, skip_serializing_if = "is_zero")]
    output: u64,
    #[serde(rename = "re", default, skip_serializing_if = "is_zero")]
    reasoning: u64,
    #[serde(rename = "im", default, skip_serializing_if = "is_zero")]
    images: u64,
    #[serde(rename = "au", default, skip_serializing_if = "is_zero")]
    audio_ms: u64,
    #[serde(rename = "cs", default, skip_serializing_if = "is_zero")]
    characters: u64,
    /// None if the provider has counted.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    source: Option<UsageSource>,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    #[serde(rename = "r")]
    request_id: Packed,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    step: Option<Box<RunStep>>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    retry_of: Option<IdBytes>,
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    body_hash: Option<Packed>,
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    facts: Option<PackedFacts>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Shared {
    pub fn of(first: &Charge) -> Self {
        Self {
            org: IdBytes(first.org.uuid()),
            user: IdBytes(first.user.uuid()),
            key: first.key.map(|key| IdBytes(key.uuid())),
            model: first.model.clone(),
            price_version: first.price_version,
            provider: first.provider.clone(),
            upstream: first.facts.as_ref().map(|facts| facts.upstream.clone()),
        }
    }
}

impl PackedCharge {
    pub fn new(charge: &Charge, shared: &Shared) -> Self {
        let Tokens { input, cached, written, written_1h, output, reasoning } = charge.tokens;
        Self {
            id: IdBytes(charge.id.uuid()),
            slot: charge.slot,
            created_at: charge.created_at.as_millis(),
            cost: charge.cost,
            charged: (charge.charged != charge.cost).then_some(charge.charged),
            uncollected: charge.uncollected,
            overage: charge.overage,
            input,
            cached,
            written,
            written_1h,
            output,
            reasoning,
            images: charge.images,
            audio_ms: charge.audio_ms,
            characters: charge.characters,
            source: (charge.source != UsageSource::Provider).then_some(charge.source),
            provider: (charge.provider != shared.provider).then(|| charge.provider.clone()),
            request_id: Packed::request_id(&charge.request_id),
            step: charge.step.clone(),
            retry_of: charge.retry_of.map(|id| IdBytes(id.uuid())),
            body_hash: charge.body_hash.as_deref().map(Packed::hash),
            facts: charge
                .facts
                .as_deref()
                .map(|facts| PackedFacts::new(facts, charge.created_at, shared.upstream.as_deref())),
        }
    }

    /// The charge, with what all charges of its record have in common.
    pub fn unpack(self, lease: LeaseId, shared: &Shared) -> Charge {
        let created_at = Time::from_millis(self.created_at);
        Charge {
            id: self.id.0.into(),
            lease,
            slot: self.slot,
            org: shared.org.0.into(),
            user: shared.user.0.into(),
            key: shared.key.as_ref().map(|key| key.0.into()),
            model: shared.model.clone(),
            price_version: shared.price_version,
            cost: self.cost,
            charged: self.charged.unwrap_or(self.cost),
            uncollected: self.uncollected,
            overage: self.overage,
            tokens: Tokens {
                input: self.input,
                cached: self.cached,
                written: self.written,
                written_1h: self.written_1h,
                output: self.output,
                reasoning: self.reasoning,
            },
            images: self.images,
            audio_ms: self.audio_ms,
            characters: self.characters,
            source: self.source.unwrap_or(UsageSource::Provider),
            provider: self.provider.unwrap_or_else(|| shared.provider.clone()),
            request_id: self.request_id.into_request_id(),
            step: self.step,
            retry_of: self.retry_of.map(|id| id.0.into()),
            body_hash: self.body_hash.map(Packed::into_hash),
            facts: self.facts.map(|facts| Box::new(facts.unpack(created_at, shared.upstream.as_deref()))),
            created_at,
        }
    }
}

/// An id as 16 bytes.
#[derive(Debug, PartialEq)]
struct IdBytes(Uuid);

impl Serialize for IdBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Packed::Bytes(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for IdBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Packed::deserialize(deserializer)? {
            Packed::Bytes(bytes) => Ok(Self(bytes)),
            Packed::Text(text) => Err(D::Error::custom(format!("an id must have 16 bytes, not the text {text}"))),
        }
    }
}

/// 16 bytes, or a text that is not the usual form of 16 bytes.
#[derive(Debug, PartialEq)]
enum Packed {
    Bytes(Uuid),
    Text(String),
}

impl Packed {
    fn request_id(text: &str) -> Self {
        let bytes = text.strip_prefix(REQUEST).and_then(|id| Uuid::try_parse(id).ok());
        Self::exact(text, bytes, Self::into_request_id)
    }

    fn hash(text: &str) -> Self {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| Uuid::from_slice(&bytes).ok());
        Self::exact(text, bytes, Self::into_hash)
    }

    /// The bytes, if they give back exactly this text.
    fn exact(text: &str, bytes: Option<Uuid>, unpack: impl Fn(Self) -> String) -> Self {
        let exact = bytes.filter(|bytes| unpack(Self::Bytes(*bytes)) == text);
        exact.map_or_else(|| Self::Text(text.to_owned()), Self::Bytes)
    }

    fn into_request_id(self) -> String {
        match self {
            Self::Bytes(bytes) => format!("{REQUEST}{}", bytes.simple()),
            Self::Text(text) => text,
        }
    }

    fn into_hash(self) -> String {
        match self {
            Self::Bytes(bytes) => BASE64_URL_SAFE_NO_PAD.encode(bytes.as_bytes()),
            Self::Text(text) => text,
        }
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => serializer.serialize_bytes(bytes.as_bytes()),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesOrText;

        impl Visitor<'_> for BytesOrText {
            type Value = Packed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("16 bytes or a text")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Packed, E> {
                Uuid::from_slice(bytes).map(Packed::Bytes).map_err(E::custom)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Packed, E> {
                Ok(Packed::Text(text.to_owned()))
            }
        }

        deserializer.deserialize_any(BytesOrText).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_come_back_exactly_are_packed() {
        let id = "req_019ab3c0a1b27c3d8e4f5a6b7c8d9e0f";
        assert!(matches!(Packed::request_id(id), Packed::Bytes(_)));
        for text in [id, "req_019AB3C0A1B27C3D8E4F5A6B7C8D9E0F", "req_019ab3c0-a1b2-7c3d-8e4f-5a6b7c8d9e0f", "r", ""] {
            assert_eq!(Packed::request_id(text).into_request_id(), text);
        }
        assert!(matches!(Packed::hash("L2rN4zEF8Z4DpDEqQeZpFg"), Packed::Bytes(_)));
        // The last one has bits that its 16 bytes do not hold.
        for text in ["L2rN4zEF8Z4DpDEqQeZpFg", "guard:L2rN4zEF8Z4DpDEqQeZpFg", "", "L2rN4zEF8Z4DpDEqQeZpFh"] {
            assert_eq!(Packed::hash(text).into_hash(), text);
        }
    }
}
