//! Random operations on few keys, so that they meet.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::page::Order;
use store::table::Table;
use tables::Key;
use tables::attribute::Attribute;
use tables::condition::{Comparison, Condition, Path};
use tables::item::Item;
use tables::query::{Range, TableIndex, TableQuery};
use tables::write::{Change, Write, WriteOperation};

/// Texts of the attributes that are keys of indexes, and of others.
const TEXTS: [&str; 7] = ["a", "aa", "b", "ä", "Z", "z\u{10ffff}", "2026-11-26"];
const NUMBERS: [&str; 9] = ["0", "1", "-1", "7", "10", "99", "123456789012345678901234567890", "-20", "1.5"];
/// The attributes that are keys of indexes, all texts.
const INDEXED: [&str; 8] =
    ["by_name", "by_created", "due_shard", "due_at", "listed_in", "listed_by_state", "run_id", "threads_of"];
const LABELS: [&str; 3] = ["", "first", "second"];

pub struct Random {
    random: fastrand::Rng,
    /// Whether an attribute may be no key of its index. In transactions, DynamoDB finds some of these late.
    has_wrong_keys: bool,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), has_wrong_keys: true }
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.random.usize(..limit)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn happens(&mut self, of_ten: usize) -> bool {
        self.below(10) < of_ten
    }

    pub fn key(&mut self) -> Key {
        Key::new(self.one(&["a", "b"]), self.one(&["1", "2", "3", "4", "ä", "item#5"]))
    }

    /// Different keys.
    pub fn keys(&mut self) -> Vec<Key> {
        let mut keys: Vec<Key> = (0..=self.below(5)).map(|_| self.key()).collect();
        keys.sort_by(|one, other| (&one.pk, &one.sk).cmp(&(&other.pk, &other.sk)));
        keys.dedup();
        keys
    }

    fn text(&mut self) -> AttributeValue {
        AttributeValue::S(self.one(&TEXTS).to_owned())
    }

    fn number(&mut self) -> AttributeValue {
        AttributeValue::N(self.one(&NUMBERS).to_owned())
    }

    fn whole_number(&mut self) -> AttributeValue {
        AttributeValue::N(self.one(&NUMBERS[..8]).to_owned())
    }

    fn value(&mut self, depth: usize) -> AttributeValue {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 | 1 => self.text(),
            2 | 3 => self.whole_number(),
            4 => AttributeValue::Bool(self.happens(5)),
            5 if self.happens(5) => AttributeValue::Null(true),
            // Over the borders of the units.
            5 => AttributeValue::S("x".repeat(self.one(&[1, 900, 1_100, 4_000]))),
            6 => AttributeValue::L((0..self.below(3)).map(|_| self.value(depth - 1)).collect()),
            _ => self.map(depth - 1),
        }
    }

    fn map(&mut self, depth: usize) -> AttributeValue {
        let names = ["inner", "count", "text"].map(str::to_owned);
        let fields = names.into_iter().filter(|_| self.random.bool()).collect::<Vec<_>>();
        AttributeValue::M(fields.into_iter().map(|name| (name, self.value(depth))).collect())
    }

    /// An attribute with a value that fits it, and sometimes one that does not.
    fn attribute(&mut self) -> (String, AttributeValue) {
        if self.happens(5) {
            let name = self.one(&INDEXED).to_owned();
            let value = match self.below(40) {
                0 | 1 if !self.has_wrong_keys => self.text(),
                0 => AttributeValue::S(String::new()),
                1 => self.number(),
                _ => self.text(),
            };
            return (name, value);
        }
        match self.below(7) {
            0 => ("by_requests".to_owned(), self.number()),
            1 => ("head".to_owned(), self.map(1)),
            2 => ("count".to_owned(), self.whole_number()),
            3 => ("work_id".to_owned(), self.text()),
            4 if self.happens(5) => ("other".to_owned(), AttributeValue::S(String::new())),
            4 => ("blob".to_owned(), AttributeValue::B(Blob::new([1, 2, 255]))),
            5 => ("n:a b.c".to_owned(), self.whole_number()),
            _ => ("other".to_owned(), self.value(2)),
        }
    }

    pub fn item(&mut self) -> Item {
        let mut item = self.key().attributes();
        for _ in 0..self.below(9) {
            item.extend([self.attribute()]);
        }
        item
    }

    /// A path. DynamoDB allows no keys in the filter of a query.
    fn path(&mut self, in_filter: bool) -> Path {
        let name = match self.below(if in_filter { 3 } else { 7 }) {
            0 if in_filter => self.one(&["count", "work_id", "other", "n:a b.c", "missing"]),
            0 => self.one(&["by_requests", "head", "count", "work_id", "other", "n:a b.c", "missing"]),
            1 => return Attribute::<()>::named("head".to_owned()).field("count", |()| &()).path(),
            2 => return Attribute::<()>::named("other".to_owned()).field("inner", |()| &()).path(),
            _ => self.one(&INDEXED),
        };
        Attribute::<()>::named(name.to_owned()).path()
    }

    fn condition(&mut self, depth: usize, in_filter: bool) -> Condition {
        let path = self.path(in_filter);
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Condition::Exists(path),
            1 => Condition::Missing(path),
            2 => {
                let comparisons = [
                    Comparison::Equal,
                    Comparison::Less,
                    Comparison::LessOrEqual,
                    Comparison::Greater,
                    Comparison::GreaterOrEqual,
                ];
                let value = if self.happens(2) { self.number() } else { self.value(1) };
                Condition::Compare(path, self.one(&comparisons), value)
            }
            3 => {
                let (mut from, mut to) = (self.one(&TEXTS), self.one(&TEXTS));
                if from > to {
                    (from, to) = (to, from);
                }
                Condition::Between(path, AttributeValue::S(from.to_owned()), AttributeValue::S(to.to_owned()))
            }
            4 => Condition::Contains(path, self.one(&["a", "z", "2026"]).to_owned()),
            5 => Condition::OneOf(path, (0..=self.below(3)).map(|_| self.value(0)).collect()),
            6 => self.condition(depth - 1, in_filter).and(self.condition(depth - 1, in_filter)),
            _ => self.condition(depth - 1, in_filter).or(self.condition(depth - 1, in_filter)),
        }
    }

    fn change(&mut self) -> Change {
        match self.below(10) {
            0..5 => {
                let (name, value) = self.attribute();
                Change::Set(Attribute::<()>::named(name).path(), value)
            }
            5 => Change::Set(self.path(false), self.value(1)),
            6 => Change::Add(
                Attribute::<()>::named(self.one(&["count", "n:a b.c", "other"]).to_owned()).path(),
                self.whole_number(),
            ),
            7 => {
                let count = Attribute::<()>::named("head".to_owned()).field("count", |()| &());
                Change::Increase(count.path(), self.whole_number())
            }
            _ => Change::Remove(self.path(false)),
        }
    }

    /// Changes of different attributes.
    fn changes(&mut self) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for _ in 0..=self.below(4) {
            let change = self.change();
            let name = |change: &Change| match change {
                Change::Set(path, _) | Change::Increase(path, _) | Change::Add(path, _) | Change::Remove(path) => {
                    path.attribute.clone()
                }
            };
            if !changes.iter().any(|other| name(other) == name(&change)) {
                changes.push(change);
            }
        }
        changes
    }

    /// A put or an update.
    pub fn write(&mut self, table: &Table) -> Write {
        let write = if self.happens(5) {
            table.put_item(self.item())
        } else {
            let mut write = table.update(self.key());
            write.operation = WriteOperation::Update { key: self.key(), changes: self.changes() };
            write
        };
        self.with_condition(write)
    }

    /// The writes of a transaction.
    pub fn transaction(&mut self, table: &Table) -> Vec<Write> {
        self.has_wrong_keys = false;
        let count = self.below(4) + 2;
        let writes = (0..count).map(|_| self.transacted(table)).collect();
        self.has_wrong_keys = true;
        writes
    }

    fn transacted(&mut self, table: &Table) -> Write {
        let write = match self.below(5) {
            0 => table.delete(self.key()),
            1 => {
                let check = table.check(self.key());
                return check.require(self.condition(2, false)).labeled("check");
            }
            _ => self.write(table),
        };
        self.with_condition(write)
    }

    fn with_condition(&mut self, write: Write) -> Write {
        let write = write.labeled(self.one(&LABELS));
        match self.below(5) {
            0 => write.require(self.condition(2, false)),
            1 => write.require_exists(),
            2 => write.require_new(),
            _ => write,
        }
    }

    pub fn query(&mut self) -> TableQuery {
        let global = [
            ("due", "due_shard", "due_at"),
            ("runs", "listed_in", "run_id"),
            ("runs_by_state", "listed_by_state", "run_id"),
        ];
        let named = |name: &str| Attribute::<String>::named(name.to_owned());
        let (index, sort, is_global) = match self.below(6) {
            0 | 1 => (None, "sk", false),
            2 | 3 => {
                let sort = self.one(&["by_name", "by_created", "by_requests"]);
                (Some(TableIndex::local(named(sort))), sort, false)
            }
            _ => {
                let (name, partition, sort) = self.one(&global);
                (Some(TableIndex::global(name, named(partition))), sort, true)
            }
        };
        let partition = if is_global { self.one(&TEXTS) } else { self.one(&["a", "b"]) };
        let range = self.happens(5).then(|| {
            if sort == "by_requests" {
                Range::between(Attribute::<i64>::named(sort.to_owned()), -1_i64, 50_i64)
            } else {
                let (mut from, mut to) = (self.one(&TEXTS), self.one(&TEXTS));
                if from > to {
                    (from, to) = (to, from);
                }
                Range::between(named(sort), from, to)
            }
        });
        TableQuery {
            partition: partition.to_owned(),
            index,
            range,
            order: if self.happens(5) { Order::Asc } else { Order::Desc },
            filter: self.happens(4).then(|| self.condition(1, true)),
            after: None,
            limit: self.happens(5).then(|| self.below(3) as u32 + 1),
            count_only: self.happens(2),
        }
    }
}

/// An item of 150 KB.
pub fn large_item(number: u32) -> Item {
    let mut item = Key::new("a", format!("{number:03}")).attributes();
    item.insert("text".to_owned(), AttributeValue::S("x".repeat(150_000)));
    item
}
