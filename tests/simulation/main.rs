//! Deterministic simulations in virtual time. Each history is a function of its seed, and runs the store's own code over
//! in-memory services with injected faults. The machine simulates processes, network and services; each protocol adds its
//! scenario and its oracles, which must find a violation when one rule of the protocol is switched off.
//!
//! `SIMULATION_HISTORIES=20000` runs this number of histories. `SIMULATION_SEED=17` runs only history 17 and prints its
//! trace. With both, the histories start at that seed.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod batches;
mod images;
mod leases;
mod machine;
mod runs;
mod threads;
mod workbenches;
