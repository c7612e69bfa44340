//! What happens when the services underneath misbehave: contention, throttling, answers that get lost.

mod faults;
mod gateway;
mod templates;
