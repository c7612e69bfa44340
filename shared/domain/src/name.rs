//! Names of models, aliases, providers and plans as path parameters. An invalid name is answered with 404.

use std::str::FromStr;

use super::catalog::is_model_name;
use super::id::{Id, NotAnId};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub String);

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                if is_model_name(text) { Ok(Self(text.to_owned())) } else { Err(NotAnId) }
            }
        }

        impl Id for $name {
            const KIND: &'static str = $kind;
        }
    )*};
}

names! {
    /// The name or an alias of a model.
    ModelName = "model";
    AliasName = "alias";
    ProviderName = "provider";
    PlanName = "plan";
    GuardCategoryName = "guard category";
}
