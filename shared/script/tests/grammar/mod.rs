//! A grammar of random programs: valid statements and expressions over a few variables and much of the standard library, with
//! idioms that hang or crash careless sandboxes.

use fastrand::Rng;

pub struct Grammar {
    random: Rng,
    depth: u32,
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "f", "g", "input", "list"];
const MAX_DEPTH: u32 = 5;

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "0.5",
    "NaN",
    "Infinity",
    "-0",
    "1e9",
    "2 ** 31",
    "2 ** 32 - 1",
    "2 ** 53 - 1",
    "1e21",
    "300",
    "65536",
];
const TEXTS: [&str; 12] = [
    "''",
    "'a'",
    "'abc'",
    "'a'.repeat(300)",
    "'ab'.repeat(5000)",
    "'\\ud800'",
    "'💩'",
    "'length'",
    "'__proto__'",
    "'constructor'",
    "'x'.repeat(1e5)",
    "`t${a}`",
];
const PATTERNS: [&str; 10] = [
    "/a/g",
    "/(a+)+$/",
    "/(?<n>.)\\k<n>/u",
    "/(?<=a)b/y",
    "/\\p{L}+/gu",
    "/^/m",
    "/(?:)/g",
    "/(a|a)*b/",
    "/[^]*?/s",
    "/.{0,50}.{0,50}x/g",
];
const VALUES: [&str; 22] = [
    "null",
    "undefined",
    "true",
    "[]",
    "{}",
    "[1, 2, 3]",
    "[3, , 1]",
    "{ length: 2 ** 53 - 1 }",
    "new Array(4e9)",
    "Symbol.iterator",
    "10n ** 30n",
    "2n ** 5000n",
    "new Map([[1, 2]])",
    "new Set('abc')",
    "new Date()",
    "new Uint8Array(1000)",
    "new Error('e')",
    "Promise.resolve(1)",
    "new Proxy([], {})",
    "globalThis",
    "Object.create(null)",
    "new ArrayBuffer(64)",
];
const METHODS: [&str; 74] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "concat",
    "join",
    "slice",
    "splice",
    "reverse",
    "sort",
    "indexOf",
    "lastIndexOf",
    "includes",
    "map",
    "filter",
    "forEach",
    "reduce",
    "some",
    "every",
    "find",
    "flat",
    "flatMap",
    "fill",
    "copyWithin",
    "keys",
    "values",
    "entries",
    "at",
    "with",
    "toSorted",
    "toReversed",
    "toSpliced",
    "toString",
    "toLocaleString",
    "valueOf",
    "toJSON",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "split",
    "replace",
    "replaceAll",
    "match",
    "matchAll",
    "search",
    "repeat",
    "padStart",
    "padEnd",
    "normalize",
    "localeCompare",
    "toUpperCase",
    "trim",
    "substring",
    "startsWith",
    "get",
    "set",
    "has",
    "add",
    "delete",
    "union",
    "isSubsetOf",
    "then",
    "catch",
    "finally",
    "next",
    "return",
    "throw",
    "exec",
    "test",
    "getTime",
    "setFullYear",
    "subarray",
    "hasOwnProperty",
    "drop",
];
const FUNCTIONS: [&str; 50] = [
    "Object.keys",
    "Object.entries",
    "Object.assign",
    "Object.freeze",
    "Object.fromEntries",
    "Object.create",
    "Object.groupBy",
    "Object.getOwnPropertyDescriptors",
    "Reflect.ownKeys",
    "Reflect.construct",
    "Reflect.apply",
    "Array.from",
    "Array.of",
    "Array.isArray",
    "JSON.stringify",
    "JSON.parse",
    "structuredClone",
    "String",
    "Number",
    "BigInt",
    "Boolean",
    "Symbol",
    "Math.max",
    "Math.random",
    "parseInt",
    "encodeURIComponent",
    "decodeURIComponent",
    "String.raw",
    "String.fromCharCode",
    "Promise.all",
    "Promise.race",
    "Promise.any",
    "btoa",
    "atob",
    "console.log",
    "queueMicrotask",
    "Number.prototype.toString.call",
    "Array.prototype.join.call",
    "Array.prototype.slice.call",
    "Map.groupBy",
    "Buffer.from",
    "Buffer.alloc",
    "Buffer.concat",
    "Intl.DateTimeFormat",
    "Intl.NumberFormat",
    "Number.prototype.toLocaleString.call",
    "DateTime.fromISO",
    "DateTime.fromMillis",
    "DateTime.now",
    "Duration.fromObject",
];
const CONSTRUCTORS: [&str; 20] = [
    "Array",
    "Map",
    "Set",
    "WeakMap",
    "Date",
    "RegExp",
    "Error",
    "Uint8Array",
    "Float64Array",
    "ArrayBuffer",
    "DataView",
    "Promise",
    "Proxy",
    "URL",
    "URLSearchParams",
    "Intl.ListFormat",
    "Buffer",
    "TextDecoder",
    "Object",
    "Function",
];
const OPERATORS: [&str; 26] = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    ">>>",
    "==",
    "!=",
    "===",
    "<",
    ">",
    "<=",
    "&&",
    "||",
    "??",
    ",",
    "in",
    "instanceof",
    "+",
    "===",
];
const IDIOMS: [&str; 26] = [
    "for (;;) {}",
    "do { try { list = list.concat(list) } catch { list = [1] } } while (true)",
    "a = a + a + a;",
    "while (true) { try { b = [b, b] } catch {} finally { continue } }",
    "globalThis.x = globalThis;",
    "Array.prototype[0] = 5;",
    "Object.prototype.toJSON = f;",
    "Object.defineProperty(Array.prototype, 'length', { get: f });",
    "Array.prototype[Symbol.iterator] = function* () { yield* g };",
    "Promise.prototype.then = f;",
    "String.prototype.toString = null;",
    "RegExp.prototype.exec = () => ({ index: 0, 0: '', length: 1 });",
    "Object.setPrototypeOf(Object.prototype, new Proxy({}, {}));",
    "f.prototype = f;",
    "Error.prepareStackTrace = () => { for (;;) {} };",
    "Error.stackTraceLimit = {};",
    "c = new Proxy(list, { get: (t, k, r) => (k === 'length' ? 2 ** 53 - 1 : t[k]) });",
    "d = { toString: f, valueOf: f, [Symbol.toPrimitive]: g };",
    "queueMicrotask(function again() { queueMicrotask(again) });",
    "list.length = 4e9;",
    "throw a;",
    "return { then: f };",
    "(async () => { for (;;) await a })();",
    "for (const k in globalThis) { try { delete globalThis[k] } catch {} }",
    "for (const k of Object.getOwnPropertyNames(Array.prototype)) { try { Array.prototype[k].call({ length: 5e6, 0: 1 }, f) } catch {} }",
    "for (const k of Object.getOwnPropertyNames(String.prototype)) { try { String.prototype[k].call('ab'.repeat(20000), 'b') } catch {} }",
];

impl Grammar {
    pub fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), depth: 0 }
    }

    pub fn program(&mut self) -> String {
        let mut source = String::from(
            "let a = 1, b = 'b', c = [1, 2], d = { x: 1 }, list = [1];\n\
             let f = function (x) { return x }, g = function* (x) { yield x; yield a };\n",
        );
        for _ in 0..self.random.u32(1..8) {
            let statement = self.statement();
            // Most random statements throw, so most of them are caught.
            source += &if self.random.u32(..4) > 0 { format!("try {{ {statement} }} catch {{}}") } else { statement };
            source.push('\n');
        }
        source + "return " + &self.expression()
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.random.usize(..items.len())]
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self) -> String, leaf: &str) -> String {
        if self.depth >= MAX_DEPTH {
            return leaf.to_owned();
        }
        self.depth += 1;
        let text = write(self);
        self.depth -= 1;
        text
    }

    fn block(&mut self) -> String {
        let mut text = String::from("{ ");
        for _ in 0..self.random.u32(0..3) {
            text += &self.statement();
            text.push(' ');
        }
        text + "}"
    }

    fn statement(&mut self) -> String {
        self.nested(Self::write_statement, "a++;")
    }

    fn write_statement(&mut self) -> String {
        match self.random.u32(..20) {
            0 => format!("if ({}) {} else {}", self.expression(), self.block(), self.block()),
            1 => format!("for (let i = 0; i < {}; i++) {}", self.pick(&["3", "50", "2000", "1e9"]), self.block()),
            2 => format!("for (const x of {}) {}", self.expression(), self.block()),
            3 => format!("for (const k in {}) {}", self.expression(), self.block()),
            4 => format!("while ({}) {{ {} if (Math.random() < 0.2) break }}", self.expression(), self.statement()),
            5 => format!("try {} catch (e) {} finally {}", self.block(), self.block(), self.block()),
            6 => format!("try {} catch {}", self.block(), self.block()),
            7 => format!("f = {};", self.function()),
            8 => format!(
                "g = function* (x) {{ {} yield {}; yield* {} }};",
                self.statement(),
                self.expression(),
                self.expression()
            ),
            9 => format!("outer: for (;;) {{ {} break outer }}", self.statement()),
            10 => format!(
                "switch ({}) {{ case {}: {} default: {} }}",
                self.expression(),
                self.expression(),
                self.statement(),
                self.statement()
            ),
            11 => format!("await ({});", self.expression()),
            12 => format!(
                "class K extends {} {{ #p = {}; get x() {{ return this.#p }} static s = {} }} d = K;",
                self.pick(&["Array", "Object", "Set", "Error", "Promise", "f"]),
                self.expression(),
                self.expression()
            ),
            13 => format!("({{ x: {}, ...d }} = {});", self.pick(&["a", "b", "c"]), self.expression()),
            14 if self.random.u32(..3) == 0 => self.pick(&IDIOMS).to_owned(),
            15 => format!("with ({}) {}", self.expression(), self.block()),
            _ => format!(
                "{} = {};",
                self.pick(&["a", "b", "c", "d", "list", "d.x", "c[0]", "c.length"]),
                self.expression()
            ),
        }
    }

    fn function(&mut self) -> String {
        let body = self.block();
        let result = self.expression();
        match self.random.u32(..4) {
            0 => format!("(x, y = {result}) => {{ {body} return x }}"),
            1 => format!("async (x) => {{ {body} return {result} }}"),
            2 => format!("function (x, ...rest) {{ {body} return f(x) }}"),
            _ => format!("(x) => {result}"),
        }
    }

    fn expression(&mut self) -> String {
        self.nested(Self::write_expression, "a")
    }

    fn write_expression(&mut self) -> String {
        match self.random.u32(..24) {
            0 | 1 => self.pick(&NAMES).to_owned(),
            2 | 3 => self.pick(&NUMBERS).to_owned(),
            4 | 5 => self.pick(&TEXTS).to_owned(),
            6 => self.pick(&PATTERNS).to_owned(),
            7 | 8 => format!("({})", self.pick(&VALUES)),
            9..=11 => format!("({}).{}({})", self.expression(), self.pick(&METHODS), self.arguments()),
            12 | 13 => format!("{}({})", self.pick(&FUNCTIONS), self.arguments()),
            14 => format!("new {}({})", self.pick(&CONSTRUCTORS), self.arguments()),
            15 | 16 => format!("({} {} {})", self.expression(), self.pick(&OPERATORS), self.expression()),
            17 => format!("({} ? {} : {})", self.expression(), self.expression(), self.expression()),
            18 => format!("({})?.[{}]", self.expression(), self.expression()),
            19 => format!("[{}, ...({})]", self.expression(), self.expression()),
            20 => format!(
                "({{ x: {}, [{}]: {}, get y() {{ return {} }} }})",
                self.expression(),
                self.expression(),
                self.expression(),
                self.expression()
            ),
            21 => format!("({})", self.function()),
            22 => format!(
                "new Proxy({}, {{ get: {}, ownKeys: {}, has: f }})",
                self.pick(&["list", "d", "f", "{}"]),
                self.function(),
                self.function()
            ),
            _ => format!("{} ({})", self.pick(&["typeof", "!", "-", "~", "void", "+", "await"]), self.expression()),
        }
    }

    fn arguments(&mut self) -> String {
        let count = self.random.usize(..4);
        (0..count)
            .map(|_| if self.random.bool() { self.expression() } else { self.function() })
            .collect::<Vec<_>>()
            .join(", ")
    }
}
