//! Tests of every route, through the real routers, the real SDK clients and the embedded services.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod agents;
mod authentication;
mod bodies;
mod compression;
mod connections;
mod consents;
mod console;
mod conversations;
mod cost_table;
mod echoes;
mod extractors;
mod gateway;
mod inference;
mod languages;
mod local_commands;
mod mcp;
mod mcp_studio;
mod modules;
mod openapi;
mod permissions;
mod reference;
mod runs;
mod services;
mod settings;
mod signatures;
mod signin;
mod team;
mod telemetry;
mod workbenches;
mod workflows;
