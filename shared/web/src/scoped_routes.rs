//! The routes of a function that service accounts may use.

use domain::scope::ScopeArea;

/// The beginnings of the paths of these routes, each with its area of scopes. The first one that matches counts.
#[derive(Clone, Copy)]
pub(crate) struct ScopedRoutes(&'static [(&'static str, ScopeArea)]);

impl ScopedRoutes {
    pub const NONE: Self = Self(&[]);

    pub const fn new(routes: &'static [(&'static str, ScopeArea)]) -> Self {
        Self(routes)
    }

    pub fn area_of(self, route: &str) -> Option<ScopeArea> {
        self.0.iter().find(|(prefix, _)| route.starts_with(prefix)).map(|(_, area)| *area)
    }
}
