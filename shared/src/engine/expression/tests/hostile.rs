//! What the hostile write.

use std::time::{Duration, Instant};

use super::*;

/// Everything that hung, aborted or bloated one of the libraries, or that would.
fn hostile() -> Vec<(&'static str, String)> {
    let nested = |open: &str, count: usize, close: &str| format!("{}1{}", open.repeat(count), close.repeat(count));
    let hundred = "[0,1,2,3,4,5,6,7,8,9].map(a,[0,1,2,3,4,5,6,7,8,9])";
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
        "\u{0}{{{{{%{%{%%}}}#}{#".to_owned(),
    ];
    cel.into_iter().map(|text| ("cel", text)).chain(jinja.into_iter().map(|text| ("jinja", text))).collect()
}

#[test]
fn nothing_hostile_hangs_bloats_or_crashes() {
    // A stack as small as a thread's may be, and a debug build's large frames.
    let tried = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(|| {
        for (language, text) in hostile() {
            let started = Instant::now();
            let outcome = if language == "cel" { cel(&text).map(|_| String::new()) } else { jinja(&text) };
            let took = started.elapsed();
            let start: String = text.chars().take(60).collect();
            assert!(took < Duration::from_secs(2), "{language} {start} took {took:?}");
            if let Ok(printed) = &outcome {
                assert!(printed.len() <= budget::MAX_OUTPUT_BYTES, "{start}");
            }
        }
    });
    tried.unwrap().join().unwrap();
}
