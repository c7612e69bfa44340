//! The options of a catalog model, as requests and answers spell them.

use domain::catalog::{MaxTokensParameter, MaxTokensPolicy, OnDisconnect, Unsupported};
use domain::guard::GuardApi;
use web::wire_enum;

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    OnDisconnectWire = OnDisconnect {
        /// The call to the provider is aborted. The tokens received so far are billed.
        #[default]
        Stop,
        /// The answer is read to the end and billed.
        Drain,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    #[schema(as = Unsupported)]
    UnsupportedWire = Unsupported {
        #[default]
        Drop,
        Reject,
    }
}

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = MaxTokensParameter)]
    MaxTokensParameterWire = MaxTokensParameter { MaxTokens, MaxCompletionTokens }
}

wire_enum! {
    /// How a token limit above the model's maximum is handled: lowered to the maximum (`clamp`), or refused (`reject`).
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    #[schema(as = MaxTokensPolicy)]
    MaxTokensPolicyWire = MaxTokensPolicy {
        #[default]
        Clamp,
        Reject,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "kebab-case")]
    #[schema(as = GuardApi)]
    GuardApiWire = GuardApi {
        /// OpenAI's API for moderation. It scores each text alone.
        #[default]
        Moderation,
        /// The prompt of Llama Guard, sent to the `completions` of an OpenAI-compatible provider.
        LlamaGuard,
        /// A chat model that answers with the scores as JSON.
        ChatJson,
    }
}
