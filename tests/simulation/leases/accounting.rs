//! The oracles' own accounts: what was really granted, charged and admitted, derived from the committed writes and
//! independent of the platform's counters.

use std::collections::BTreeMap;

use domain::id::{LeaseId, OrgId};
use domain::identity::Account;
use domain::lease::{Counter, CounterKind, Payer, month};
use domain::ledger::{Adjustment, Charge, EntryKind};
use domain::limits::{Dimension, Level, PlanLimits};
use domain::money::Money;
use domain::spend::SpendBy;
use domain::time::Time;
use serde_json::Value;
use store::keys;
use store::usage::Figures;

use super::credits::Credits;
use super::records::{charges, has_charges};
use super::scenario::{Call, Scenario};
use super::violation::Oracle;
use crate::machine::database::{COUNTERS, Database, JOURNAL};
use crate::machine::dynamodb_json::Write;
use crate::machine::report::Findings;

pub struct Accounting {
    pub leases: BTreeMap<LeaseId, LeaseRecord>,
    pub orgs: BTreeMap<OrgId, Credits>,
    caps: Vec<(String, i128)>,
    /// The spending by meter and month.
    pub spent: BTreeMap<(String, i64), i128>,
    /// The charges of each call, by request id.
    pub charges: BTreeMap<String, Vec<Charge>>,
    /// The calls whose answers ended well, with the cost that each answer reported.
    pub answered: BTreeMap<String, Money>,
    /// The usage by organization, month and the key of its item.
    pub usage: BTreeMap<(OrgId, i64, String), Figures>,
    /// The spend by organization and group, then by day and name.
    pub spend: BTreeMap<(OrgId, SpendBy), BTreeMap<(String, String), Figures>>,
    /// The calls and tokens admitted, by meter and window.
    pub admitted: BTreeMap<(String, Dimension, i64), u64>,
    pub findings: Findings<Oracle>,
    pub due_reads: u64,
}

/// A lease as it was granted.
pub struct LeaseRecord {
    /// The number of the lease in its history, from 0. Ids differ between runs, numbers do not.
    pub number: usize,
    pub org: OrgId,
    granted_at: Time,
    is_exempt: bool,
    /// The money in one slot.
    unit: Money,
    /// The money that the lease took and its charges have not spent.
    left: i128,
    /// The meters and attributes that count its calls per day.
    pub counted_by_day: Vec<(String, String)>,
    pub is_open: bool,
    pub slots: i128,
    /// The number of charges in its log.
    pub charges: i128,
    /// The time at which each record was written.
    pub written: BTreeMap<String, Time>,
}

pub fn meter(payer: &Payer, level: Level) -> Option<String> {
    let key = match level {
        Level::Org => keys::org_meter(payer.org),
        Level::User => keys::user_meter(Account { org: payer.org, user: payer.user }),
        Level::Key => keys::key_meter(payer.key?),
    };
    Some(key.pk)
}

/// The meters of a charge, the organization's first.
fn meters_of(charge: &Charge) -> Vec<String> {
    let account = Account { org: charge.org, user: charge.user };
    let meters = [Some(keys::org_meter(charge.org)), Some(keys::user_meter(account)), charge.key.map(keys::key_meter)];
    meters.into_iter().flatten().map(|key| key.pk).collect()
}

impl Accounting {
    pub fn new(scenario: &Scenario) -> Self {
        let caps = scenario
            .caps
            .iter()
            .filter_map(|cap| Some((meter(&scenario.payers[cap.payer], cap.level)?, i128::from(cap.most.pico_usd()))));
        Self {
            leases: BTreeMap::new(),
            orgs: BTreeMap::new(),
            caps: caps.collect(),
            spent: BTreeMap::new(),
            charges: BTreeMap::new(),
            answered: BTreeMap::new(),
            usage: BTreeMap::new(),
            spend: BTreeMap::new(),
            admitted: BTreeMap::new(),
            findings: Findings::default(),
            due_reads: 0,
        }
    }

    /// Counts a call that is admitted now, by its process's clock, and checks the limits.
    pub fn admit(&mut self, payer: &Payer, call: &Call, now: Time) {
        for level in [Level::Org, Level::User, Level::Key] {
            let Some(meter) = meter(payer, level) else { continue };
            for dimension in Dimension::ALL {
                let Some(limit) = payer.limits.get(level).get(dimension) else { continue };
                let amount = match dimension {
                    Dimension::Rpm | Dimension::Rpd => 1,
                    Dimension::Tpm | Dimension::Tpd => (call.input + call.output).min(call.need.tokens),
                    Dimension::Ipm => 0,
                };
                let window = dimension.window(now);
                let admitted = self.admitted.entry((meter.clone(), dimension, window)).or_default();
                *admitted += amount;
                if *admitted > limit {
                    let what = format!("{admitted} of {limit} {dimension} of the {level} in window {window}");
                    self.findings.record_violation(Oracle::LimitExceeded, what);
                }
            }
        }
    }

    /// Records committed writes, checks them, and describes each for the trace.
    pub fn record_writes(&mut self, database: &Database, writes: &[Write], now: Time) -> Vec<String> {
        let mut lines: Vec<String> = writes.iter().filter_map(|write| self.record_write(write, now)).collect();
        for write in writes.iter().filter(|write| write.sk == keys::METER) {
            let item = database.item(COUNTERS, write.pk, write.sk);
            if let Some(balance) = item.get("balance") {
                lines.push(format!("balance {balance}"));
                if balance.as_i64().is_some_and(|balance| balance < 0) {
                    self.findings.record_violation(Oracle::Overdrawn, format!("a balance of {balance}"));
                }
                let org = self.orgs.iter_mut().find(|(org, _)| keys::org_meter(**org).pk == write.pk);
                if let Some((_, credits)) = org {
                    credits.changed(now);
                }
            }
        }
        for write in writes.iter().filter(|write| write.kind == "Put" && write.table == JOURNAL) {
            let charges = if has_charges(write.sk) { charges(&write.item()) } else { vec![] };
            let short = charges.iter().filter(|charge| !charge.uncollected.is_zero());
            for charge in short.filter(|charge| !self.is_used_up(database, charge)).collect::<Vec<_>>() {
                let what = format!("{} of call {} not collected, money left", charge.uncollected, charge.request_id);
                self.findings.record_violation(Oracle::Undercollected, what);
            }
        }
        lines
    }

    /// Whether the balance or a cap of the charge's meters is used up.
    fn is_used_up(&self, database: &Database, charge: &Charge) -> bool {
        let meters = meters_of(charge);
        let meter = |pk: &str| database.item(COUNTERS, pk, keys::METER);
        let is_spent = |(pk, cap): &(String, i128)| {
            let meter = meter(pk);
            let spendings = meter.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with("spent_"));
            let mut spendings = spendings.filter(|(name, _)| !name.ends_with("_wide"));
            spendings.any(|(_, spent)| spent.as_i64().is_some_and(|spent| i128::from(spent) >= *cap))
        };
        meter(&meters[0])["balance"].as_i64().unwrap_or_default() == 0
            || self.caps.iter().filter(|(pk, _)| meters.contains(pk)).any(is_spent)
    }

    fn record_write(&mut self, write: &Write, now: Time) -> Option<String> {
        let kind = write.sk.split('#').next().unwrap_or_default();
        match (write.kind, write.table, kind) {
            ("Put", COUNTERS, "LEASE") => Some(self.record_lease(&write.item())),
            ("Delete", COUNTERS, "LEASE") => {
                let lease = self.lease(write.sk)?;
                lease.is_open = false;
                Some(format!("lease {} is closed", lease.number))
            }
            ("Put", JOURNAL, "RECORD") => {
                let charges = charges(&write.item());
                let lease = self.lease(write.pk)?;
                lease.written.insert(write.sk.to_owned(), now);
                lease.charges += charges.len() as i128;
                let (number, granted_at) = (lease.number, lease.granted_at);
                match charges.len() {
                    0 => self.findings.count("voids"),
                    1 => {}
                    _ => self.findings.count("records of several charges"),
                }
                let charges: Vec<String> =
                    charges.into_iter().map(|charge| self.record_charge(charge, number, granted_at, now)).collect();
                let content = if charges.is_empty() { "a void".to_owned() } else { charges.join(", ") };
                Some(format!("{}: {content} of lease {number}", write.sk))
            }
            ("Put", JOURNAL, "LATE") => {
                let lease = self.lease(write.pk)?;
                let number = lease.number;
                self.findings.count("late charges");
                let charge = charges(&write.item()).pop()?;
                let created_at = charge.created_at;
                Some(format!("late: {}", self.record_charge(charge, number, created_at, now)))
            }
            ("Put", JOURNAL, "TRANSACTION") => {
                let adjustment: Adjustment = serde_json::from_value(write.item()["adjustment"].clone()).ok()?;
                let amount = i128::from(adjustment.amount.pico_usd());
                let signed = if adjustment.kind == EntryKind::Credit { amount } else { -amount };
                self.record_credits(adjustment.org, signed, 0, now);
                Some(format!("{signed} given"))
            }
            _ => None,
        }
    }

    fn lease(&mut self, key: &str) -> Option<&mut LeaseRecord> {
        self.leases.get_mut(&key.strip_prefix("LEASE#")?.parse().ok()?)
    }

    fn record_lease(&mut self, item: &Value) -> String {
        let id = serde_json::from_value(item["lease"].clone()).expect("a lease has an id");
        let org = serde_json::from_value(item["org"].clone()).expect("a lease has an organization");
        let granted_at = serde_json::from_value(item["granted_at"].clone()).expect("a lease has a time");
        let counted: Vec<Counter> = serde_json::from_value(item["counted"].clone()).expect("a lease is counted");
        let by_day = counted.iter().filter(|counter| counter.kind == CounterKind::Limit(Dimension::Rpd));
        let payer = Payer {
            org,
            user: serde_json::from_value(item["user"].clone()).expect("a lease has a user"),
            key: serde_json::from_value(item["key"].clone()).expect("a lease has a key or none"),
            is_exempt: false,
            limits: PlanLimits::default(),
        };
        let attribute = |counter| keys::counter(counter).name().to_owned();
        let counted_by_day = by_day.filter_map(|counter| Some((meter(&payer, counter.level)?, attribute(counter))));
        let counted_by_day = counted_by_day.collect();
        let number = self.leases.len();
        self.findings.count("leases");
        if item["slots"].as_u64() > Some(1) {
            self.findings.count("wide leases");
        }
        let unit = &item["unit"];
        let of_slot = Money::from_pico_usd(unit["money"].as_u64().expect("a slot holds money or none"));
        let slots = item["slots"].as_u64().expect("a lease has slots");
        let lease = LeaseRecord {
            number,
            org,
            granted_at,
            is_exempt: item["is_exempt"].as_bool().expect("a lease is exempt or not"),
            unit: of_slot,
            left: i128::from(of_slot.times(slots).pico_usd()),
            counted_by_day,
            is_open: true,
            slots: slots.into(),
            charges: 0,
            written: BTreeMap::new(),
        };
        self.leases.insert(id, lease);
        format!("lease {number} of {} calls, each {} for {} tokens", item["slots"], unit["money"], unit["tokens"])
    }

    /// Records a charge. It counts at the time of its lease's grant; a late charge counts at its own time.
    fn record_charge(&mut self, charge: Charge, lease: usize, counts_at: Time, now: Time) -> String {
        let amount = i128::from(charge.charged.pico_usd());
        let month = month(counts_at);
        for meter in meters_of(&charge) {
            let spent = self.spent.entry((meter.clone(), month)).or_default();
            *spent += amount;
            let spent = *spent;
            if self.caps.iter().any(|(of, cap)| *of == meter && spent > *cap) {
                self.findings
                    .record_violation(Oracle::CapExceeded, format!("{spent} pico-USD charged to {meter} in {month}"));
            }
        }
        self.record_usage(&charge, counts_at);
        self.record_credits(charge.org, 0, amount, now);
        let line = format!("call {} charged {amount} in slot {} of lease {lease}", charge.request_id, charge.slot);
        self.findings.count("charges");
        self.check_payment(&charge);
        let charges = self.charges.entry(charge.request_id.clone()).or_default();
        charges.push(charge);
        if charges.len() > 1 {
            self.findings.record_violation(Oracle::ChargedTwice, line.clone());
        }
        line
    }

    /// Checks that the whole cost is charged or recorded as uncollected, and that a lease spends no more than it took.
    fn check_payment(&mut self, charge: &Charge) {
        let lease = self.leases.get_mut(&charge.lease).expect("a charge is of a lease");
        lease.left -= i128::from(charge.from_lease().pico_usd());
        let (unit, is_exempt, left) = (lease.unit, lease.is_exempt, lease.left);
        let owed = if is_exempt { Money::ZERO } else { charge.cost };
        if charge.charged + charge.uncollected != owed || charge.overage > charge.charged {
            self.findings.record_violation(Oracle::Misreported, format!("{charge:?}"));
        }
        if left < 0 {
            self.findings
                .record_violation(Oracle::Unbalanced, format!("lease {}: {left} left after {charge:?}", charge.lease));
        }
        let events = [
            (charge.from_lease() > unit, "charges above their slot"),
            (!charge.overage.is_zero(), "charges with an overage"),
            (!charge.uncollected.is_zero(), "charges not fully collected"),
        ];
        events.iter().filter(|(happened, _)| *happened).for_each(|(_, what)| self.findings.count(what));
    }

    fn record_usage(&mut self, charge: &Charge, counts_at: Time) {
        let month = month(counts_at);
        let of_day = keys::usage_of_day(charge.org, month, &counts_at.day(), &charge.model);
        let of_key = keys::usage_of_key(charge.org, month, charge.user, charge.key);
        for key in [of_day, of_key] {
            *self.usage.entry((charge.org, month, key.sk)).or_default() += Figures::from(charge);
        }
        let key = charge.key.map_or_else(|| charge.user.to_string(), |key| key.to_string());
        let labels = charge.facts.as_deref().into_iter().flat_map(|facts| facts.labels.names());
        for (by, name) in [(SpendBy::Model, &*charge.model), (SpendBy::Key, &*key)].into_iter().chain(labels) {
            let of_group = self.spend.entry((charge.org, by)).or_default();
            *of_group.entry((counts_at.day(), name.to_owned())).or_default() += Figures::from(charge);
        }
    }

    fn record_credits(&mut self, org: OrgId, given: i128, charged: i128, now: Time) {
        let left = self.orgs.entry(org).or_default().add(given, charged, now);
        if left < 0 {
            self.findings.record_violation(Oracle::Overdrawn, format!("{left} pico-USD are left of the credits"));
        }
    }
}
