//! The descriptions of the fields of nodes in Spanish. In English they are the comments of the fields.

use serde_json::Value;

/// Returns a schema with its descriptions in Spanish.
pub(super) fn in_spanish(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let translated = keywords.iter().map(|(name, value)| match value.as_str() {
                Some(text) if name == "description" => (name.clone(), spanish(text).into()),
                _ => (name.clone(), in_spanish(value)),
            });
            Value::Object(translated.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(in_spanish).collect()),
        other => other.clone(),
    }
}

fn spanish(english: &str) -> &str {
    let is_it = |text: &&(&str, &str)| text.0.split_whitespace().eq(english.split_whitespace());
    TEXTS.iter().find(is_it).map_or(english, |(_, spanish)| spanish)
}

/// Each description in English, and in Spanish.
#[rustfmt::skip]
const TEXTS: [(&str, &str); 101] = [
    ("The body of an async function. Its `return` gives the value of the node.",
     "El cuerpo de una función asíncrona. Su `return` da el valor del nodo."),
    ("The JSON Schema (draft 2020-12) of the input of a run. Without it, any input is accepted.",
     "El JSON Schema (borrador 2020-12) de la entrada de una ejecución. Sin él, se acepta cualquier entrada."),
    ("The input of a run that is started without one; it must match the schema.",
     "La entrada de una ejecución que se inicia sin ninguna; debe cumplir el esquema."),
    ("The parts of the input and output that nobody may read in stored runs, such as `input.card` or `output.items.*.iban`. Name a part at the node where it enters the run: what was stored before stays readable. The parts are shown as `***` and stored encrypted. Their key is deleted an hour after the end of the run. Texts of at least 6 bytes are also masked in what later nodes store.",
     "Las partes de la entrada y de la salida que nadie puede leer en las ejecuciones guardadas, como `input.card` o `output.items.*.iban`. Indique cada parte en el nodo por el que entra en la ejecución: lo que se guardó antes sigue siendo legible. Las partes se muestran como `***` y se guardan cifradas. Su clave se borra una hora después del final de la ejecución. Los textos de al menos 6 bytes se ocultan también en lo que guardan los nodos posteriores."),
    ("The node runs once for each element of a list: `input` and `vars.item` are the element, and `vars.index` is its index, from 0. The value of the node is the list of results. Without it, the node runs once.",
     "El nodo se ejecuta una vez por cada elemento de una lista: `input` y `vars.item` son el elemento, y `vars.index` es su índice, desde 0. El valor del nodo es la lista de resultados. Sin él, el nodo se ejecuta una vez."),
    ("The list, such as `input` or `input.rows`, where `input` is the input of the node.",
     "La lista, como `input` o `input.rows`, donde `input` es la entrada del nodo."),
    ("What happens when the node fails for an element; `fail` by default.",
     "Qué ocurre cuando el nodo falla para un elemento; por defecto `fail`."),
    ("The address of the feed: a template, as in `https://example.com/feed.xml`.",
     "La dirección del feed: una plantilla, como en `https://example.com/feed.xml`."),
    ("The maximum number of entries, in the order of the feed; 50 by default.",
     "El número máximo de entradas, en el orden del feed; por defecto 50."),
    ("The protocol that the server speaks; MariaDB speaks that of MySQL.",
     "El protocolo que habla el servidor; MariaDB habla el de MySQL."),
    ("The name or the address of the server.",
     "El nombre o la dirección del servidor."),
    ("5432 by default, and 3306 with `mysql`.",
     "Por defecto 5432, y 3306 con `mysql`."),
    ("The name of the database.",
     "El nombre de la base de datos."),
    ("Whether the connection must be encrypted, with a certificate of the server; `tls` by default.",
     "Si la conexión debe estar cifrada, con un certificado del servidor; por defecto `tls`."),
    ("A credential of the type `basic`: the user and the password at the database.",
     "Una credencial del tipo `basic`: el usuario y la contraseña en la base de datos."),
    ("The statements, in their order. All of them take effect, or none. The value of the node has the rows of the last one.",
     "Las sentencias, en su orden. Surten efecto todas o ninguna. El valor del nodo tiene las filas de la última."),
    ("Whether the server refuses to change anything; false by default. Such a node can always be repeated.",
     "Si el servidor rechaza todo cambio; por defecto no. Un nodo así siempre puede repetirse."),
    ("With more rows the node fails; 1,000 by default.",
     "Con más filas el nodo falla; por defecto 1000."),
    ("One statement of SQL, as it is: no template. The placeholders `$1`, `$2` of PostgreSQL and `?` of MySQL are values.",
     "Una sentencia de SQL tal cual, no una plantilla. Los marcadores `$1`, `$2` de PostgreSQL y `?` de MySQL son valores."),
    ("The values of the placeholders: a list, such as `[input.order, input.name]`. None if omitted.",
     "Los valores de los marcadores: una lista, como `[input.order, input.name]`. Si se omite, ninguno."),
    ("The SMTP server.",
     "El servidor SMTP."),
    ("587 by default, 465 with `tls`, and 25 with `none`.",
     "Por defecto 587, 465 con `tls` y 25 con `none`."),
    ("How the connection is encrypted; `starttls` by default.",
     "Cómo se cifra la conexión; por defecto `starttls`."),
    ("A credential of the type `basic`: the name and the password at the server.",
     "Una credencial del tipo `basic`: el nombre y la contraseña en el servidor."),
    ("The sender, such as `Orders <orders@example.com>`.",
     "El remitente, como `Pedidos <pedidos@example.com>`."),
    ("The recipients, separated by commas.",
     "Los destinatarios, separados por comas."),
    ("Recipients whom the others do not see.",
     "Destinatarios a los que los demás no ven."),
    ("Where answers go, if not to the sender.",
     "Adónde van las respuestas, si no es al remitente."),
    ("The body as plain text. Set `text`, `html` or both.",
     "El cuerpo como texto sin formato. Indique `text`, `html` o los dos."),
    ("The body as HTML.",
     "El cuerpo como HTML."),
    ("A list of files: `[{'name': 'report.csv', 'contentType': 'text/csv', 'text': input.csv}]`, or with `base64` instead of `text`.",
     "Una lista de archivos: `[{'name': 'informe.csv', 'contentType': 'text/csv', 'text': input.csv}]`, o con `base64` en lugar de `text`."),
    ("The webhook and its response are set in the workflow's channels.",
     "El webhook y su respuesta se configuran en los canales del flujo."),
    ("The cron expression: minute, hour, day of the month, month, day of the week.",
     "La expresión cron: minuto, hora, día del mes, mes, día de la semana."),
    ("An IANA time zone.",
     "Una zona horaria de IANA."),
    ("What happens with scheduled times that were missed, because the workflow was paused or the platform was late by more than `graceSeconds`. `skip` (the default) drops them, `last` starts one run for the last of them, `all` starts a run for each, at most 100.",
     "Qué ocurre con las horas programadas que se perdieron porque el flujo estaba en pausa o la plataforma se retrasó más de `graceSeconds`. `skip` (por defecto) las descarta, `last` inicia una ejecución para la última de ellas y `all` inicia una para cada una, 100 como máximo."),
    ("What happens at a scheduled time while the previous run is in progress. `allow` (the default) starts another run, `skip` drops the time, `queue` starts the run when the previous one has ended.",
     "Qué ocurre a una hora programada mientras la ejecución anterior sigue en curso. `allow` (por defecto) inicia otra ejecución, `skip` descarta esa hora y `queue` inicia la ejecución cuando la anterior haya terminado."),
    ("A scheduled time whose run cannot start within this number of seconds was missed. 60 by default, because the ticker runs once a minute.",
     "Se pierde la hora programada cuya ejecución no puede iniciarse en este número de segundos. Por defecto 60, porque el planificador actúa una vez por minuto."),
    ("The input of each run, at most 32 KiB as JSON. If it is an object or missing, the value of the node also has `scheduledAt`, the planned time.",
     "La entrada de cada ejecución, 32 KiB de JSON como máximo. Si es un objeto o falta, el valor del nodo tiene además `scheduledAt`, la hora prevista."),
    ("The provider and the account are set in the workflow's channels.",
     "El proveedor y la cuenta se configuran en los canales del flujo."),
    ("What happens with a message while the run of the previous one is in progress; `enqueue` by default.",
     "Qué ocurre con un mensaje mientras la ejecución del anterior sigue en curso; por defecto `enqueue`."),
    ("One of the caller's agents, or one private to the workflow.",
     "Uno de los agentes de quien edita el flujo, o uno propio del flujo."),
    ("The message to the agent.",
     "El mensaje para el agente."),
    ("Whether the agent knows the earlier messages of the conversation, if a message started the run; true by default.",
     "Si el agente conoce los mensajes anteriores de la conversación, cuando un mensaje inició la ejecución; por defecto sí."),
    ("How often the agent may call models, with all agents that it calls; 25 by default.",
     "Cuántas veces puede el agente llamar a modelos, contando los agentes a los que llama; por defecto 25."),
    ("The tokens that these calls may use; 1,000,000 by default. The call that exceeds the limit is the last one.",
     "Los tokens que pueden usar estas llamadas; por defecto 1 000 000. La llamada que supera el límite es la última."),
    ("What happens when the node fails; `fail` by default. `continue` passes null on; `branch` opens a port `error`, whose value is `{code, message}`.",
     "Qué ocurre cuando el nodo falla; por defecto `fail`. `continue` sigue con null; `branch` abre un puerto `error`, cuyo valor es `{code, message}`."),
    ("One attempt by default; five for nodes that send messages.",
     "Un intento por defecto; cinco en los nodos que envían mensajes."),
    ("The timeout of one attempt.",
     "El tiempo máximo de un intento."),
    ("By default `retry` if the receiver can recognize a repeated call, and `ask` if the node sends something to people, calls an MCP server or changes a database.",
     "Por defecto `retry` si el receptor puede reconocer una llamada repetida, y `ask` si el nodo envía algo a personas, llama a un servidor MCP o cambia una base de datos."),
    ("A chat model that `GET /builder/v1/models` lists.",
     "Un modelo de chat de los que enumera `GET /builder/v1/models`."),
    ("The system prompt.",
     "Las instrucciones del sistema."),
    ("The user prompt.",
     "El mensaje para el modelo."),
    ("Whether the model knows the earlier messages of the conversation, if a message started the run; false by default.",
     "Si el modelo conoce los mensajes anteriores de la conversación, cuando un mensaje inició la ejecución; por defecto no."),
    ("Whether the prompt has the images and text files of the message that started the run; false by default.",
     "Si el modelo recibe las imágenes y los archivos de texto del mensaje que inició la ejecución; por defecto no."),
    ("The JSON Schema (draft 2020-12) of the answer. With it, the value is JSON and not a text.",
     "El JSON Schema (borrador 2020-12) de la respuesta. Con él, el valor es JSON y no un texto."),
    ("A Jinja template.",
     "Una plantilla Jinja."),
    ("A guard model of the catalog. Defaults to the model with the alias `guard`, or else to the first guard model by name.",
     "Un modelo de protección del catálogo. Por defecto, el que tiene el alias `guard` o, si no lo hay, el primero por nombre."),
    ("The text is flagged if the score of any category is at least this. Without it, each category has its own threshold.",
     "El texto se marca si la puntuación de alguna categoría llega a este valor. Sin él, cada categoría tiene su propio umbral."),
    ("An embeddings model that `GET /builder/v1/models` lists.",
     "Un modelo de embeddings de los que enumera `GET /builder/v1/models`."),
    ("A string, or a list of strings.",
     "Un texto o una lista de textos."),
    ("An image model of the catalog.",
     "Un modelo de imágenes del catálogo."),
    ("The number of images; one by default.",
     "El número de imágenes; por defecto una."),
    ("The size in pixels; `1024x1024` by default.",
     "El tamaño en píxeles; por defecto `1024x1024`."),
    ("The origin of passages.",
     "El origen de los fragmentos."),
    ("A small text file, embedded in the workflow.",
     "Un archivo de texto pequeño, incluido en el flujo."),
    ("HTML, JSON, XML, YAML or another text, such as `text/markdown`.",
     "HTML, JSON, XML, YAML u otro texto, como `text/markdown`."),
    ("At most 256 KiB.",
     "256 KiB como máximo."),
    ("The maximum number of passages; 5 by default.",
     "El número máximo de fragmentos; por defecto 5."),
    ("Passages with a lower score are left out.",
     "Los fragmentos con una puntuación menor se omiten."),
    ("The HTTP method; `GET` by default.",
     "El método HTTP; por defecto `GET`."),
    ("A template, as in `https://api.example.com/orders/{{ input.order }}`.",
     "Una plantilla, como `https://api.example.com/orders/{{ input.order }}`."),
    ("A JSON body: the value of an expression.",
     "Un cuerpo JSON: el valor de una expresión."),
    ("A CEL expression.",
     "Una expresión CEL."),
    ("The credential of the workflow that authenticates the call.",
     "La credencial del flujo con la que se autentica la llamada."),
    ("How the response body is read. If omitted, the media type decides: JSON is parsed, other text is a text, and the rest is `{base64, contentType}`. An empty body is null, except as `text`.",
     "Cómo se lee el cuerpo de la respuesta. Si se omite, decide su tipo: JSON se interpreta, otro texto es un texto y lo demás es `{base64, contentType}`. Un cuerpo vacío es null, salvo como `text`."),
    ("The URL of the MCP server: a template, as in `https://{{ input.region }}.example.com/mcp`.",
     "La URL del servidor MCP: una plantilla, como `https://{{ input.region }}.example.com/mcp`."),
    ("The name of the tool, as the server lists it.",
     "El nombre de la herramienta, tal como la enumera el servidor."),
    ("The hash of the tool's description and schemas. If the server has changed them, the step fails with `mcp_schema_changed` instead of calling the tool.",
     "El hash de la descripción y los esquemas de la herramienta. Si el servidor los ha cambiado, el paso falla con `mcp_schema_changed` en lugar de llamar a la herramienta."),
    ("The arguments of the tool: an object. None if omitted.",
     "Los argumentos de la herramienta: un objeto. Si se omite, ninguno."),
    ("An expression that is true or false.",
     "Una expresión que es verdadera o falsa."),
    ("The cases in order: the first one whose expression is true is taken.",
     "Los casos en su orden: se toma el primero cuya expresión es verdadera."),
    ("The name of the output port.",
     "El nombre del puerto de salida."),
    ("Set either the whole `value`, or its `fields`.",
     "Indique el `value` completo o sus `fields`."),
    ("Whether the text is parsed as JSON; `text` by default.",
     "Si el texto se interpreta como JSON; por defecto `text`."),
    ("A list. In the body, `vars.item` is the element and `vars.index` its index, from 0.",
     "Una lista. En el cuerpo, `vars.item` es el elemento y `vars.index` su índice, desde 0."),
    ("The number of elements that are processed at once; one by default.",
     "El número de elementos que se procesan a la vez; por defecto uno."),
    ("What happens when the body fails for an element; `fail` by default.",
     "Qué ocurre cuando el cuerpo falla para un elemento; por defecto `fail`."),
    ("Whether to wait for all branches that are taken, or to continue with the first; `all` by default.",
     "Si se espera a todas las ramas tomadas o se sigue con la primera; por defecto `all`."),
    ("With `first`: whether the other branches are canceled; false by default.",
     "Con `first`: si se cancelan las demás ramas; por defecto no."),
    ("Set either `seconds` or `until`.",
     "Indique `seconds` o `until`."),
    ("The time to wait for, such as `timestamp(input.dueAt)`.",
     "El momento que se espera, como `timestamp(input.dueAt)`."),
    ("The title of the decision.",
     "El título de la decisión."),
    ("The information that the person needs.",
     "La información que necesita la persona."),
    ("The fields that the person may change.",
     "Los campos que la persona puede cambiar."),
    ("The initial value.",
     "El valor inicial."),
    ("After this time the review expires and the run continues at `expired`; seven days by default.",
     "Pasado este tiempo la revisión caduca y la ejecución sigue por `expired`; por defecto siete días."),
    ("One of the workflows of the same owner. Its active release at that time is run.",
     "Uno de los flujos del mismo propietario. Se ejecuta la versión que tenga activa en ese momento."),
    ("The input of its run; the node's input if omitted.",
     "La entrada de su ejecución; si se omite, la entrada del nodo."),
    ("The conversation at the provider, such as a Slack channel, `<channel>:<thread>`, a Telegram chat, or the number of a person; the conversation of the message that started the run if omitted.",
     "La conversación en el proveedor, como un canal de Slack, `<canal>:<hilo>`, un chat de Telegram o el número de una persona; si se omite, la conversación del mensaje que inició la ejecución."),
    ("The run's output; the node's input if omitted.",
     "La salida de la ejecución; si se omite, la entrada del nodo."),
    ("The error code, for programs; `failed` by default.",
     "El código de error, para programas; por defecto `failed`."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn collect(schema: &Value, found: &mut BTreeSet<String>) {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        found.extend(schema.get("description").and_then(Value::as_str).map(words));
        match schema {
            Value::Object(keywords) => keywords.values().for_each(|value| collect(value, found)),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_description_is_translated_and_nothing_else() {
        let (mut used, mut spanish) = (BTreeSet::new(), BTreeSet::new());
        for node_type in crate::nodes::all() {
            collect(&node_type.schema, &mut used);
            collect(node_type.schema_in(domain::language::Language::Spanish), &mut spanish);
        }
        let known: BTreeSet<_> = TEXTS.iter().map(|(english, _)| (*english).to_owned()).collect();
        assert_eq!(used, known);
        assert_eq!(spanish, TEXTS.iter().map(|(_, spanish)| (*spanish).to_owned()).collect());
    }
}
