//! Fault tolerance: the platform over services that conflict, throttle and lose answers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod chaos;
mod faults;
mod gateway;
mod logs;
mod templates;
