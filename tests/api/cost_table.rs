//! The table of `local cost`: the committed one is current, and its scenarios keep the budgets that other suites assert.

use std::path::Path;
use std::{env, fs};

use local::cost::prices::Prices;
use local::cost::recorded::Recorded;
use local::cost::{Bill, print_tables, record_all};
use local::template::SamTemplate;
use tests::budgets::*;

/// The variable that makes the test write the table instead of comparing it.
const UPDATE: &str = "UPDATE_COSTS";

#[tokio::test]
async fn the_committed_table_is_current_and_keeps_the_budgets() {
    let (recorded, template, prices) = (record_all().await.unwrap(), SamTemplate::read(), Prices::read());
    let table = print_tables(&recorded, &template, &prices, true);
    let file = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../infra/local/COSTS.md");
    if env::var_os(UPDATE).is_some() {
        fs::write(&file, &table).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let varying: Vec<_> = recorded.iter().filter(|scenario| scenario.varies).map(|scenario| scenario.name).collect();
    let is_fixed = |line: &&str| !varying.iter().any(|name| line.contains(name));
    let (committed, now): (Vec<_>, Vec<_>) =
        (committed.lines().filter(is_fixed).collect(), table.lines().filter(is_fixed).collect());
    let changed = committed.iter().zip(&now).find(|(committed, now)| committed != now);
    assert!(
        committed == now,
        "infra/local/COSTS.md is outdated, first at {changed:#?}: run `{UPDATE}=1 cargo test -p tests --test api cost_table`"
    );
    check_budgets(&recorded);
    check_runs_with_calls(&recorded, &template, &prices);
    check_readme(&recorded, &template, &prices);
}

/// The scenarios that `README.md` shows.
fn check_readme(recorded: &[Recorded], template: &SamTemplate, prices: &Prices) {
    let readme = include_str!("../../README.md");
    for name in [
        "read an agent",
        "chat completion, alone",
        "chat completion, within a lease",
        "webhook, five steps without effects",
        "webhook, five HTTP calls, the caller waits",
        "webhook, five HTTP calls, by a worker",
        "run by the API, with a review",
    ] {
        let bill = Bill::new(find(recorded, name), template, &prices.assumed);
        let (calls, reads, writes) = (bill.aws_calls, bill.read_units, bill.write_units);
        let row = format!("| {name} | {calls} | {reads} | {writes} | {:.2} |", bill.usd_per_million(prices));
        assert!(readme.contains(&row), "README.md is outdated, it must have {row}");
    }
}

fn find<'a>(recorded: &'a [Recorded], name: &str) -> &'a Recorded {
    recorded.iter().find(|scenario| scenario.name == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

/// The invocations of these scenarios are those of other suites.
fn check_budgets(recorded: &[Recorded]) {
    let budgets: [(&str, &[&str]); 15] = [
        ("read an agent", &[READ_AGENT]),
        ("create an agent", &[CREATE_AGENT]),
        ("read a workflow", &[READ_WORKFLOW]),
        ("preview a workflow without effects", &[PREVIEW]),
        ("read a run", &[READ_COMPLETED_RUN]),
        ("list 11 tools for an assistant", &[LIST_TOOLS]),
        ("chat completion, alone", &[CHAT_ALONE]),
        ("chat completion, within a lease", &[CHAT_WITHIN_A_LEASE]),
        ("an image, by a job", &[CREATE_IMAGE_JOB, WORK_ON_IMAGE_JOB, READ_IMAGE_JOB]),
        ("list the tools of a server", &[LIST_TOOLS_OF_SERVER]),
        ("call a tool of a server", &[CALL_TOOL_OF_SERVER]),
        ("a minute of a ready workbench", &[WORKBENCH_STEP]),
        ("a tick with nothing due", &[IDLE_TICK]),
        ("webhook, five steps without effects", &[WEBHOOK]),
        ("run by the API, without effects", &[START_RUN, WORK_ON_RUN]),
    ];
    let mut wrong = Vec::new();
    for (name, budgets) in budgets {
        let found = find(recorded, name).budgets();
        if found != budgets {
            wrong.push(format!("{name}: {found:#?}, not {budgets:#?}"));
        }
    }
    let review = find(recorded, "run by the API, with a review").budgets();
    if review[..3] != [START_RUN, PARK_RUN, RESOLVE_REVIEW] {
        wrong.push(format!("a review: {review:#?}"));
    }
    let workbench = find(recorded, "create a workbench, until it is ready").budgets();
    if workbench[0] != CREATE_WORKBENCH {
        wrong.push(format!("a workbench: {workbench:#?}"));
    }
    let batch = find(recorded, "a batch of 100 chats (varies)");
    let units: f64 = batch.calls().flat_map(|call| &call.writes).map(|write| write.units).sum();
    // With the upload and the creation.
    if units > BATCH_WRITE_UNITS + BATCH_CALLS_WRITE_UNITS + 9.0 {
        wrong.push(format!("a batch: {units} write units"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The runs whose price `runs::costs` asserts: AWS calls and requests of functions, without their time and API Gateway.
fn check_runs_with_calls(recorded: &[Recorded], template: &SamTemplate, prices: &Prices) {
    for (name, usd) in [
        ("webhook, five HTTP calls, the caller waits", FIVE_CALLS_USD),
        ("webhook, five HTTP calls, by a worker", FIVE_CALLS_BY_WORKER_USD),
    ] {
        let scenario = find(recorded, name);
        let bill = Bill::new(scenario, template, &prices.assumed);
        let requests = scenario.invocations.len() as f64 * prices.per_million.lambda_request;
        assert_eq!(format!("{:.2}", bill.data_usd_per_million(prices) + requests), usd, "{name}: {bill:?}");
    }
}
