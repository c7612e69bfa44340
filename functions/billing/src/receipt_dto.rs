//! Response bodies of receipts and of their keys.

use domain::Result;
use domain::json::to_canonical;
use domain::ledger::Charge;
use domain::usage::{Tokens, UsageSource};
use platform::signing_key::{PublicKey, SigningKey};
use serde::Serialize;
use serde_json::value::RawValue;
use store::receipt_keys::StoredReceiptKeys;
use utoipa::ToSchema;
use web::wire_enum;

/// The version of the form of receipts. Any change of the members needs a new one.
const VERSION: u32 = 1;
/// The version of receipts with audio or characters. Others keep their form, so that a receipt is the same each time.
const VERSION_WITH_AUDIO: u32 = 2;
const ALGORITHM: &str = "EdDSA";

/// A receipt and its signature.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedReceipt)]
pub struct SignedReceiptOut {
    #[schema(example = "receipt")]
    object: &'static str,
    /// In the response, it has its canonical form (RFC 8785).
    #[schema(value_type = ReceiptOut)]
    receipt: Box<RawValue>,
    /// The signature of the canonical form, in base64url without padding.
    #[schema(pattern = "^[A-Za-z0-9_-]{86}$")]
    signature: String,
    /// The key that signed, as in the receipt.
    kid: String,
    #[schema(example = "EdDSA")]
    alg: &'static str,
}

impl SignedReceiptOut {
    pub fn sign(charge: Charge, key: &SigningKey) -> Result<Self> {
        let kid = key.public().kid();
        let canonical = to_canonical(&ReceiptOut::new(charge, kid.clone()))?;
        let signature = key.sign(canonical.as_bytes());
        let receipt = RawValue::from_string(canonical).map_err(domain::Error::internal)?;
        Ok(Self { object: "receipt", receipt, signature, kid, alg: ALGORITHM })
    }
}

/// What was called, what it used and what it cost.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipt)]
pub struct ReceiptOut {
    /// The version of this form: 2 if `usage` has `audio_ms` or `characters`, else 1. Receipts of another version may have other
    /// members.
    version: u32,
    /// The id of the charge in the list of transactions.
    #[schema(example = "txn_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    transaction_id: String,
    /// The id of the request, which the client may have chosen.
    request_id: String,
    org: String,
    user: String,
    /// The key that made the call. Null if the platform made it for the user.
    #[schema(required)]
    api_key: Option<String>,
    /// The hash of the body of the request. Null if the platform has not stored it.
    #[schema(required)]
    request_hash: Option<String>,
    /// The name of the model in the catalog.
    model: String,
    /// The provider that answered.
    provider: String,
    usage: ReceiptUsageOut,
    /// The version of the model's prices.
    price_version: u64,
    /// The price of the usage in US dollars, with all its decimals.
    #[schema(pattern = r"^[0-9]+(\.[0-9]{1,12})?$", example = "0.000021")]
    cost: String,
    /// When the call ended.
    #[schema(format = DateTime)]
    created_at: String,
    /// The id of the key that signed.
    kid: String,
}

impl ReceiptOut {
    fn new(charge: Charge, kid: String) -> Self {
        let Tokens { input, cached, written, written_1h, output, reasoning } = charge.tokens;
        Self {
            version: if charge.audio_ms > 0 || charge.characters > 0 { VERSION_WITH_AUDIO } else { VERSION },
            transaction_id: charge.id.to_string(),
            request_id: charge.request_id,
            org: charge.org.to_string(),
            user: charge.user.to_string(),
            api_key: charge.key.map(|key| key.to_string()),
            request_hash: charge.body_hash,
            model: charge.model,
            provider: charge.provider,
            usage: ReceiptUsageOut {
                tokens_in: input,
                tokens_in_cached: cached,
                tokens_in_cache_write: written,
                tokens_in_cache_write_1h: written_1h,
                tokens_out: output,
                tokens_out_reasoning: reasoning,
                images: charge.images,
                audio_ms: Some(charge.audio_ms).filter(|ms| *ms > 0),
                characters: Some(charge.characters).filter(|count| *count > 0),
                source: charge.source.into(),
            },
            price_version: charge.price_version,
            cost: charge.cost.to_string(),
            created_at: charge.created_at.to_string(),
            kid,
        }
    }
}

/// What a call used.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptUsage)]
pub struct ReceiptUsageOut {
    /// All tokens of the prompt, including cached ones.
    tokens_in: u64,
    /// The part of `tokens_in` that the provider read from its cache.
    tokens_in_cached: u64,
    /// The part of `tokens_in` that the provider wrote to its cache.
    tokens_in_cache_write: u64,
    /// The part of `tokens_in_cache_write` that the cache keeps for an hour.
    tokens_in_cache_write_1h: u64,
    /// All generated tokens, including reasoning.
    tokens_out: u64,
    /// The part of `tokens_out` that was spent on reasoning.
    tokens_out_reasoning: u64,
    images: u64,
    /// The length of the audio that was transcribed, in milliseconds. Only in receipts of transcriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    audio_ms: Option<u64>,
    /// The characters that were spoken. Only in receipts of speech.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    characters: Option<u64>,
    source: UsageSourceWire,
}

wire_enum! {
    /// `provider`: the final count of the provider. `cumulative`: its last count before the stream was interrupted. `counted`: by
    /// the platform, from the text or the audio file. `estimated`: the maximum, because there is neither a count nor a complete text.
    #[serde(rename_all = "lowercase")]
    UsageSourceWire = UsageSource { Provider, Cumulative, Counted, Estimated }
}

/// The public keys of receipts.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptKeySet)]
pub struct KeySetOut {
    keys: Vec<KeyOut>,
}

impl KeySetOut {
    pub fn new(keys: Option<&StoredReceiptKeys>) -> Self {
        Self { keys: keys.into_iter().flat_map(StoredReceiptKeys::public_keys).map(KeyOut::from).collect() }
    }
}

/// A public key as a JSON Web Key (RFC 8037).
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptKey)]
pub struct KeyOut {
    #[schema(example = "OKP")]
    kty: &'static str,
    #[schema(example = "Ed25519")]
    crv: &'static str,
    /// The public key, in base64url without padding.
    x: String,
    /// The thumbprint of the key (RFC 7638).
    kid: String,
    #[schema(example = "sig")]
    r#use: &'static str,
    #[schema(example = "EdDSA")]
    alg: &'static str,
}

impl From<&PublicKey> for KeyOut {
    fn from(key: &PublicKey) -> Self {
        Self { kty: "OKP", crv: "Ed25519", x: key.x().to_owned(), kid: key.kid(), r#use: "sig", alg: ALGORITHM }
    }
}
