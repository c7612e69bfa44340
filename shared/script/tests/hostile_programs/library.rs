//! Programs that attack what the sandbox adds in JavaScript: `Buffer`, `Intl` and luxon.

pub const LIBRARY: &[(&str, &str, &str)] = &[
    ("large buffer", "LT", "return Buffer.alloc(2 ** 31 - 1).length"),
    ("buffer of an array-like", "LT", "return Buffer.from({ length: 2 ** 53 - 1 }).length"),
    ("buffer of many", "LT", "return Buffer.concat(Array(1e6).fill(Buffer.alloc(1000))).length"),
    ("buffer of a long text", "L", "return Buffer.from('x'.repeat(2e7)).toString('base64').length"),
    ("search in a buffer", "L", "return Buffer.alloc(1e6, 'a').indexOf('a'.repeat(5e5) + 'b')"),
    (
        "cyclic valueOf",
        "LT",
        "const a = {}; const b = { valueOf: () => a }; a.valueOf = () => b; return Buffer.from(a)",
    ),
    ("number of many digits", "LV", "return (10n ** 200000n).toLocaleString().length"),
    ("list of many", "L", "return new Intl.ListFormat('en').format(Array(1e8).fill('a')).length"),
    ("endless locales", "L", "return new Date().toLocaleString((function* () { for (;;) yield 'xx' })())"),
    ("options that loop", "L", "return (1).toLocaleString('en', { get style() { for (;;); } })"),
    ("long format of luxon", "LV", "return DateTime.now().toFormat('yyyy '.repeat(1e6)).length"),
    ("long text for luxon", "LV", "return DateTime.fromFormat('1'.repeat(1e6), 'y'.repeat(1e5)).isValid"),
    (
        "many parts of luxon",
        "L",
        "return Interval.after(DateTime.now(), { years: 1000 }).splitBy({ milliseconds: 1 }).length",
    ),
    (
        "luxon with broken natives",
        "VT",
        "Object.defineProperty = null; Array.prototype.map = null; return DateTime.now().toISO()",
    ),
    ("clock of luxon that loops", "LV", "Date.now = () => { for (;;); }; return DateTime.now().toISO()"),
];
