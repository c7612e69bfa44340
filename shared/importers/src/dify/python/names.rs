//! The functions of Python that are translated, with their parameters. A parameter `*` takes all positional arguments
//! as one list. The runtime has a function of the same name for each.

/// A function of the runtime.
pub struct Known {
    pub javascript: String,
    pub parameters: Vec<&'static str>,
}

const FUNCTIONS: &str = "
len v|str v|repr v|int v base|float v|bool v|list v|tuple v|enumerate items start|zip *|map mapped *|filter test items
reversed v|sorted items key reverse|min * key default|max * key default|sum items start|any items|all items
next items default|abs v|round v ndigits|ord c|chr n|print * sep end flush file|format v spec
";

const METHODS: &str = "
get key default|items|keys|values|setdefault key default|update other|append item|extend items|insert i item|add item
discard item|remove item|pop i default|clear|copy|reverse|sort|index item from|count item|find part from to
rfind part from to|strip chars|lstrip chars|rstrip chars|split sep maxsplit|rsplit sep maxsplit|splitlines|partition sep
join items|replace from to count|startswith part|endswith part|removeprefix part|removesuffix part|lower|upper|capitalize
title|isprintable|isdigit|isnumeric|isdecimal|isalpha|isalnum|isspace|isupper|islower|zfill width|ljust width fill|rjust width fill
group|groups|groupdict|start|end|span|search string|match string|fullmatch string|findall string|finditer string
sub repl string count|most_common n|strftime format|isoformat|timestamp|weekday|isoweekday|date|total_seconds|astimezone tz
";

/// Functions of modules, with the names of the runtime: `json.loads` is `$json_loads`.
const MEMBERS: &str = "
json.loads s strict|json.dumps v indent ensure_ascii sort_keys separators default|re.compile pattern flags
re.search pattern string flags|re.match pattern string flags|re.fullmatch pattern string flags
re.findall pattern string flags|re.finditer pattern string flags|re.sub pattern repl string count flags
re.split pattern string maxsplit flags|re.escape pattern|math.floor v|math.ceil v|math.sqrt v|math.isnan v|math.isinf v
math.fabs v|random.random|random.randint a b|random.choice seq|random.sample population k|random.shuffle x|random.uniform a b
time.time|time.sleep secs|uuid.uuid4|collections.defaultdict made|collections.Counter items|copy.deepcopy x|copy.copy v
datetime.datetime year month day hour minute second microsecond tzinfo|datetime.datetime.now tz|datetime.datetime.utcnow
datetime.datetime.today|datetime.datetime.strptime text format|datetime.datetime.fromtimestamp timestamp tz
datetime.datetime.fromisoformat text|datetime.date.today|datetime.timedelta days seconds microseconds milliseconds minutes hours weeks
datetime.timezone offset
";

/// Exceptions that code can raise and catch.
const EXCEPTIONS: [&str; 16] = [
    "Exception",
    "BaseException",
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "LookupError",
    "AttributeError",
    "RuntimeError",
    "ZeroDivisionError",
    "ArithmeticError",
    "OverflowError",
    "NotImplementedError",
    "AssertionError",
    "StopIteration",
    "JSONDecodeError",
];

pub fn is_exception(name: &str) -> bool {
    EXCEPTIONS.contains(&name) || matches!(name, "NameError" | "RecursionError" | "UnicodeDecodeError" | "error")
}

fn find(list: &'static str, name: &str) -> Option<Vec<&'static str>> {
    let mut lines = list.split(['|', '\n']).filter(|line| !line.is_empty());
    lines.find_map(|line| {
        let mut words = line.split(' ');
        (words.next() == Some(name)).then(|| words.collect())
    })
}

pub fn function(name: &str) -> Option<Known> {
    let parameters = find(FUNCTIONS, name)?;
    Some(Known { javascript: format!("${name}"), parameters })
}

pub fn method(name: &str) -> Option<Known> {
    let parameters = find(METHODS, name)?;
    let javascript = if name == "isdecimal" { "isdigit" } else { name };
    Some(Known { javascript: format!("$m_{javascript}"), parameters })
}

pub fn member(path: &str) -> Option<Known> {
    let parameters = find(MEMBERS, path)?;
    let javascript = match path {
        "collections.defaultdict" => "$defaultdict".to_owned(),
        "collections.Counter" => "$Counter".to_owned(),
        "copy.deepcopy" => "$deepcopy".to_owned(),
        "copy.copy" => "$m_copy".to_owned(),
        path => format!("${}", path.strip_prefix("datetime.").unwrap_or(path).replace('.', "_")),
    };
    Some(Known { javascript, parameters })
}

/// The value of a constant in a module.
pub fn constant(path: &str) -> Option<&'static str> {
    Some(match path {
        "math.pi" => "Math.PI",
        "math.e" => "Math.E",
        "math.inf" => "Infinity",
        "re.I" | "re.IGNORECASE" => "2",
        "re.M" | "re.MULTILINE" => "8",
        "re.S" | "re.DOTALL" => "16",
        "re.U" | "re.UNICODE" => "32",
        "re.X" | "re.VERBOSE" => "64",
        "datetime.timezone.utc" => "$UTC",
        "string.digits" => "\"0123456789\"",
        "string.ascii_lowercase" => "\"abcdefghijklmnopqrstuvwxyz\"",
        "string.ascii_uppercase" => "\"ABCDEFGHIJKLMNOPQRSTUVWXYZ\"",
        "string.ascii_letters" => "\"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\"",
        _ => return None,
    })
}

/// Fields of dates, which the runtime has as fields, too.
pub fn is_field(name: &str) -> bool {
    matches!(name, "year" | "month" | "day" | "hour" | "minute" | "second" | "microsecond" | "days" | "seconds")
}

/// The name of a variable in JavaScript.
pub fn variable(name: &str) -> String {
    const RESERVED: [&str; 46] = [
        "arguments",
        "await",
        "case",
        "catch",
        "class",
        "const",
        "debugger",
        "default",
        "delete",
        "do",
        "enum",
        "eval",
        "export",
        "extends",
        "false",
        "function",
        "implements",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "typeof",
        "undefined",
        "var",
        "void",
        "input",
        "nodes",
        "vars",
        "run",
        "console",
        "Math",
        "Number",
        "Array",
        "Map",
        "Set",
    ];
    let is_global = matches!(
        name,
        "Object"
            | "String"
            | "Infinity"
            | "NaN"
            | "RegExp"
            | "Date"
            | "Symbol"
            | "Error"
            | "JSON"
            | "crypto"
            | "parseInt"
    );
    if RESERVED.contains(&name) || is_global { format!("{name}$") } else { name.to_owned() }
}
