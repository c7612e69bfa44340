//! What was really granted, charged and admitted, kept from what the tables took, apart from the platform's counters.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::domain::id::{LeaseId, OrgId};
use shared::domain::identity::Account;
use shared::domain::lease::{Counter, Payer, What, month};
use shared::domain::ledger::{Adjustment, Charge, Kind};
use shared::domain::limits::{Dimension, Level, PlanLimits};
use shared::domain::time::Time;
use shared::store::keys;
use shared::store::usage::Figures;

use crate::credits::Credits;
use crate::database::{COUNTERS, Database, JOURNAL};
use crate::scenario::{Call, Scenario};
use crate::violation::{Oracle, Violation};
use crate::wire::Write;

pub struct Books {
    pub leases: BTreeMap<LeaseId, Seen>,
    pub orgs: BTreeMap<OrgId, Credits>,
    caps: Vec<(String, i128)>,
    /// By meter and month.
    pub spent: BTreeMap<(String, i64), i128>,
    /// What was charged for each call.
    pub charges: BTreeMap<String, Vec<Charge>>,
    /// Calls whose answers ended well.
    pub answered: BTreeSet<String>,
    /// By organization, month, and the key of its item.
    pub usage: BTreeMap<(OrgId, i64, String), Figures>,
    /// What calls were admitted to, by meter and window.
    pub admitted: BTreeMap<(String, Dimension, i64), u64>,
    pub violations: Vec<Violation>,
    pub tally: BTreeMap<&'static str, u64>,
    pub looks_at_due: u64,
}

/// A lease, as it was granted.
pub struct Seen {
    /// The first of a history is 0: ids differ from run to run, numbers do not.
    pub number: usize,
    pub org: OrgId,
    granted_at: Time,
    /// The meters and attributes that count its calls of the day.
    pub counted_by_day: Vec<(String, String)>,
    pub is_open: bool,
    /// When each slot was written.
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

impl Books {
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
            answered: BTreeSet::new(),
            usage: BTreeMap::new(),
            admitted: BTreeMap::new(),
            violations: Vec::new(),
            tally: BTreeMap::new(),
            looks_at_due: 0,
        }
    }

    pub fn count(&mut self, what: &'static str) {
        *self.tally.entry(what).or_default() += 1;
    }

    pub fn violated(&mut self, oracle: Oracle, what: String) {
        self.violations.push(Violation { oracle, what });
    }

    /// A call that may reach its provider now, by its process's clock.
    pub fn admit(&mut self, payer: &Payer, call: &Call, now: Time) {
        for level in [Level::Org, Level::User, Level::Key] {
            let Some(meter) = meter(payer, level) else { continue };
            for dimension in Dimension::ALL {
                let Some(limit) = payer.limits.of(level).of(dimension) else { continue };
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
                    self.violated(Oracle::LimitExceeded, what);
                }
            }
        }
    }

    /// What the tables have taken, told in words.
    pub fn committed(&mut self, database: &Database, writes: &[Write], now: Time) -> Vec<String> {
        let mut told: Vec<String> = writes.iter().filter_map(|write| self.committed_one(write, now)).collect();
        for write in writes.iter().filter(|write| write.sk == keys::METER) {
            let item = database.item(COUNTERS, write.pk, write.sk);
            if let Some(balance) = item.get("balance") {
                told.push(format!("balance {balance}"));
                if balance.as_i64().is_some_and(|balance| balance < 0) {
                    self.violated(Oracle::Overdrawn, format!("a balance of {balance}"));
                }
                let org = self.orgs.iter_mut().find(|(org, _)| keys::org_meter(**org).pk == write.pk);
                if let Some((_, credits)) = org {
                    credits.changed(now);
                }
            }
        }
        told
    }

    fn committed_one(&mut self, write: &Write, now: Time) -> Option<String> {
        let kind = write.sk.split('#').next().unwrap_or_default();
        match (write.kind, write.table, kind) {
            ("Put", COUNTERS, "LEASE") => Some(self.granted(&write.item())),
            ("Delete", COUNTERS, "LEASE") => {
                let lease = self.lease(write.sk)?;
                lease.is_open = false;
                Some(format!("lease {} is closed", lease.number))
            }
            ("Put", JOURNAL, "SLOT") => {
                let lease = self.lease(write.pk)?;
                lease.written.insert(write.sk.to_owned(), now);
                let (number, granted_at) = (lease.number, lease.granted_at);
                match write.item()["slot"].get("charge") {
                    Some(charge) => Some(self.charged(charge, number, granted_at, granted_at, now)),
                    None => {
                        self.count("voids");
                        Some(format!("{} of lease {number} is void", write.sk))
                    }
                }
            }
            ("Put", JOURNAL, "LATE") => {
                let lease = self.lease(write.pk)?;
                let (number, granted_at) = (lease.number, lease.granted_at);
                self.count("late charges");
                let charge = &write.item()["slot"]["charge"];
                let created_at = serde_json::from_value(charge["created_at"].clone()).ok()?;
                Some(format!("late: {}", self.charged(charge, number, granted_at, created_at, now)))
            }
            ("Put", JOURNAL, "TRANSACTION") => {
                let adjustment: Adjustment = serde_json::from_value(write.item()["adjustment"].clone()).ok()?;
                let amount = i128::from(adjustment.amount.pico_usd());
                let signed = if adjustment.kind == Kind::Credit { amount } else { -amount };
                self.moved(adjustment.org, signed, 0, now);
                Some(format!("{signed} given"))
            }
            _ => None,
        }
    }

    fn lease(&mut self, key: &str) -> Option<&mut Seen> {
        self.leases.get_mut(&key.strip_prefix("LEASE#")?.parse().ok()?)
    }

    fn granted(&mut self, item: &Value) -> String {
        let id = serde_json::from_value(item["lease"].clone()).expect("a lease has an id");
        let org = serde_json::from_value(item["org"].clone()).expect("a lease has an organization");
        let granted_at = serde_json::from_value(item["granted_at"].clone()).expect("a lease has a time");
        let counted: Vec<Counter> = serde_json::from_value(item["counted"].clone()).expect("a lease is counted");
        let by_day = counted.iter().filter(|counter| counter.what == What::Limit(Dimension::Rpd));
        let payer = Payer {
            org,
            user: serde_json::from_value(item["user"].clone()).expect("a lease has a user"),
            key: serde_json::from_value(item["key"].clone()).expect("a lease has a key or none"),
            is_exempt: false,
            limits: PlanLimits::default(),
        };
        let counted_by_day = by_day.filter_map(|counter| Some((meter(&payer, counter.level)?, keys::counter(counter))));
        let counted_by_day = counted_by_day.collect();
        let number = self.leases.len();
        self.count("leases");
        if item["slots"].as_u64() > Some(1) {
            self.count("wide leases");
        }
        let written = BTreeMap::new();
        self.leases.insert(id, Seen { number, org, granted_at, counted_by_day, is_open: true, written });
        let unit = &item["unit"];
        format!("lease {number} of {} calls, each {} for {} tokens", item["slots"], unit["money"], unit["tokens"])
    }

    /// Counted in the month of its lease, or when it comes late in that of its own.
    fn charged(&mut self, item: &Value, lease: usize, granted_at: Time, counts_at: Time, now: Time) -> String {
        let charge: Charge = serde_json::from_value(item.clone()).expect("a charge has its form");
        let amount = i128::from(charge.charged.pico_usd());
        let month = month(counts_at);
        let account = Account { org: charge.org, user: charge.user };
        let meters =
            [Some(keys::org_meter(charge.org)), Some(keys::user_meter(account)), charge.key.map(keys::key_meter)];
        for meter in meters.into_iter().flatten() {
            let spent = self.spent.entry((meter.pk.clone(), month)).or_default();
            *spent += amount;
            let spent = *spent;
            if self.caps.iter().any(|(of, cap)| *of == meter.pk && spent > *cap) {
                self.violated(Oracle::CapExceeded, format!("{spent} pico-USD charged to {} in {month}", meter.pk));
            }
        }
        self.used(&charge, granted_at);
        self.moved(charge.org, 0, amount, now);
        let told = format!("call {} charged {amount} in slot {} of lease {lease}", charge.request_id, charge.slot);
        self.count("charges");
        let charges = self.charges.entry(charge.request_id.clone()).or_default();
        charges.push(charge);
        if charges.len() > 1 {
            self.violated(Oracle::ChargedTwice, told.clone());
        }
        told
    }

    fn used(&mut self, charge: &Charge, granted_at: Time) {
        let month = month(granted_at);
        let figures = Figures {
            requests: 1,
            tokens_in: charge.tokens.input,
            tokens_out: charge.tokens.output,
            cost: charge.cost,
            charged: charge.charged,
        };
        let of_day = keys::usage_of_day(charge.org, month, &granted_at.day(), &charge.model);
        let of_key = keys::usage_of_key(charge.org, month, charge.user, charge.key);
        for key in [of_day, of_key] {
            *self.usage.entry((charge.org, month, key.sk)).or_default() += figures;
        }
    }

    fn moved(&mut self, org: OrgId, given: i128, charged: i128, now: Time) {
        let left = self.orgs.entry(org).or_default().moved(given, charged, now);
        if left < 0 {
            self.violated(Oracle::Overdrawn, format!("{left} pico-USD are left of what was given"));
        }
    }
}
