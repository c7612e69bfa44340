//! Tests of the command line: wrong options, the help of each command, and the commands that messages name.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod settings;
#[path = "../support/mod.rs"]
mod support;

use std::process::Command;

use support::{Folder, Running, local, stderr_of};

#[test]
fn wrong_values_are_refused_with_the_form_that_is_expected() {
    let folder = Folder::new();
    for (option, value, fix) in [
        (
            "--workbench-capacity",
            "cpu=8,ram=4",
            "ram: must be cpu, memory, gpumem or storage; correct --workbench-capacity",
        ),
        ("--workbench-capacity", "cpu=8", "must name cpu, memory, gpumem and storage; correct --workbench-capacity"),
        (
            "--outbound-allowed-cidrs",
            "abc",
            "\"abc\" is not an address or a CIDR range; correct --outbound-allowed-cidrs",
        ),
        ("--outbound-allowed-cidrs", "10.0.0.0/8,300.0.0.0/8", "\"300.0.0.0/8\" is not an address"),
        ("--base-url", "foo", "give an absolute URL such as https://atelier.example with --base-url"),
        ("--base-url", "ftp://example.com", "give an absolute URL"),
        ("--base-url", "https://example.com/?stage=dev", "must not have a query"),
        ("--base-url", "", "give an absolute URL"),
    ] {
        let variable = option.trim_start_matches('-').replace('-', "_").to_uppercase();
        for by_variable in [false, true] {
            let mut command = local();
            command.args(["--port", "0", "--data-dir"]).arg(&folder.0);
            match by_variable {
                true => command.env(&variable, value),
                false => command.args([option, value]),
            };
            let refused = command.output().unwrap();
            let message = stderr_of(&refused);
            assert_eq!((refused.status.code(), message.lines().count()), (Some(1), 1), "{option} {value}: {message}");
            assert!(message.contains(fix) && !message.contains("Internal("), "{message}");
        }
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was started");
}

#[test]
fn a_command_has_only_its_own_options() {
    let help =
        |command: &[&str]| String::from_utf8(local().args(command).arg("--help").output().unwrap().stdout).unwrap();
    for command in ["token", "credentials", "bootstrap-operator", "setup", "cost"] {
        let text = help(&[command]);
        assert!(text.contains("--data-dir"), "{command}: {text}");
        for option in ["--port", "--ephemeral", "--sync", "--base-url", "--workbench-capacity"] {
            assert!(!text.contains(option), "{command}: {text}");
        }
    }
    assert!(help(&["services"]).contains("--workbench-capacity"));
    assert!(help(&[]).contains("--port"));
}

/// The content of the table is a test of the suite `api`.
#[test]
fn costs_are_printed_without_a_data_folder() {
    let folder = Folder::new();
    for (option, first) in [(None, "List prices of "), (Some("--markdown"), "# What the platform costs on AWS")] {
        let printed = local().arg("cost").args(option).arg("--data-dir").arg(&folder.0).output().unwrap();
        assert!(printed.status.success(), "{}", stderr_of(&printed));
        assert!(String::from_utf8_lossy(&printed.stdout).starts_with(first), "{option:?}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "the data is in memory");
}

#[test]
fn the_data_folder_is_accepted_before_and_after_a_command() {
    let folder = Folder::new();
    let _running = Running::start(&folder.0, &["--ephemeral"]);
    let folder = folder.0.to_str().unwrap();
    for arguments in [["credentials", "--data-dir", folder], ["--data-dir", folder, "credentials"]] {
        let printed = local().args(arguments).output().unwrap();
        assert!(printed.status.success(), "{arguments:?}: {}", stderr_of(&printed));
        assert!(String::from_utf8_lossy(&printed.stdout).contains("accessToken"), "{arguments:?}");
    }
}

#[test]
fn messages_name_the_command_that_was_started() {
    let program = env!("CARGO_BIN_EXE_local");
    for (package, command) in [("local", "cargo run -p local --"), ("another", program)] {
        let folder = Folder::new();
        let not_started =
            local().env("CARGO_PKG_NAME", package).args(["credentials", "--data-dir"]).arg(&folder.0).output();
        let expected = format!("run `{}` first", command.trim_end_matches(" --"));
        let message = stderr_of(&not_started.unwrap());
        assert!(message.contains(&expected), "{message}");

        let mut start = Command::new(program);
        start.env("CARGO_PKG_NAME", package).args(["--ephemeral", "--port", "0", "--data-dir"]).arg(&folder.0);
        let running = Running::from_command(start);
        assert!(running.banner.contains(&format!("accounts   {command} credentials")), "{}", running.banner);
    }
}

#[test]
fn the_start_of_a_new_folder_logs_no_warning() {
    let folder = Folder::new();
    let mut start = Command::new("env");
    start.args(["LOG_LEVEL=info", env!("CARGO_BIN_EXE_local"), "--port", "0", "--data-dir"]).arg(&folder.0);
    let running = Running::from_command(start);
    running.signal("-INT");
    let (code, log) = running.wait_with_log();
    assert_eq!(code, Some(0));
    assert!(log.contains("INFO") && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
}
