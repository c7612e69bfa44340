//! Workflows: what they are made of, and what makes them run.

pub mod expression;
