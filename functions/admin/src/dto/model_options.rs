//! The options of a catalog model, as requests and answers spell them.

use domain::catalog::{MaxTokensParameter, OnDisconnect, Unsupported};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnectWire {
    /// The call to the provider is aborted. The tokens received so far are billed.
    #[default]
    Stop,
    /// The answer is read to the end and billed.
    Drain,
}

impl From<OnDisconnect> for OnDisconnectWire {
    fn from(on_disconnect: OnDisconnect) -> Self {
        match on_disconnect {
            OnDisconnect::Stop => Self::Stop,
            OnDisconnect::Drain => Self::Drain,
        }
    }
}

impl From<OnDisconnectWire> for OnDisconnect {
    fn from(wire: OnDisconnectWire) -> Self {
        match wire {
            OnDisconnectWire::Stop => Self::Stop,
            OnDisconnectWire::Drain => Self::Drain,
        }
    }
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Unsupported)]
pub enum UnsupportedWire {
    #[default]
    Drop,
    Reject,
}

impl From<Unsupported> for UnsupportedWire {
    fn from(unsupported: Unsupported) -> Self {
        match unsupported {
            Unsupported::Drop => Self::Drop,
            Unsupported::Reject => Self::Reject,
        }
    }
}

impl From<UnsupportedWire> for Unsupported {
    fn from(wire: UnsupportedWire) -> Self {
        match wire {
            UnsupportedWire::Drop => Self::Drop,
            UnsupportedWire::Reject => Self::Reject,
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MaxTokensParameter)]
pub enum MaxTokensParameterWire {
    MaxTokens,
    MaxCompletionTokens,
}

impl From<MaxTokensParameter> for MaxTokensParameterWire {
    fn from(parameter: MaxTokensParameter) -> Self {
        match parameter {
            MaxTokensParameter::MaxTokens => Self::MaxTokens,
            MaxTokensParameter::MaxCompletionTokens => Self::MaxCompletionTokens,
        }
    }
}

impl From<MaxTokensParameterWire> for MaxTokensParameter {
    fn from(wire: MaxTokensParameterWire) -> Self {
        match wire {
            MaxTokensParameterWire::MaxTokens => Self::MaxTokens,
            MaxTokensParameterWire::MaxCompletionTokens => Self::MaxCompletionTokens,
        }
    }
}
