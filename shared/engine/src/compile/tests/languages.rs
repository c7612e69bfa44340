//! Tests of the problems in Spanish.

use serde_json::json;

use super::*;

#[test]
fn problems_are_written_in_spanish() {
    let call = json!({
        "url": "ftp://x", "headers": {"Authorization": "x"}, "query": {"q": "{{ x | uper }}"}, "timeoutMs": 5,
    });
    let nodes = [
        ("start", "input", json!({"extra": 1})),
        ("check", "condition", expression("input.n > 1 and true")),
        ("call", "http", call),
        ("when", "schedule", json!({"cron": "0 24 * * *", "zone": "Mars/Base"})),
        ("text", "template", json!({"template": "a\n{% include 'x' %}"})),
        ("later", "transform", json!({"value": "nodes.my.output", "fields": {"a": "size()"}})),
        ("my-step", "send_result", json!({"output": "secret"})),
    ];
    let connections = "start>check check.maybe>call call>text text>later later>text ghost>text text.side>my-step";
    let (_, problems) = compile(&graph(&nodes, connections));
    let spanish: Vec<_> = problems.into_iter().map(|problem| problem.message.es).collect();
    assert_eq!(
        spanish,
        [
            "nodo `start`, config.extra: no es un campo de este tipo; quítelo",
            "nodo `check`: no tiene la salida `maybe`; tiene true, false",
            "nodo `check`, config.expression, línea 1, columna 13: no se espera `and` aquí; escriba &&",
            "nodo `call`, config.headers.Authorization: es un secreto que ven todos los lectores; guárdelo en una credencial, o calcúlelo",
            "nodo `call`, config.query.q, línea 1, columna 8: no hay ningún filtro `uper`; ¿quiso decir `upper`?",
            "nodo `call`, config.timeoutMs: al menos 100",
            "nodo `call`, config.url: debe ser una URL válida que empiece por http:// o https://",
            "nodo `when`: no tiene ninguna conexión de salida; conéctelo a un nodo",
            "nodo `when`, config.cron: `24` no es una hora válida, de 0 a 23",
            "nodo `when`, config.zone: debe ser una zona horaria de la IANA, como Europe/Madrid",
            "nodo `text`: está en un ciclo con `later`; para repetir pasos, use un nodo de tipo loop",
            "nodo `text`: la conexión de `ghost` a `text` se refiere a un nodo que no existe; quítela",
            "nodo `text`: no tiene la salida `side`; tiene out",
            // This text is from minijinja.
            "nodo `text`, config.template, línea 2, columna 4: unknown statement include",
            "nodo `later`, config.fields.a, línea 1, columna 1: `size` recibe 1 argumento",
            "nodo `later`, config.value: defina value o fields, no los dos",
            "nodo `later`, config.value, línea 1, columna 7: no hay ningún nodo `my`; si se refiere a `my-step`, escriba nodes[\"my-step\"]",
            "nodo `my-step`, config.output, línea 1, columna 1: variable desconocida `secret`; use una de input, nodes, vars, run",
        ]
    );
}

#[test]
fn missing_references_and_constant_conditions_are_described_in_spanish() {
    let nodes = [
        ("start", "input", json!({})),
        ("if", "condition", expression("'yes'")),
        ("ask", "model", json!({"model": "gone", "prompt": "hi"})),
        ("end", "send_result", json!({})),
    ];
    let mut compiled = crate::compile::compile(&graph(&nodes, "start>if if.true>ask ask>end if.false>end"));
    compiled.require_references(&BTreeSet::new());
    let spanish: Vec<_> = compiled.finish().1.into_iter().map(|problem| problem.message.es).collect();
    assert_eq!(
        spanish,
        [
            "nodo `if`, config.expression, línea 1, columna 1: una condición debe ser true o false, pero esta siempre es una cadena",
            "nodo `ask`, config.model: el modelo indicado no existe; elija otro",
        ]
    );
}
