//! Tests of the command line: wrong options, the help of each command, and the commands that messages name.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use support::{Folder, Running, local, stderr_of};

#[test]
fn wrong_values_are_refused_with_the_form_that_is_expected() {
    let folder = Folder::new();
    for (option, value, fix) in [
        ("--workbench-capacity", "cpu=8,ram=4", "give for example cpu=8,memory=16Gi,gpumem=0,storage=100Gi"),
        ("--workbench-capacity", "cpu=8", "must name cpu, memory, gpumem and storage"),
        ("--outbound-allowed-cidrs", "abc", "give networks separated by commas, such as 10.1.0.0/16,fd00::1"),
        ("--outbound-allowed-cidrs", "10.0.0.0/8,300.0.0.0/8", "give networks separated by commas"),
        ("--base-url", "foo", "give a URL without a query, such as https://atelier.example.com"),
        ("--base-url", "ftp://example.com", "give a URL without a query"),
        ("--base-url", "https://example.com/?stage=dev", "give a URL without a query"),
        ("--base-url", "", "give a URL without a query"),
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
            assert_eq!(refused.status.code(), Some(2), "{option} {value}: {message}");
            assert!(message.contains(fix) && message.contains(option), "{message}");
            assert!(!message.contains("Internal("), "{message}");
        }
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was started");
}

#[test]
fn a_command_has_only_its_own_options() {
    let help =
        |command: &[&str]| String::from_utf8(local().args(command).arg("--help").output().unwrap().stdout).unwrap();
    for command in ["token", "credentials", "bootstrap-operator", "openapi"] {
        let text = help(&[command]);
        assert!(text.contains("--data-dir"), "{command}: {text}");
        for option in ["--port", "--ephemeral", "--sync", "--base-url", "--workbench-capacity"] {
            assert!(!text.contains(option), "{command}: {text}");
        }
    }
    assert!(help(&["services"]).contains("--workbench-capacity"));
    assert!(help(&[]).contains("--port"));
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
