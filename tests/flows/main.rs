//! Fault tolerance: the platform over services that conflict, throttle and lose answers.

mod faults;
mod gateway;
mod templates;
