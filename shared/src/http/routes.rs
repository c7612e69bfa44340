//! The one table of a function's routes.

/// Makes of one table the function's router and its OpenAPI document:
///
/// ```ignore
/// routes! { Stores;
///     "/builder/v1/agents" => get(list_agents), post(create_agent);
/// }
/// ```
///
/// Two functions come out, `table` and `document`. What only the second needs is not linked into a Lambda,
/// and a test holds the paths in the handlers' attributes to the table.
#[macro_export]
macro_rules! routes {
    ($state:ty; $($path:literal => $($method:ident($handler:ident)),+;)+) => {
        fn table() -> axum::Router<$state> {
            axum::Router::new()
                $(.route($path, axum::routing::MethodRouter::new()$(.$method($handler))+))+
        }

        /// The part of the area's OpenAPI document that describes these routes, and the routes themselves.
        pub fn document() -> (utoipa::openapi::OpenApi, Vec<(&'static str, &'static str)>) {
            #[derive(utoipa::OpenApi)]
            #[openapi(paths($($($handler),+),+))]
            struct Document;
            let routes = vec![$($(($path, stringify!($method))),+),+];
            (<Document as utoipa::OpenApi>::openapi(), routes)
        }
    };
}
