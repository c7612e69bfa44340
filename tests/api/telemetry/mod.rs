//! What the platform reports about its work.

mod traces;
