//! The one table of a function's routes.

/// Makes of one table the function's router and its OpenAPI document:
///
/// ```ignore
/// routes! { Stores;
///     "/builder/v1/agents" => get(list_agents?), post(create_agent);
/// }
/// ```
///
/// A `?` says that the handler takes query parameters: they are refused where nobody reads them. Two functions come out,
/// `table` and `document`, and a list for `finish`. What only `document` needs is not linked into a Lambda, and tests
/// hold the paths and parameters in the handlers' attributes to the table.
#[macro_export]
macro_rules! routes {
    ($state:ty; $($path:literal => $($method:ident($handler:ident $($query:tt)?)),+;)+) => {
        fn table() -> axum::Router<$state> {
            axum::Router::new()
                $(.route($path, axum::routing::MethodRouter::new()$(.$method($handler))+))+
        }

        const ROUTES: $crate::http::Routes = &[$($(($path, stringify!($method), routes!(@takes $($query)?)),)+)+];

        /// The part of the area's OpenAPI document that describes these routes, and the routes themselves.
        pub fn document() -> (utoipa::openapi::OpenApi, Vec<(&'static str, &'static str)>) {
            #[derive(utoipa::OpenApi)]
            #[openapi(paths($($($handler),+),+))]
            struct Document;
            let routes = ROUTES.iter().map(|(path, method, _)| (*path, *method)).collect();
            (<Document as utoipa::OpenApi>::openapi(), routes)
        }
    };
    (@takes ?) => { true };
    (@takes) => { false };
}
