import type { ExpressionLanguage } from "./tokens";

/**
 * The functions of CEL, as `shared/engine/src/expression` has them: the name, what it is called on as `x.f()`, and the
 * arguments. What is called on nothing is called as `f(x)`. Rare ones are left out.
 */
const CEL = `
filter list x, test
map list x, result
exists list x, test
all list x, test
exists_one list x, test
size text,list,object
first text,list
last text,list
contains text,list part
sort list
distinct list
reverse text,list
flatten list
slice text,list from, to
join list separator
sum list
min list
max list
keys object
values object
get object path, default
merge object other
transformList list i, x, result
transformMap object k, v, result
startsWith text part
endsWith text part
matches text pattern
lower text
upper text
trim text
split text separator
replace text old, new
substring text from, to
indexOf text,list part
lastIndexOf text,list part
charAt text index
format text values
round number digits
abs number
ceil number
floor number
date text format, zone
getFullYear time zone
getMonth time zone
getDate time zone
getDayOfWeek time zone
getHours time zone
getMinutes time zone
has - x.y
size - x
type - x
int - x
double - x
string - x
bool - x
timestamp - text
duration - text
now -
range - end
min - list
max - list
greatest - a, b
least - a, b
round - x, digits
merge - a, b
toJson - x
fromJson - text
`;

/** The filters of templates, and the functions that are called as `f(x)`. */
const JINJA = `
default any value
length text,list,object
first text,list
last text,list
join list separator
map list attribute='…'
selectattr list name, test, value
rejectattr list name, test, value
select list test
reject list test
sort list attribute='…'
unique list
reverse text,list
groupby list name
batch list size
slice list parts
sum list attribute='…'
min list
max list
flatten list
keys object
values object
items object
dictsort object
get object path, default
merge object other
contains text,list part
lower text
upper text
capitalize text
title text
trim text
replace text old, new
split text separator
lines text
truncate text length
indent text width
center text width
wordcount text
substring text from, to
find text part
matches text pattern
startswith text part
endswith text part
format text values
escape text
urlencode text,object
tojson any
fromjson text
string any
int text,number default
float text,number default
bool any
round number digits
abs number
ceil number
floor number
filesizeformat number
date text,number format, timezone
range - end
now -
timestamp - text
duration - text
dict - name=value
`;

const TESTS = `
defined undefined none true false number integer float string boolean mapping sequence iterable odd even lower upper
divisibleby in eq ne lt le gt ge startingwith endingwith containing matches
`;
/** The tests that take a value. */
const COMPARING = /^(divisibleby|in|eq|ne|lt|le|gt|ge|.*ing(with)?|matches)$/;

export interface LibraryFunction {
  name: string;
  /** The types that it is called on; none for `f(x)`. */
  on: readonly string[];
  arguments: string;
}

function readLibrary(text: string): LibraryFunction[] {
  return text.trim().split("\n").map((line) => {
    const [name = "", on = "", ...rest] = line.split(" ");
    return { name, on: on === "-" ? [] : on.split(","), arguments: rest.join(" ") };
  });
}

export const library: Record<ExpressionLanguage, readonly LibraryFunction[]> = { cel: readLibrary(CEL), jinja: readLibrary(JINJA), javascript: [], js: [] };

export const tests: readonly LibraryFunction[] = TESTS.trim().split(/\s+/).map((name) => ({
  name, on: [], arguments: COMPARING.test(name) && name !== "string" ? "value" : "",
}));
