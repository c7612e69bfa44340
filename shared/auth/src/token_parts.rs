//! Parsing of JWTs (RFC 7515, compact serialization), as strict as RFC 8725 requires.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The parts of a token. None of them is verified yet.
pub(super) struct TokenParts<'a> {
    pub header: Map<String, Value>,
    pub claims: Map<String, Value>,
    /// The signed text: the encoded header and claims.
    pub message: &'a str,
    pub signature: &'a str,
}

impl<'a> TokenParts<'a> {
    pub fn read(token: &'a str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        // Base64 has no dots, so a token with more than three parts fails to decode here.
        Some(Self { header: read_object(header)?, claims: read_object(claims)?, message, signature })
    }
}

fn read_object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice::<UniqueObject>(&bytes).ok().map(|object| object.0)
}

/// An object without duplicate names: two parsers may read different values for a duplicate name.
struct UniqueObject(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Map<String, Value>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut object = Map::new();
                while let Some((name, value)) = entries.next_entry::<String, Value>()? {
                    if object.insert(name, value).is_some() {
                        return Err(de::Error::custom("a name occurs twice"));
                    }
                }
                Ok(object)
            }
        }

        deserializer.deserialize_map(Object).map(Self)
    }
}
