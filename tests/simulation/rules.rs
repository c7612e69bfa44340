//! The rules of the protocol, each of which can be switched off: at the wire, or by using the leases wrongly.

use domain::id::LeaseId;
use serde_json::{Value, json};
use shared::store::keys;

use crate::database::{COUNTERS, JOURNAL};
use crate::violation::Oracle;
use crate::wire::{Write, added, bodies, change_added, writes};
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What a lease does not hold of a charge is debited with it.
    DebitsOverages,
    /// An overage is debited on condition that there is room for it.
    DebitsOveragesOnCondition,
    /// A part of what is owed is collected on condition that it is all there is.
    CollectsAllThereIs,
    /// A lease's charges are read from its own partition, strongly.
    ReadsItsOwnPartition,
    /// A sweep puts a void into every empty slot.
    VoidsEmptySlots,
    /// A charge is put where nothing is yet.
    FillsEmptySlotsOnly,
    /// A late charge takes what there is, on condition.
    DebitsLateOnCondition,
    /// A grant takes what there is, on condition.
    GrantsOnCondition,
    /// Each window is an attribute of its own.
    WindowsOfTheirOwn,
    /// A lease takes calls within its minute.
    EndsWithItsMinute,
    /// What a sweep finds under way stays counted.
    KeepsWhatWasUnderWay,
    /// A lease is closed once.
    ClosesOnce,
    /// A transaction that is sent again is not carried out again.
    KnowsItsTransactions,
    /// What changes a balance counts in its sequence.
    CountsChanges,
}

impl Rule {
    pub const ALL: [Self; 14] = [
        Self::DebitsOverages,
        Self::DebitsOveragesOnCondition,
        Self::CollectsAllThereIs,
        Self::ReadsItsOwnPartition,
        Self::VoidsEmptySlots,
        Self::FillsEmptySlotsOnly,
        Self::DebitsLateOnCondition,
        Self::GrantsOnCondition,
        Self::WindowsOfTheirOwn,
        Self::EndsWithItsMinute,
        Self::KeepsWhatWasUnderWay,
        Self::ClosesOnce,
        Self::KnowsItsTransactions,
        Self::CountsChanges,
    ];

    /// What is seen to be violated without it, if anything is.
    pub fn guards(self) -> &'static [Oracle] {
        use Oracle::{CapExceeded, Failed, Forgiven, LimitExceeded, Overdrawn, Shown, Unbalanced, Undercounted};
        match self {
            Self::DebitsOverages | Self::DebitsOveragesOnCondition => &[Overdrawn, CapExceeded],
            Self::CollectsAllThereIs => &[Forgiven],
            Self::ReadsItsOwnPartition => &[Shown],
            Self::CountsChanges => &[Overdrawn, Shown],
            Self::VoidsEmptySlots | Self::FillsEmptySlotsOnly | Self::ClosesOnce => &[Unbalanced, Overdrawn],
            Self::DebitsLateOnCondition => &[Overdrawn, CapExceeded],
            Self::GrantsOnCondition => &[Overdrawn, CapExceeded, LimitExceeded],
            Self::WindowsOfTheirOwn | Self::EndsWithItsMinute => &[LimitExceeded],
            Self::KeepsWhatWasUnderWay => &[LimitExceeded, Undercounted],
            Self::KnowsItsTransactions => &[Failed],
        }
    }

    /// The history to look at first. Any other may show it too.
    pub fn is_missed_in(self) -> u64 {
        match self {
            Self::DebitsOverages | Self::DebitsOveragesOnCondition | Self::DebitsLateOnCondition => 4,
            Self::CollectsAllThereIs => 16,
            Self::ReadsItsOwnPartition => 17,
            Self::VoidsEmptySlots | Self::FillsEmptySlotsOnly | Self::ClosesOnce => 4,
            Self::GrantsOnCondition => 1,
            Self::WindowsOfTheirOwn => 24,
            Self::EndsWithItsMinute => 5,
            Self::KeepsWhatWasUnderWay => 11,
            Self::KnowsItsTransactions => 11,
            Self::CountsChanges => 56,
        }
    }

    pub fn reads_by_index(self) -> bool {
        self == Self::ReadsItsOwnPartition
    }

    /// What a store that does not know the rule would send.
    pub fn rewrite(self, world: &World, operation: &str, request: &mut Value) {
        let parts = Parts::of(operation, request);
        match self {
            Self::VoidsEmptySlots => {
                let items = request["TransactItems"].as_array_mut();
                items.into_iter().for_each(|items| items.retain(|item| item["Put"]["Item"]["slot"]["S"] != "void"));
            }
            Self::FillsEmptySlotsOnly if operation == "PutItem" => drop_condition(request),
            Self::GrantsOnCondition if parts.grant => drop_conditions_of(request, "Update"),
            Self::ClosesOnce if parts.close => drop_conditions_of(request, "Delete"),
            Self::DebitsOverages if parts.overage => charge_without_debit(request),
            Self::DebitsOveragesOnCondition if parts.overage => debit_in_full(request),
            Self::CollectsAllThereIs if parts.overage || parts.late => drop_conditions_of(request, "Update"),
            Self::DebitsLateOnCondition if parts.late => debit_in_full(request),
            Self::WindowsOfTheirOwn if parts.grant => remove_other_windows(world, request),
            Self::KnowsItsTransactions => drop(request.as_object_mut().unwrap().remove("ClientRequestToken")),
            Self::CountsChanges if !parts.adjustment => {
                let updates = bodies(request).map(|(_, body)| body);
                updates.for_each(|body| change_added(body, |name, number| if name == "seq" { 0 } else { number }));
            }
            _ => {}
        }
    }

    /// What it would do besides.
    pub fn after_commit(self, world: &World, committed: &[Write]) {
        if self != Self::KeepsWhatWasUnderWay {
            return;
        }
        let is_void = |write: &&Write| write.body["Item"]["slot"]["S"] == "void";
        let voids: Vec<&Write> = committed.iter().filter(is_void).collect();
        let Some(void) = voids.first() else { return };
        let lease: LeaseId = void.pk.trim_start_matches("LEASE#").parse().unwrap();
        let counted = world.state().books.leases[&lease].counted_by_day.clone();
        for (pk, attribute) in counted {
            let update = committed.iter().find(|write| write.pk == pk && write.sk == keys::METER);
            let returned = update.and_then(|update| added(update.body).remove(&attribute)).unwrap_or_default();
            let rest = voids.len() as i128 + returned;
            let values = json!({":n": {"N": (-rest).to_string()}});
            world.database.change(&pk, keys::METER, &format!("ADD {attribute} :n"), values);
        }
    }
}

/// What a request is part of.
struct Parts {
    grant: bool,
    close: bool,
    /// A charge of which its lease does not hold all.
    overage: bool,
    late: bool,
    adjustment: bool,
}

impl Parts {
    fn of(operation: &str, request: &Value) -> Self {
        let writes = writes(operation, request);
        let has = |kind: &str, table: &str, sk: &str| {
            writes.iter().any(|write| write.kind == kind && write.table == table && write.sk.starts_with(sk))
        };
        let close = has("Delete", COUNTERS, "LEASE#");
        Self {
            grant: has("Put", COUNTERS, "LEASE#"),
            close,
            overage: !close && has("Put", JOURNAL, "SLOT#") && has("Update", COUNTERS, keys::METER),
            late: has("Put", JOURNAL, "LATE#"),
            adjustment: has("Put", JOURNAL, "TRANSACTION"),
        }
    }
}

/// With the values that only a condition uses, which DynamoDB refuses otherwise.
fn drop_condition(body: &mut Value) {
    let body = body.as_object_mut().unwrap();
    body.remove("ConditionExpression");
    let expression = body.get("UpdateExpression").and_then(Value::as_str).unwrap_or_default().to_owned();
    let uses = |name: &str| expression.split([' ', ',']).any(|word| word == name);
    for part in ["ExpressionAttributeValues", "ExpressionAttributeNames"] {
        if let Some(used) = body.get_mut(part).and_then(Value::as_object_mut) {
            used.retain(|name, _| uses(name));
            if used.is_empty() {
                body.remove(part);
            }
        }
    }
}

fn drop_conditions_of(request: &mut Value, kind: &str) {
    bodies(request).filter(|(of, _)| *of == kind).for_each(|(_, body)| drop_condition(body));
}

/// The whole charge, whatever there is.
fn debit_in_full(request: &mut Value) {
    let mut uncollected = 0;
    for (_, body) in bodies(request).filter(|(kind, _)| *kind == "Put") {
        uncollected += collect_whole(&mut body["Item"]["slot"]["M"]["charge"]["M"], true);
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

/// The whole charge, as if its lease held it.
fn charge_without_debit(request: &mut Value) {
    let items = request["TransactItems"].as_array_mut().expect("a transaction has items");
    items.retain(|item| item["Put"].is_object());
    for (_, body) in bodies(request) {
        collect_whole(&mut body["Item"]["slot"]["M"]["charge"]["M"], false);
    }
}

/// Makes a charge collect what it left, as an overage or out of its lease. How much that was.
fn collect_whole(charge: &mut Value, as_overage: bool) -> i128 {
    let number = |field: &Value| field["N"].as_str().map_or(0, |number| number.parse::<i128>().unwrap());
    let Some(fields) = charge.as_object_mut() else { return 0 };
    let uncollected = fields.remove("uncollected").map_or(0, |field| number(&field));
    let overage = fields.remove("overage").map_or(0, |field| number(&field));
    let charged = number(&fields["charged"]) + uncollected;
    fields.insert("charged".to_owned(), json!({"N": charged.to_string()}));
    if as_overage {
        fields.insert("overage".to_owned(), json!({"N": (overage + uncollected).to_string()}));
    }
    uncollected
}

/// A window that begins takes the place of every other.
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
