//! The rules of the lease protocol. A rule is switched off by changing requests, by hiding rows of an answer, by an extra
//! write after a commit, or by a clock that lags.

use domain::id::LeaseId;
use serde_json::{Value, json};
use store::keys;

use super::accounting::Accounting;
use super::records::has_charges;
use super::violation::Oracle;
use crate::machine::database::{COUNTERS, JOURNAL};
use crate::machine::dynamodb_json::{Write, added, bodies, change_added, drop_condition, write_bodies, writes};
use crate::machine::runner::ProtocolRule;
use crate::machine::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The part of a charge that its lease does not cover is debited in the same transaction.
    DebitsOverages,
    /// An overage is debited on condition that the balance and the caps have room for it.
    DebitsOveragesOnCondition,
    /// A partial payment is collected on condition that nothing more is left.
    CollectsAllRemaining,
    /// A lease's charges are read from its own partition with strong consistency.
    ReadsItsOwnPartition,
    /// A sweep writes a void (a tombstone) as the next record of the log.
    VoidsNextRecord,
    /// A sweep writes its void only if the log still ends there.
    VoidsOnCondition,
    /// A record is written only if there is none with its number.
    AppendsOnCondition,
    /// Records are numbered without gaps.
    NumbersWithoutGaps,
    /// A late charge is debited on condition that the balance and the caps have room for it.
    DebitsLateOnCondition,
    /// A grant takes money on condition that the balance, the caps and the limits have room for it.
    GrantsOnCondition,
    /// Each rate-limit window has its own attribute.
    SeparateWindows,
    /// A lease admits calls only within its minute.
    EndsWithItsMinute,
    /// Calls that a sweep finds in flight stay counted.
    KeepsInFlightCounted,
    /// A lease is closed only once.
    ClosesOnce,
    /// A transaction that is sent again is not executed again (its idempotency token).
    DeduplicatesTransactions,
    /// Each change of a balance increments its sequence number.
    CountsChanges,
    /// The transaction that closes a lease writes the rows of its calls in the log of calls.
    ListsCallsWithClose,
    /// So does the transaction of a late charge.
    ListsLateCalls,
    /// The transaction that closes a lease adds its calls to the spend by day.
    AddsSpendWithClose,
    /// So does the transaction of a late charge.
    AddsLateSpend,
    /// The calls of a lease have so few tags and end users that its close can add to the spend of each.
    LimitsLabels,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] = &[
        Self::DebitsOverages,
        Self::DebitsOveragesOnCondition,
        Self::CollectsAllRemaining,
        Self::ReadsItsOwnPartition,
        Self::VoidsNextRecord,
        Self::VoidsOnCondition,
        Self::AppendsOnCondition,
        Self::NumbersWithoutGaps,
        Self::DebitsLateOnCondition,
        Self::GrantsOnCondition,
        Self::SeparateWindows,
        Self::EndsWithItsMinute,
        Self::KeepsInFlightCounted,
        Self::ClosesOnce,
        Self::DeduplicatesTransactions,
        Self::CountsChanges,
        Self::ListsCallsWithClose,
        Self::ListsLateCalls,
        Self::AddsSpendWithClose,
        Self::AddsLateSpend,
        Self::LimitsLabels,
    ];

    fn expected_oracles(self) -> &'static [Oracle] {
        use Oracle::{
            CapExceeded, Failed, LimitExceeded, NotListed, Overdrawn, Unbalanced, Undercollected, Undercounted, Usage,
            WrongBalanceShown,
        };
        match self {
            Self::DebitsOverages | Self::DebitsOveragesOnCondition => &[Overdrawn, CapExceeded],
            Self::CollectsAllRemaining => &[Undercollected],
            Self::ReadsItsOwnPartition => &[WrongBalanceShown],
            Self::CountsChanges => &[Overdrawn, WrongBalanceShown],
            Self::VoidsNextRecord | Self::VoidsOnCondition | Self::NumbersWithoutGaps => &[Unbalanced, Overdrawn],
            Self::AppendsOnCondition | Self::ClosesOnce => &[Unbalanced, Overdrawn],
            Self::DebitsLateOnCondition => &[Overdrawn, CapExceeded],
            Self::GrantsOnCondition => &[Overdrawn, CapExceeded, LimitExceeded],
            Self::SeparateWindows | Self::EndsWithItsMinute => &[LimitExceeded],
            Self::KeepsInFlightCounted => &[LimitExceeded, Undercounted],
            Self::DeduplicatesTransactions => &[Failed],
            Self::ListsCallsWithClose | Self::ListsLateCalls => &[NotListed],
            Self::AddsSpendWithClose | Self::AddsLateSpend | Self::LimitsLabels => &[Usage],
        }
    }

    fn first_seed(self) -> u64 {
        match self {
            Self::DebitsOverages | Self::DebitsOveragesOnCondition => 4,
            Self::DebitsLateOnCondition => 85,
            Self::CollectsAllRemaining => 16,
            Self::ReadsItsOwnPartition => 17,
            Self::VoidsNextRecord | Self::NumbersWithoutGaps | Self::ClosesOnce => 4,
            Self::VoidsOnCondition | Self::AppendsOnCondition => 6,
            Self::GrantsOnCondition => 1,
            Self::SeparateWindows => 24,
            Self::EndsWithItsMinute => 5,
            Self::KeepsInFlightCounted => 11,
            Self::DeduplicatesTransactions => 11,
            Self::CountsChanges => 115,
            Self::ListsCallsWithClose => 1,
            Self::ListsLateCalls => 4,
            Self::AddsSpendWithClose => 1,
            Self::AddsLateSpend => 4,
            Self::LimitsLabels => 1,
        }
    }
}

impl Rule {
    pub fn reads_by_index(self) -> bool {
        self == Self::ReadsItsOwnPartition
    }

    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, world: &World, operation: &str, request: &mut Value) {
        let kinds = OperationKinds::find(operation, request);
        match self {
            Self::VoidsNextRecord => {
                let items = request["TransactItems"].as_array_mut();
                items.into_iter().for_each(|items| items.retain(|item| !is_void(&item["Put"])));
            }
            Self::VoidsOnCondition => {
                bodies(request).filter(|(_, body)| is_void(body)).for_each(|(_, body)| drop_condition(body))
            }
            Self::AppendsOnCondition if operation == "PutItem" => drop_condition(request),
            Self::NumbersWithoutGaps => {
                let bodies = write_bodies(operation, request).into_iter();
                bodies.filter(|body| !is_void(body)).for_each(skip_number);
            }
            Self::GrantsOnCondition if kinds.grant => drop_conditions_of(request, "Update"),
            Self::ClosesOnce if kinds.close => drop_conditions_of(request, "Delete"),
            Self::DebitsOverages if kinds.overage => charge_without_debit(request),
            Self::DebitsOveragesOnCondition if kinds.overage => debit_in_full(request),
            Self::CollectsAllRemaining if kinds.overage || kinds.late => drop_conditions_of(request, "Update"),
            Self::DebitsLateOnCondition if kinds.late => debit_in_full(request),
            Self::SeparateWindows if kinds.grant => remove_other_windows(world, request),
            Self::DeduplicatesTransactions => drop(request.as_object_mut().unwrap().remove("ClientRequestToken")),
            Self::ListsCallsWithClose if kinds.close => drop_call_rows(request),
            Self::ListsLateCalls if kinds.late => drop_call_rows(request),
            Self::AddsSpendWithClose if kinds.close => drop_spend(request),
            Self::AddsLateSpend if kinds.late => drop_spend(request),
            Self::CountsChanges if !kinds.adjustment => {
                let updates = bodies(request).map(|(_, body)| body);
                updates.for_each(|body| change_added(body, |name, number| if name == "seq" { 0 } else { number }));
            }
            _ => {}
        }
    }

    /// After a commit, makes the extra writes that a store without this rule would make.
    pub fn after_commit(self, world: &World, accounting: &Accounting, committed: &[Write]) {
        if self != Self::KeepsInFlightCounted {
            return;
        }
        let Some(void) = committed.iter().find(|write| is_void(write.body)) else { return };
        let lease: LeaseId = void.pk.trim_start_matches("LEASE#").parse().unwrap();
        let lease = &accounting.leases[&lease];
        for (pk, attribute) in &lease.counted_by_day {
            let update = committed.iter().find(|write| write.pk == *pk && write.sk == keys::METER);
            let returned = update.and_then(|update| added(update.body).remove(attribute)).unwrap_or_default();
            let rest = lease.slots - lease.charges + returned;
            let values = json!({":n": {"N": (-rest).to_string()}});
            world.database.update(COUNTERS, pk, keys::METER, &format!("ADD {attribute} :n"), &values);
        }
    }
}

/// The operations that a request belongs to.
struct OperationKinds {
    grant: bool,
    close: bool,
    /// A charge that its lease does not fully cover.
    overage: bool,
    late: bool,
    adjustment: bool,
}

impl OperationKinds {
    fn find(operation: &str, request: &Value) -> Self {
        let writes = writes(operation, request);
        let has = |kind: &str, table: &str, sk: &str| {
            writes.iter().any(|write| write.kind == kind && write.table == table && write.sk.starts_with(sk))
        };
        let close = has("Delete", COUNTERS, "LEASE#");
        Self {
            grant: has("Put", COUNTERS, "LEASE#"),
            close,
            overage: !close && has("Put", JOURNAL, keys::RECORD) && has("Update", COUNTERS, keys::METER),
            late: has("Put", JOURNAL, "LATE#"),
            adjustment: has("Put", JOURNAL, "TRANSACTION"),
        }
    }
}

fn drop_conditions_of(request: &mut Value, kind: &str) {
    bodies(request).filter(|(of, _)| *of == kind).for_each(|(_, body)| drop_condition(body));
}

fn drop_call_rows(request: &mut Value) {
    drop_writes(request, |item| &item["Put"]["Item"]["pk"], "CALLS#");
}

fn drop_spend(request: &mut Value) {
    drop_writes(request, |item| &item["Update"]["Key"]["pk"], "SPEND#");
}

/// Drops the writes whose partition key begins with a prefix.
fn drop_writes(request: &mut Value, pk: impl Fn(&Value) -> &Value, prefix: &str) {
    let items = request["TransactItems"].as_array_mut().expect("a transaction has items");
    items.retain(|item| !pk(item)["S"].as_str().is_some_and(|pk| pk.starts_with(prefix)));
}

/// Debits the whole charge, even if less is left.
fn debit_in_full(request: &mut Value) {
    let mut uncollected = 0;
    // The rows of the log of calls have copies of the charge.
    let has_charges = |body: &Value| body["Item"]["sk"]["S"].as_str().is_some_and(has_charges);
    for (_, body) in bodies(request).filter(|(kind, body)| *kind == "Put" && has_charges(body)) {
        uncollected += packed_charges(body).map(|charge| collect_whole(charge, true)).sum::<i128>();
    }
    drop_conditions_of(request, "Update");
    for (_, body) in bodies(request).filter(|(kind, _)| *kind == "Update") {
        change_added(body, |name, number| match name {
            "balance" => number - uncollected,
            "charged" => number + uncollected,
            "uncollected" => number - uncollected,
            _ if name.starts_with("spent") => number + uncollected,
            _ => number,
        });
    }
}

/// Records the whole charge as if its lease covered it.
fn charge_without_debit(request: &mut Value) {
    let items = request["TransactItems"].as_array_mut().expect("a transaction has items");
    items.retain(|item| item["Put"].is_object());
    for (_, body) in bodies(request) {
        for charge in packed_charges(body) {
            collect_whole(charge, false);
        }
    }
}

/// Whether a write is that of a void.
fn is_void(body: &Value) -> bool {
    let item = &body["Item"];
    is_record(item) && item["charges"]["L"].as_array().is_some_and(Vec::is_empty)
}

fn is_record(item: &Value) -> bool {
    item["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with(keys::RECORD))
}

/// Gives a record twice its number.
fn skip_number(body: &mut Value) {
    let Some(item) = body.get_mut("Item").filter(|item| is_record(item)) else { return };
    let number: u32 = item["sk"]["S"].as_str().unwrap()[keys::RECORD.len()..].parse().unwrap();
    item["sk"]["S"] = format!("{}{:02}", keys::RECORD, number * 2).into();
}

/// The charges of a record, as they are stored (see `packed.rs` of the store).
fn packed_charges(body: &mut Value) -> impl Iterator<Item = &mut Value> {
    let charges = body.pointer_mut("/Item/charges/L").and_then(Value::as_array_mut);
    charges.into_iter().flatten().map(|charge| &mut charge["M"])
}

/// Makes a charge collect its uncollected part, as an overage or from its lease, and returns that amount.
fn collect_whole(charge: &mut Value, as_overage: bool) -> i128 {
    let number = |field: &Value| field["N"].as_str().map_or(0, |number| number.parse::<i128>().unwrap());
    let Some(fields) = charge.as_object_mut() else { return 0 };
    let uncollected = fields.remove("n").map_or(0, |field| number(&field));
    let overage = fields.remove("e").map_or(0, |field| number(&field));
    // Without an amount of its own, the cost is charged.
    let charged = fields.get("d").map_or_else(|| number(&fields["c"]), number) + uncollected;
    fields.insert("d".to_owned(), json!({"N": charged.to_string()}));
    if as_overage {
        fields.insert("e".to_owned(), json!({"N": (overage + uncollected).to_string()}));
    }
    uncollected
}

/// When a lease opens a new window, removes the older windows of the same limit. The simulation has no image limits.
fn remove_other_windows(world: &World, request: &mut Value) {
    let is_window = |name: &str| ["rpm_", "tpm_", "rpd_", "tpd_"].iter().any(|prefix| name.starts_with(prefix));
    for (_, body) in bodies(request).filter(|(kind, body)| *kind == "Update" && body["Key"]["sk"]["S"] == keys::METER) {
        let names = body["ExpressionAttributeNames"].as_object().cloned().unwrap_or_default();
        let pk = body["Key"]["pk"]["S"].as_str().unwrap().to_owned();
        let item = world.database.item(COUNTERS, &pk, keys::METER);
        let others = item.as_object().into_iter().flatten().map(|(name, _)| name);
        let others = others.filter(|name| is_window(name) && !names.values().any(|used| used == *name));
        let dimensions: Vec<&str> = names.values().filter_map(Value::as_str).filter(|name| is_window(name)).collect();
        let others = others.filter(|name| dimensions.iter().any(|used| used[..4] == name[..4]));
        let others = others.cloned().collect::<Vec<_>>().join(", ");
        if !others.is_empty() {
            let expression = body["UpdateExpression"].as_str().unwrap();
            let word = if expression.contains(" REMOVE ") { "," } else { " REMOVE" };
            body["UpdateExpression"] = format!("{expression}{word} {others}").into();
        }
    }
}
