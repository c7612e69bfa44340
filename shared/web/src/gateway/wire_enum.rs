//! Wire types of enums: they have the names of the API, and a schema.

/// Defines the wire type of an enum of the domain that has the same variants.
#[macro_export]
macro_rules! wire_enum {
    ($(#[$attribute:meta])* $wire:ident = $of:ident { $($(#[$doc:meta])* $variant:ident),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        $(#[$attribute])*
        pub enum $wire {
            $($(#[$doc])* $variant),+
        }

        impl From<$of> for $wire {
            fn from(of: $of) -> Self {
                match of {
                    $($of::$variant => Self::$variant),+
                }
            }
        }

        impl From<$wire> for $of {
            fn from(wire: $wire) -> Self {
                match wire {
                    $($wire::$variant => Self::$variant),+
                }
            }
        }
    };
}
