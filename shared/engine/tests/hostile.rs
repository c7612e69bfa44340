//! Tests hostile expressions and templates: none of them may hang, crash or exhaust memory. The test runs in its own
//! process, whose memory is measured.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use engine::expression::{Expression, JinjaTemplate, Scope};
use peak_alloc::PeakAlloc;
use serde_json::json;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The time after which an evaluation counts as hanging: far more than a debug build needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// The maximum memory of one evaluation. The budget counts 16 MiB; the allocator needs more, because it uses blocks and
/// lists grow by doubling.
const MAX_BYTES: usize = 96 * 1024 * 1024;
/// The stack of a thread. The frames of a debug build are large.
const STACK_BYTES: usize = 2 * 1024 * 1024;
const MAX_GIVEN: usize = 1024 * 1024;

/// The processor time of this thread, which does not grow on a busy machine. Zero if the system does not report it.
fn processor_time() -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = counted.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn evaluate(language: &str, text: &str) -> Result<String, String> {
    let variables = json!({"input": {"n": 5, "tags": ["a"]}, "nodes": {}, "vars": {}, "run": {"id": "r1"}});
    let scope = Scope::new(variables.as_object().unwrap(), "2026-03-01T09:30:00Z".parse().unwrap());
    if language == "cel" {
        let expression = Expression::parse(text).map_err(|problem| problem.to_string())?;
        return expression.evaluate(&scope).map(|(value, _)| value.to_string()).map_err(|failure| failure.to_string());
    }
    let template = JinjaTemplate::parse(text).map_err(|problem| problem.to_string())?;
    template.render(&scope).map_err(|failure| failure.to_string())
}

const FOUR_MILLION: &[usize] = &[40, 40, 50, 50];

/// An expression for a string whose length is the product of the counts.
fn repeated(letter: char, counts: &[usize]) -> String {
    let letters = |count: usize| format!("'{}'", letter.to_string().repeat(count));
    counts[1..]
        .iter()
        .fold(letters(counts[0]), |text, count| format!("{text}.replace('{letter}', {})", letters(*count)))
}

/// Texts that hung, aborted or exhausted memory in one of the libraries, or that could.
fn hostile() -> Vec<(&'static str, String)> {
    let nested = |open: &str, count: usize, close: &str| format!("{}1{}", open.repeat(count), close.repeat(count));
    let hundred = "[0,1,2,3,4,5,6,7,8,9].map(a,[0,1,2,3,4,5,6,7,8,9])";
    let (letters, blanks) = (repeated('a', FOUR_MILLION), repeated(' ', FOUR_MILLION));
    let cel = [
        nested("(", 2_000, ")"),
        nested("[", 2_000, "]"),
        format!("{}1{}", "{'a':".repeat(600), "}".repeat(600)),
        nested("size(", 600, ")"),
        "1+".repeat(2_000) + "1",
        "1==".repeat(1_300) + "1",
        format!("a{}", "[0]".repeat(1_300)),
        format!("a{}", ".b".repeat(2_000)),
        format!("{}true", "!".repeat(4_000)),
        format!("{}1", "-".repeat(4_000)),
        format!("{}1", "true?1:".repeat(500)),
        "a||".repeat(1_300) + "true",
        "\u{0}\u{1}[[[((({{{\"\"\"'''//\\\\%%%%%<<<>>>".to_owned(),
        "lists.range(100).all(a,lists.range(100).all(b,lists.range(100).all(c,lists.range(100).all(d,a+b+c+d>=0))))"
            .to_owned(),
        format!("{hundred}.map(a,{hundred}.map(b,{hundred}.map(c,{hundred}.map(d,[a,b,c,d]))))"),
        "[1].map(a,[a,a]).map(a,[a,a]).map(a,[a,a]).map(a,[a,a]).map(a,[a,a])".to_owned() + &".map(a,a+a)".repeat(60),
        format!("'{}'{}", "x".repeat(100), ".split('').map(c,c+c+c+c).join('')".repeat(60)),
        "'x'*1000000000".to_owned(),
        repeated('x', &[100, 100, 100, 100, 10]),
        format!("('a'+'b'){}", "*100".repeat(40)),
        "lists.range(1000000000)".to_owned(),
        "lists.range(100000).map(x, lists.range(100000))".to_owned(),
        "lists.range(20000).exists(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('(\\\\w{10})|abc' + string(x)))"
            .to_owned(),
        "'%s'.format(lists.range(100000))".to_owned(),
        "'%1000000000d'.format([1])".to_owned(),
        format!("'{}'.matches('(a?){{60}}a{{60}}')", "a".repeat(60)),
        "lists.range(30000).map(x, 'a').join('').matches('((a*)*)*b')".to_owned(),
        "'a'.matches('(((a{100}){100}){100})')".to_owned(),
        "lists.range(10000).sort() == lists.range(10000).reverse().sort() && lists.range(10000).distinct().size() > 0"
            .to_owned(),
        "toJson(lists.range(100000).map(x, {'aaaaaaaaaaaaaaaaaaaa': x}), 8)".to_owned(),
        "''.replace('', 'xxxxxxxxxx') + 'aaaaaaaaaa'.replace('', 'bbbbbbbbbb')".to_owned()
            + &".replace('', 'bbbbbbbbbbbbbbbbb')".repeat(50),
        "timestamp('9999-12-31T23:59:59Z') + duration('9999999999h')".to_owned(),
        "9223372036854775807 * 9223372036854775807".to_owned(),
        "int('-9223372036854775808') / -1".to_owned(),
        "int('-9223372036854775808') % -1".to_owned(),
        "-int('-9223372036854775808') + math.abs(int('-9223372036854775808'))".to_owned(),
        "-duration(-9223372036854775807 - 1)".to_owned(),
        "duration(9223372036854775807) + duration(1) > duration(-9223372036854775807 - 1) - duration(1)".to_owned(),
        "lists.range(100).all(a,lists.range(100).all(b,lists.range(100).all(c,a+b+c>=0)))".to_owned(),
        "lists.range(100000).all(x, 'aaaaaaaaaaaaaaaaaaaaaaaaa'.matches('(a|b)*c'))".to_owned(),
        (0..186).map(|_| "''.matches('a{999}')").collect::<Vec<_>>().join("||"),
        "lists.range(90000).all(x, ''.matches('a{999}') || true)".to_owned(),
        format!("[{blanks}].all(s, lists.range(60000).all(i, s.trim() == ''))"),
        format!("[{letters}].all(s, lists.range(60000).all(i, s.startsWith(s)))"),
        format!("[{letters}].all(s, lists.range(60000).all(i, s.endsWith(s) && s.contains(s)))"),
        format!("[{blanks}].all(s, lists.range(60000).all(i, double('1' + s) == 1.0 || int(s) == 1 || bool(s)))"),
        format!("[{blanks}].all(s, lists.range(60000).all(i, timestamp(s) == duration(s) || true))"),
        format!("lists.range(100000).sort({})", repeated('.', FOUR_MILLION)),
        format!("[{letters}].all(k, lists.range(90000).all(i, !(k in {{'a': 1, 'b': 2}})))"),
        format!("[{letters}].all(k, lists.range(90000).all(i, 'b'.replace(k, '') == 'b' && 'b'.split(k).size() == 1))"),
        format!("[{}].all(s, s.split('a').size() + s.split('').size() > 0)", repeated('a', &[30, 30, 20, 50])),
        "lists.range(32).map(x, x % 3 == 0 ? 0.0/0.0 : double(x * 7 % 13)).sort()".to_owned(),
        "lists.range(3000).map(x, x % 3 == 0 ? 0.0/0.0 : double(x * 7 % 13)).sort()".to_owned(),
        "lists.range(40).map(x, x % 3 == 0 ? 'a' : x).sort()".to_owned(),
        repeated('\u{1}', FOUR_MILLION),
        "[fromJson('{' + lists.range(20000).map(i, '\"k' + string(i) + '\":1').join(',') + '}')].all(m, lists.range(9).all(i, merge(m, m, {}) == m))".to_owned(),
        "[fromJson('{' + lists.range(900).map(i, '\"' + 'k'.replace('k', 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk').replace('k', 'kkkkkkkkkkkkkkkkkkkk') + string(1000 + i) + '\":1').join(',') + '}')].all(m, lists.range(900).all(i, merge(m, m) == m))".to_owned(),
        "lists.range(60000).all(i, merge({'a': 1}, {'b': 2}, {'c': 3}) != {})".to_owned(),
        format!("[{{'a': 1}}]{}", ".map(m, merge(m, {'b': m}, {'c': m}))".repeat(100)),
        "lists.range(100000).all(i, now().date('%255Y%255Y%255Y%255Y%255Y%255Y%255Y') != '')".to_owned(),
        "[lists.range(50000).map(i, {'k': i % 7, 'l': i})].all(l, lists.range(1000).all(i, l.sort('k').size() > 0))".to_owned(),
        "range(-1, 9223372036854775807, 9223372036854775807)".to_owned(),
        "lists.range(-9223372036854775808, 9223372036854775807, 9223372036854)".to_owned(),
        "lists.range(-9223372036854775808, 9223372036854775807)".to_owned(),
        "lists.range(40000).map(x, string(x)).distinct().size()".to_owned(),
        "lists.range(40000).map(x, 0.0/0.0).distinct().size()".to_owned(),
        format!("[1]{}.distinct()", ".map(a,[a,a])".repeat(60)),
        format!("[{letters}].all(s, lists.range(60000).map(i, s).distinct() == [s])"),
        "[lists.range(30000)].all(l, lists.range(30000).all(x, x in l))".to_owned(),
        "lists.range(60000).all(x, x < 20 || !(x in lists.range(20)))".to_owned(),
        "[lists.range(30000)].all(l, lists.range(30000).all(x, ([x] + l)[0] == x))".to_owned(),
        format!("[{letters}].all(k, lists.range(60000).all(i, {{k: 1, k: 2, k: 3}} != {{}}))"),
        format!("[{letters}].all(k, [{{k: 1}}].all(m, lists.range(60000).all(i, merge(m, m) == m)))"),
        "fromJson('[' + lists.range(60000).map(i, '[[0]]').join(',') + ']')".to_owned(),
        "fromJson('[' + lists.range(60000).map(i, '{\"\":0}').join(',') + ']')".to_owned(),
        "fromJson('{' + lists.range(60000).map(i, '\"a\":[[]]').join(',') + '}')".to_owned(),
        "lists.range(400).map(a, lists.range(400).map(b, []))".to_owned(),
        "lists.range(400).map(a, lists.range(400).map(b, {}))".to_owned(),
        "lists.range(400).transformMap(a, b, b)".to_owned(),
        "lists.range(300).transformList(a, b, lists.range(300).transformList(c, d, [a, b, c, d]))".to_owned(),
        format!("[{}].all(s, size(toJson([s])) + size(string([s])) > 0)", repeated('\u{1}', FOUR_MILLION)),
        format!("[{}].all(s, s.split('', 9223372036854775807).size() + s.indexOf(s, 1) > 0)", repeated('a', &[30, 30, 20, 5])),
    ];
    let jinja = [
        format!("{{{{ {} }}}}", nested("(", 5_000, ")")),
        format!("{{{{ {} }}}}", nested("[", 5_000, "]")),
        format!("{{{{ 1{} }}}}", "+1".repeat(20_000)),
        format!("{{{{ {}1 }}}}", "not ".repeat(15_000)),
        format!("{{{{ {}1 }}}}", "-".repeat(60_000)),
        format!("{{{{ a{} }}}}", "|upper".repeat(10_000)),
        format!("{{{{ a{} }}}}", ".b".repeat(20_000)),
        format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(5_000)),
        format!("{}x{}", "{% if a %}".repeat(2_500), "{% endif %}".repeat(2_500)),
        format!("{}x{}", "{% for a in [1,2] %}".repeat(60), "{% endfor %}".repeat(60)),
        "{% for a in range(100) %}{% for b in range(100) %}{% for c in range(100) %}{% for d in range(100) %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}".to_owned(),
        format!("{{% set a = 'aaaaaaaa' %}}{}", "{% set a = a ~ a %}".repeat(40)),
        format!("{{% set a = 'aaaaaaaa' %}}{}{{{{ a }}}}", "{% set a %}{{ a }}{{ a }}{% endset %}".repeat(40)),
        format!("{{% set a = [1] %}}{}{{{{ a == a }}}}", "{% set a = [a, a] %}".repeat(60)),
        format!("{{% set a = [1] %}}{}{{{{ a | tojson }}}}", "{% set a = [a, a] %}".repeat(60)),
        format!("{{% set a = [1] %}}{}", "{% set a = [a] %}".repeat(3_000)),
        format!("{{% set a = [1] %}}{}", "{% set a = a + a %}".repeat(60)),
        "{{ 'x' | indent(1000000000) }}".to_owned(),
        "{{ [1] | tojson(indent=1000000000) }}".to_owned(),
        "{{ '%1000000000d' | format(1) }}".to_owned(),
        "{{ [1] | batch(100000000, 'x') }}".to_owned(),
        "{{ [1] | slice(100000000) }}{{ [1][:100000000] }}".to_owned(),
        format!("{{% for x in range(150000) %}}{}{{% endfor %}}", "{%set a%}{%endset%}".repeat(3_400)),
        format!("{{% for x in range(150000) %}}{}{{% endfor %}}", "{%with%}{%endwith%}".repeat(3_400)),
        format!("{{% set l = range(120) %}}{}{{% for x in range(400000) %}}{{{{ q }}}}{{% endfor %}}", format!("{{%set {} = l%}}", vec!["a"; 120].join(",")).repeat(240)),
        "{{ ('\n' * 8000000) | lines | length }}".to_owned(),
        "{{ ('\n' * 5000000) | indent(0) | length }}".to_owned(),
        format!("{{{{ {}true }}}}", "not ".repeat(490)),
        format!("{{{{ {}1 }}}}", "-".repeat(490)),
        format!("{{{{ 1{} }}}}", "+1".repeat(240)),
        format!("{{{{ a{} }}}}", "|upper".repeat(240)),
        format!("{{{{ a{} }}}}", "[0]".repeat(160)),
        format!("{{{{ {} }}}}", nested("[", 240, "]")),
        format!("{{% if {}true %}}x{{% endif %}}", "not ".repeat(490)),
        "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(29) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}".to_owned(),
        "{% block a %}{{ self.a() }}{% endblock %}".to_owned(),
        "{% extends 'template' %}{% import 'template' as t %}{% include 'template' %}".to_owned(),
        "{{ lipsum(100000000) }}{{ cycler(1) }}{{ joiner() }}".to_owned(),
        "{{ 'x' * 1000000000 }}".to_owned(),
        "{{ ('x' * 100000) | replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' * 10000) }}".to_owned(),
        "{% for a in range(100000) %}{{ 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' }}{% endfor %}".to_owned(),
        "{{ range(1000000000) }}".to_owned(),
        "{{ 9 ** 9 ** 9 ** 9 }}".to_owned(),
        "{{ run.id | date('%255Y%255Y' * 1000) }}".to_owned(),
        "{{ now() | date('%255Y%255Y%255Y%255Y%255Y%255Y%255Y') | length }}{{ now() | date('%Q%!%') }}".to_owned(),
        "{% set ns=namespace() %}{% set ns.a=ns %}{{ ns }}".to_owned(),
        "{{ 'a,' * 1000000 | split(',') }}".to_owned(),
        "{{ 'abc' | trim('x' * 1000000) }}{{ ('a' * 1000000) | trim('b' * 1000000) }}".to_owned(),
        format!("{{% set a = [1] %}}{}{{{{ [a, a] | sort | unique | length }}}}", "{% set a = [a] %}".repeat(240)),
        format!("{{% set a = [1] %}}{}{{{{ [a, a] | sort }}}}", "{% set a = [a, a] %}".repeat(60)),
        format!("{{% set a = [1] %}}{}{{{{ [a, a] | unique }}}}", "{% set a = [a, a] %}".repeat(60)),
        "{% set a = 'A' * 1000000 %}{{ [a, a, a, a, a, a, a, a] | sort | unique | min }}".to_owned(),
        "{% set a = ('A ' * 100000).split(' ') %}{% for i in range(1000) %}{% set b = a | unique %}{% endfor %}".to_owned(),
        "{% set a = ('A ' * 100000).split(' ') %}{% for i in range(1000) %}{% set b = a | groupby('x', 'y') %}{% endfor %}".to_owned(),
        "{{ range(50000) | sort(attribute=',' * 100000) }}{{ range(50000) | sum(attribute='.' * 1000000) }}".to_owned(),
        "{% for i in range(200000) %}{% set b = 1.7976931348623157e308 | round(323) ~ 5e-324 | round(-300) %}{% endfor %}".to_owned(),
        "{% for i in range(200000) %}{% set b = '%.1000f%.1000e%.1000g' | format(0.1, 0.1, 0.1) %}{% endfor %}".to_owned(),
        "{{ ('ß' * 1000000) | title | e | e | length }}{{ ('<' * 4000000) | e }}{{ ('a' * 8000000) is lower }}".to_owned(),
        "{{ '%99999999999999999999d' | format(1) }}{{ '%.99999d' | format(1) }}{{ '%.65536f' | format(1) }}".to_owned(),
        "{{ dict(a=1) }}{{ range(-1, 9223372036854775807, 9223372036854775807) }}".to_owned(),
        "\u{0}{{{{{%{%{%%}}}#}{#".to_owned(),
        "{{ range(-1, 9223372036854775807, 9223372036854775807) }}".to_owned(),
        "{{ range(-9223372036854775808, 9223372036854775807, 9223372036854) | length }}".to_owned(),
        "{% for x in range(0, 9223372036854775807) %}x{% endfor %}".to_owned(),
        "{{ range(40000) | map('string') | unique | length }}".to_owned(),
        "{% set l = range(30000) %}{% for x in l if x in l %}{% endfor %}".to_owned(),
        "{{ ('\u{1}' * 3000000) | tojson | length }}".to_owned(),
    ];
    cel.into_iter().map(|text| ("cel", text)).chain(jinja.into_iter().map(|text| ("jinja", text))).collect()
}

#[test]
fn hostile_texts_neither_hang_nor_crash_nor_exhaust_memory() {
    let (report, reported) = mpsc::channel();
    let attempt = move || {
        for (language, text) in hostile() {
            let start: String = text.chars().take(60).collect();
            report.send(format!("{language} {start}")).unwrap();
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            let started = processor_time();
            let outcome = evaluate(language, &text);
            let (took, peak) = (processor_time() - started, MEMORY.peak_usage().saturating_sub(before));
            eprintln!("{:>8.1} ms {:>8.2} MB  {language} {start}", took.as_secs_f64() * 1e3, peak as f64 / 1e6);
            assert!(peak < MAX_BYTES, "{language} {start} took {peak} bytes");
            if let Ok(given) = &outcome {
                assert!(given.len() <= MAX_GIVEN, "{start}");
            }
        }
    };
    let attempts = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(attempt).unwrap();
    let mut last = String::new();
    loop {
        match reported.recv_timeout(PATIENCE) {
            Ok(next) => last = next,
            Err(RecvTimeoutError::Disconnected) => break attempts.join().unwrap(),
            Err(RecvTimeoutError::Timeout) => panic!("{last} still runs after {PATIENCE:?}"),
        }
    }
}
