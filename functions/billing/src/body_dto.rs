//! Request and response bodies of the retention of calls' bodies, and of these bodies.

use domain::call_body::{KeptBodies, KeptBody};
use domain::call_retention::CallRetention;
use domain::time::Time;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

/// For how many days bodies are kept.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = NewCallRetention)]
#[serde(deny_unknown_fields)]
pub struct CallRetentionIn {
    /// `0` keeps none
    #[schema(minimum = 0, maximum = 30, example = 7)]
    days: u8,
}

impl CallRetentionIn {
    /// `longest` is what the plan allows.
    pub fn read(self, longest: CallRetention) -> Result<Option<CallRetention>> {
        let retention = CallRetention::new(self.days);
        match retention.is_some_and(|retention| retention > longest) {
            true => {
                let problem = format_args!(
                    "at most {}, the days for which the plan of the organization keeps runs; send fewer, or ask the operator \
                     for another plan",
                    longest.days()
                );
                Err(Error::invalid_body("days", problem))
            }
            false => Ok(retention),
        }
    }

    /// The retention in the audit log.
    pub fn render(retention: Option<CallRetention>) -> String {
        json!({"days": days(retention)}).to_string()
    }
}

/// For how many days bodies are kept.
#[derive(Serialize, ToSchema)]
#[schema(as = CallRetention)]
pub struct CallRetentionOut {
    /// `0` if none are kept
    #[schema(minimum = 0, maximum = 30)]
    days: u8,
    /// The most that the plan allows
    #[schema(minimum = 1, maximum = 30)]
    max_days: u8,
}

impl CallRetentionOut {
    pub fn new(retention: Option<CallRetention>, longest: CallRetention) -> Self {
        Self { days: days(retention), max_days: longest.days() }
    }
}

fn days(retention: Option<CallRetention>) -> u8 {
    retention.map_or(0, CallRetention::days)
}

/// The bodies of a call. One of more than 1 MiB is cut, and is then a string with its beginning.
#[derive(Serialize, ToSchema)]
#[schema(as = CallBodies)]
pub struct CallBodiesOut {
    /// What the client sent
    #[schema(value_type = Value)]
    request: Box<RawValue>,
    /// What the client received, or the error that ended the call
    #[schema(value_type = Value)]
    response: Box<RawValue>,
    #[schema(format = DateTime)]
    expires_at: String,
    /// Whether one of them is cut
    truncated: bool,
}

impl CallBodiesOut {
    pub fn new(KeptBodies { request, response }: KeptBodies, expires_at: Time) -> Result<Self> {
        let truncated = request.is_cut || response.is_cut;
        let (request, response) = (json_of(request)?, json_of(response)?);
        Ok(Self { request, response, expires_at: expires_at.to_string(), truncated })
    }
}

/// A body as JSON: itself, or a string with its beginning.
fn json_of(body: KeptBody) -> Result<Box<RawValue>> {
    match body.is_cut {
        true => to_raw_value(&body.text),
        false => RawValue::from_string(body.text),
    }
    .map_err(Error::internal)
}
