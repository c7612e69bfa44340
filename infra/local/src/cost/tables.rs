//! Prints the cost table as aligned text or as Markdown.

use super::bill::{Bill, StepFunctions, cpu_ms, idle_usd_per_month};
use super::prices::{HOURS_OF_A_MONTH, Prices};
use super::recorded::{Recorded, Trigger};
use crate::template::SamTemplate;

/// Columns of numbers are aligned to the right.
struct Table {
    heads: Vec<&'static str>,
    /// The columns with text.
    texts: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let heads: Vec<_> = self.heads.iter().map(|&head| head.to_owned()).collect();
        let rules = (0..heads.len()).map(|column| if self.texts.contains(&column) { "---" } else { "--:" });
        let rules = format!("|{}|\n", rules.collect::<Vec<_>>().join("|"));
        line(&heads) + &rules + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }

    fn to_text(&self) -> String {
        let heads: Vec<_> = self.heads.iter().map(|&head| head.to_owned()).collect();
        let lines: Vec<_> = std::iter::once(&heads).chain(&self.rows).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<_> = (0..heads.len()).map(width).collect();
        let cell = |(column, text): (usize, &String)| match self.texts.contains(&column) {
            true => format!("{text:<width$}", width = widths[column]),
            false => format!("{text:>width$}", width = widths[column]),
        };
        let line = |cells: &Vec<String>| {
            let cells: Vec<_> = cells.iter().enumerate().map(cell).collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        lines.into_iter().map(line).collect()
    }
}

/// The tables of all scenarios, with the prices and the assumptions that they rest on.
pub fn print_tables(recorded: &[Recorded], template: &SamTemplate, prices: &Prices, as_markdown: bool) -> String {
    let bills: Vec<_> =
        recorded.iter().map(|scenario| (scenario, Bill::new(scenario, template, &prices.assumed))).collect();
    let print = |table: &Table| if as_markdown { table.to_markdown() } else { table.to_text() };
    let idle = idle_of(&bills, template, prices);
    let title = if as_markdown { "# What the platform costs on AWS\n\n" } else { "" };
    format!(
        "{title}{}\n{}\n{}\n{}\n{}",
        describe_prices(prices),
        print(&cost_table(&bills, prices)),
        describe_comparison(prices, idle.1),
        print(&comparison_table(&bills, prices, idle.1)),
        describe_idle(&idle.0, idle.1),
    )
}

fn describe_prices(prices: &Prices) -> String {
    let Prices { region, date, assumed, .. } = prices;
    format!(
        "List prices of {region}, {date}, without free tiers, storage, logs and data transfer (infra/local/src/cost/prices.yaml).\n\
         The AWS calls and their units are recorded from this code, in warm processes. The time of Lambda is an estimate: each\n\
         AWS call takes {} to {} ms, one after the other, an HTTP call {} ms, a call of a model {} ms, and an invocation {} ms of a\n\
         core and {} ms more for each AWS call, of which a function has the part that its memory gives it.\n",
        assumed.dynamodb_read_ms,
        assumed.s3_write_ms,
        assumed.http_call_ms,
        assumed.model_call_ms,
        assumed.cpu_invocation_ms,
        assumed.cpu_aws_call_ms,
    )
}

fn cost_table(bills: &[(&Recorded, Bill)], prices: &Prices) -> Table {
    let heads = [
        "one of",
        "AWS calls",
        "read units",
        "write units",
        "SQS",
        "S3",
        "KMS",
        "USD per million",
        "USD of AWS calls",
        "Lambda",
    ];
    let row = |(scenario, bill): &(&Recorded, Bill)| {
        let functions = bill.functions.iter().map(|function| {
            let times = if function.invocations > 1 { format!("{} × ", function.invocations) } else { String::new() };
            let ms = function.ms / function.invocations as f64;
            format!("{times}{} {} ms × {} MB", function.name, thousands(ms), function.memory_mb)
        });
        vec![
            scenario.name.to_owned(),
            bill.aws_calls.to_string(),
            bill.read_units.to_string(),
            bill.write_units.to_string(),
            bill.queue_requests.to_string(),
            (bill.s3_reads + bill.s3_writes).to_string(),
            bill.kms_requests.to_string(),
            usd(bill.usd_per_million(prices)),
            usd(bill.data_usd_per_million(prices)),
            functions.collect::<Vec<_>>().join(", "),
        ]
    };
    Table { heads: heads.into(), texts: vec![0, heads.len() - 1], rows: bills.iter().map(row).collect() }
}

fn describe_comparison(prices: &Prices, idle: f64) -> String {
    let server = &prices.server;
    format!(
        "The same runs on AWS Step Functions, with the same requests at API Gateway and no function: a Standard workflow with a\n\
         state for each node, and an Express workflow, which may repeat steps, ends after five minutes and keeps no history.\n\
         A server {} with a disk of {} GB costs {} USD a month, and an idle deployment {}. From the number of runs at which both\n\
         cost the same, the server is cheaper. The last column is the part of what one machine was measured with (README.md).\n",
        server.name,
        server.disk_gb,
        usd(server.usd_per_month()),
        usd(idle),
    )
}

fn comparison_table(bills: &[(&Recorded, Bill)], prices: &Prices, idle: f64) -> Table {
    let heads = [
        "one million of",
        "USD here",
        "USD on Standard",
        "times",
        "USD on Express",
        "times",
        "even at runs a month",
        "runs a second",
        "of one machine",
    ];
    let measured = &prices.server.measured_per_second;
    let compared = bills.iter().filter(|(scenario, _)| scenario.run.is_some() || measured.contains_key(scenario.name));
    let row = |(scenario, bill): &(&Recorded, Bill)| {
        let cost = bill.usd_per_million(prices);
        let step_functions = StepFunctions::new(scenario, bill, prices);
        let standard = step_functions.as_ref().map(|found| found.standard);
        let express = step_functions.and_then(|found| found.express);
        let per_month = (prices.server.usd_per_month() - idle).max(0.0) / cost * 1e6;
        let per_second = per_month / HOURS_OF_A_MONTH / 3_600.0;
        let part = measured.get(scenario.name).map(|&rate| format!("{:.3} %", per_second / f64::from(rate) * 100.0));
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let times = |other: Option<f64>| or_none(other.map(|other| format!("{:.1}", other / cost)));
        vec![
            scenario.name.to_owned(),
            usd(cost),
            or_none(standard.map(usd)),
            times(standard),
            or_none(express.map(usd)),
            times(express),
            thousands(per_month),
            format!("{per_second:.2}"),
            or_none(part),
        ]
    };
    Table { heads: heads.into(), texts: vec![0], rows: compared.map(row).collect() }
}

/// The parts of an idle month, and their sum.
fn idle_of(bills: &[(&Recorded, Bill)], template: &SamTemplate, prices: &Prices) -> (Vec<(&'static str, f64)>, f64) {
    let is_tick = |(scenario, _): &&(&Recorded, Bill)| {
        scenario.invocations.iter().any(|invocation| invocation.trigger == Trigger::Schedule)
    };
    let tick = bills.iter().find(is_tick).map(|(_, bill)| bill.clone()).unwrap_or_default();
    let parts = idle_usd_per_month(&tick, template, prices);
    let sum = parts.values().sum();
    (parts.into_iter().collect(), sum)
}

fn describe_idle(parts: &[(&str, f64)], sum: f64) -> String {
    let parts: Vec<_> = parts.iter().map(|(name, cost)| format!("{name} {}", usd(*cost))).collect();
    format!("An idle deployment costs {} USD a month: {}.\n", usd(sum), parts.join(", "))
}

/// How the assumed time of a core compares with that which was taken here.
pub fn describe_cpu(recorded: &[Recorded], prices: &Prices) -> String {
    let invocations = recorded.iter().flat_map(|scenario| &scenario.invocations);
    let mut ratios: Vec<_> = invocations
        .map(|invocation| invocation.cpu.as_secs_f64() * 1_000.0 / cpu_ms(invocation.calls.len(), &prices.assumed))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    let build = if cfg!(debug_assertions) { "a debug build, so --release says more" } else { "a release build" };
    format!(
        "The invocations took {median:.1} times the assumed time of a core here (median; {build}), with their client, and with the \
         embedded services instead of requests to AWS."
    )
}

fn usd(amount: f64) -> String {
    format!("{amount:.2}")
}

/// A whole number with commas.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_columns_are_aligned() {
        assert_eq!(
            ["7", "1,234", "1,234,567"],
            [7.4, 1_234.0, 1_234_567.0].map(thousands).each_ref().map(|s| s.as_str())
        );
        let rows = vec![vec!["a".to_owned(), "1.50".to_owned()], vec!["a long name".to_owned(), "10.25".to_owned()]];
        let table = Table { heads: vec!["name", "USD"], texts: vec![0], rows };
        assert_eq!(table.to_text(), "name           USD\na             1.50\na long name  10.25\n");
        let markdown = "| name | USD |\n|---|--:|\n| a | 1.50 |\n| a long name | 10.25 |\n";
        assert_eq!(table.to_markdown(), markdown);
    }
}
