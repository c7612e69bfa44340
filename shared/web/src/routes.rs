//! The `routes!` macro: one table defines the routes of a function and their OpenAPI document.

/// Defines the router of a function and its OpenAPI document from one table:
///
/// ```ignore
/// routes! { Stores;
///     "/builder/v1/agents" => get(list_agents?), post(create_agent);
///     schemas(NewAgentOut);
/// }
/// ```
///
/// A `?` marks a handler that takes query parameters; other handlers refuse them. `schemas` lists the bodies that only
/// `Created` responses have, because utoipa does not collect their schemas. The macro defines two functions,
/// `table` and `document`, and the constant `ROUTES` for `finish`. A Lambda does not link `document` and its
/// dependencies. Tests check that the paths and parameters in the attributes of the handlers match the table.
#[macro_export]
macro_rules! routes {
    (
        $state:ty;
        $($path:literal => $($method:ident($handler:ident $($query:tt)?)),+;)+
        $(schemas($($schemas:tt)+);)?
    ) => {
        fn table() -> axum::Router<$state> {
            axum::Router::new()
                $(.route($path, axum::routing::MethodRouter::new()$(.$method($handler))+))+
        }

        const ROUTES: $crate::Routes = &[$($(($path, stringify!($method), routes!(@takes $($query)?)),)+)+];

        /// The OpenAPI document of these routes, and their paths and methods.
        pub fn document() -> (utoipa::openapi::OpenApi, Vec<(&'static str, &'static str)>) {
            #[derive(utoipa::OpenApi)]
            #[openapi(paths($($($handler),+),+), components(schemas($($($schemas)+)?)))]
            struct Document;
            let routes = ROUTES.iter().map(|(path, method, _)| (*path, *method)).collect();
            (<Document as utoipa::OpenApi>::openapi(), routes)
        }
    };
    (@takes ?) => { true };
    (@takes) => { false };
}
