// What n8n's expressions give: the rules of JavaScript inside of `{{ }}`, texts with expressions, and the methods that n8n adds.

import { set, show, start, workflow } from './build.mjs';

const person = {
  name: 'Ada Lovelace',
  age: 36,
  price: 1234.567,
  zero: 0,
  empty: '',
  none: null,
  yes: true,
  no: false,
  tags: ['x', 'y', 'x'],
  scores: [3, 1, 2],
  address: { city: 'London', lines: ['1 Main St', 'Flat 2'] },
  people: [{ name: 'Bob', age: 20 }, { name: 'Cy', age: 50 }, { name: 'Di' }],
  email: 'Ada <ada@example.com>',
  link: 'See https://example.com/a/b?c=1 for more',
  day: '2024-02-29',
  moment: '2024-03-30T18:49:07+01:00',
};

const of = (name, last, input = [person]) => ({ name: `expression: ${name}`, workflow: workflow([start(), last], [['Start', 'Show']]), input });
/** The values of expressions keep their types: they are the fields of one object. */
const values = (name, fields, input) =>
  of(name, show('Show', `{ ${Object.entries(fields).map(([field, expression]) => `${field}: ${expression}`).join(', ')} }`), input);
/** The texts of fields, as a person writes them: an expression of n8n starts with `=`. */
const texts = (name, fields, input) => of(name, set('Show', fields), input);

const missing = [
  texts('a missing field alone', { a: '={{ $json.nope }}', b: '={{ $json["no such"] }}' }),
  texts('a missing field of a missing field alone', { a: '={{ $json.nope.deeper }}', b: '={{ $json.nope.deeper.deepest }}' }),
  texts('missing fields in a text', { a: '=[{{ $json.nope }}]', b: '=[{{ $json.nope.deeper }}]', c: '=<{{ $json.address.nope.deeper }}>' }),
  texts('an error in one expression of a text leaves the others', { a: '={{ $json.name }} {{ $json.nope.deeper }} {{ $json.age }}' }),
  texts('a name that does not exist', { a: '={{ nope }}', b: '=[{{ nope.deeper }}]', c: '={{ nope() }}' }),
  texts('an error that the expression throws', { a: '={{ (() => { throw new Error("no") })() }}', b: '=[{{ JSON.parse("{") }}]' }),
  texts('a call of a field that is no function', { a: '={{ $json.age() }}', b: '={{ $json.name.nope() }}' }),
  texts('a function instead of its call', { a: '={{ $json.name.trim }}' }),
  texts('a function in a list', { a: '={{ [$json.name.trim].length }}' }),
  values('optional chaining', { a: '$json.nope?.deeper ?? "none"', b: '$json.address?.city', c: '$json.nope?.[0]?.x ?? null', d: '$json.nope?.call() ?? 1' }),
  values('?? and || of what is there', { a: '$json.zero ?? 5', b: '$json.zero || 5', c: '$json.empty || "x"', d: '$json.none ?? "n"' }),
  values('isEmpty of a missing field', { a: '$json.nope.isEmpty()', b: '$json.nope.isNotEmpty()', c: '$json.none.isEmpty()' }),
  values('isEmpty of missing fields, with operators', { a: '!$json.nope.isEmpty() || $json.name.isEmpty()', b: '$json.nope.isEmpty() ? "none" : "some"' }),
  values('isEmpty of what a call gives', { a: '$("Start").first().json.nope.isEmpty()', b: '($json.nope || $json.none).isEmpty()', c: '[1].map((n) => $json.nope.isEmpty())', d: '$json["a b"].isNotEmpty()' }),
  texts('$if in a text, with an object and another $if', { a: '=x {{ $if($json.age, {n: [1, 2]}, 1).n.length }} {{ $if($json.nope, $json.nope.a, $if($json.no, $json.no.a.b, $json.age + 1)) }}' }),
  texts('isEmpty of a missing field alone', { a: '={{ $json.nope.isEmpty() }}', b: '={{ !$json.address.nope.isEmpty() }}', c: '={{ $json.none.isNotEmpty() }}' }),
  texts('another method of a missing field', { a: '={{ $json.nope.toTitleCase() }}' }),
  texts('a method of another type', { a: '={{ $json.age.toTitleCase() }}' }),
  texts('a method of a missing field, with optional chaining', { a: '=[{{ $json.nope?.toTitleCase() }}]', b: '={{ $json.nope?.isEmpty() ?? "nothing" }}' }),
  texts('a method of two types', { a: '={{ $json.name.round() }}' }),
];

const printed = [
  texts('null and undefined in a text', { a: '=[{{ null }}|{{ undefined }}|{{ $json.none }}]' }),
  texts('numbers in a text', { a: '=[{{ 0 }}|{{ -0 }}|{{ 1.50 }}|{{ 1e21 }}|{{ NaN }}|{{ 1 / 0 }}]' }),
  texts('booleans in a text', { a: '=[{{ true }}|{{ false }}|{{ $json.no }}]' }),
  texts('lists in a text', { a: '=[{{ $json.tags }}|{{ [1, [2, [3]], null, undefined] }}|{{ [] }}]' }),
  texts('objects in a text', { a: '=[{{ $json.address }}|{{ [{}] }}|{{ $json.people }}]' }),
  texts('dates in a text', { a: '={{ new Date(0) }}', b: '=[{{ new Date(0) }}]', c: '=[{{ DateTime.fromMillis(0, { zone: "utc" }) }}]' }),
  texts('a duration in a text', { a: '=[{{ Duration.fromObject({ days: 2, hours: 3 }) }}]' }),
  texts('white space around a single expression', { a: '= {{ $json.age }}', b: '={{ $json.age }} ', c: '=\n{{ $json.age }}' }),
  texts('several expressions', { a: '={{ $json.name }}{{ $json.age }}', b: '={{ 1 }}{{ 2 }}', c: '={{ $json.name }}, {{ $json.age }}.' }),
  texts('quotes in a text', { a: '="{{ $json.name }}" is \'{{ $json.age }}\'', b: '=`{{ "a\\"b" }}` \\ ${x}' }),
  texts('line breaks in a text', { a: '=a\n{{ $json.name }}\n\nb', b: '={{ "a\\nb" }}|' }),
  texts('line breaks in an expression', { a: '={{\n  $json.name\n    .toUpperCase()\n}}', b: '={{ [1,\n2].length }}!' }),
  texts('an expression that looks like a number', { a: '={{ "007" }}', b: '={{ 1 }}{{ 0 }}', c: '=12' }),
  texts('braces that are no expression', { a: '=a { b } c', b: '={ {{ $json.age }} }', c: '=}} {{ 1 }}' }),
  texts('a text without the sign of an expression', { a: 'a {{ $json.age }}', b: ' =x', c: '' }),
  texts('only the sign of an expression', { a: '=', b: '= ', c: '==' }),
  texts('JSON with expressions', { 'a:object': '={ "name": "{{ $json.name }}", "tags": {{ JSON.stringify($json.tags) }} }' }),
  values('a single object, list and null keep their types', { a: '$json.address', b: '$json.tags', c: '$json.none', d: '$json.yes' }),
];

const language = [
  values('arithmetic', { a: '1 + 2 * 3', b: '7 % 3', c: '2 ** 10', d: '"1" + 2', e: '"3" * 2', f: '-$json.age' }),
  values('comparisons', { a: '$json.age > 18', b: '"10" == 10', c: '"10" === 10', d: '$json.name < "B"', e: 'null == undefined' }),
  values('ternaries', { a: '$json.age >= 18 ? "adult" : "minor"', b: '$json.no ? 1 : $json.yes ? 2 : 3' }),
  values('template literals', { a: '`${$json.name}: ${$json.age + 1}`', b: '`a\nb`', c: '`${[1, 2].map((n) => `<${n}>`).join("")}`' }),
  values('arrow functions', { a: '$json.scores.map((n) => n * 2)', b: '$json.people.filter((each) => each.age > 30).map((each) => each.name)', c: '$json.scores.reduce((sum, n) => sum + n, 0)' }),
  values('a function with a body', { a: '(() => { const n = $json.age; if (n > 30) { return "old"; } return "young"; })()', b: '[1, 2, 3].find(function (n) { return n > 1; })' }),
  values('regular expressions', { a: '$json.name.match(/[A-Z]/g)', b: '"a1b22".replace(/\\d+/g, "#")', c: '/^ada/i.test($json.name)', d: '"2024-02-29".match(/(\\d+)-(\\d+)/)[2]' }),
  values('spread and destructuring', { a: '[...$json.tags, "z"]', b: '({ ...$json.address, city: "Paris" })', c: '(({ city }) => city)($json.address)', d: 'Math.max(...$json.scores)' }),
  values('typeof, in and instanceof', { a: 'typeof $json.nope', b: '"city" in $json.address', c: '[] instanceof Array', d: 'typeof $json.none' }),
  values('JSON.stringify', { a: 'JSON.stringify($json.address)', b: 'JSON.stringify($json.tags, null, 2)', c: 'JSON.stringify({ a: undefined, b: null })' }),
  values('JSON.parse', { a: 'JSON.parse(\'{"a":[1]}\').a[0]', b: 'JSON.parse("null")' }),
  values('Object.keys, values, entries and assign', { a: 'Object.keys($json.address)', b: 'Object.values({ a: 1, b: 2 })', c: 'Object.entries({ a: 1 })', d: 'Object.assign({}, $json.address, { x: 1 })', e: 'Object.fromEntries([["a", 1]])' }),
  values('Math', { a: 'Math.round($json.price)', b: 'Math.floor(-1.5)', c: 'Math.max(1, 2, 3)', d: 'Math.PI.toFixed(2)' }),
  values('Number and String', { a: 'Number("12.5")', b: 'parseInt("42px")', c: '$json.price.toFixed(2)', d: 'String($json.tags)', e: 'isNaN(NaN)', f: '(255).toString(16)' }),
  values('native methods of texts', { a: '$json.name.toUpperCase()', b: '$json.name.split(" ")', c: '$json.name.slice(0, 3)', d: '$json.name.includes("Love")', e: '"a".padStart(3, "0")', f: '$json.name.length' }),
  values('native methods of lists', { a: '$json.tags.includes("x")', b: '$json.tags.concat(["z"])', c: '$json.tags.indexOf("y")', d: '[3, 1, 2].sort()', e: '[1, [2]].flat()', f: '$json.tags.join("-")' }),
  values('Date', { a: 'new Date("2024-02-29T10:00:00Z").toISOString()', b: 'new Date(0).getTime()', c: 'new Date($json.day).getUTCDate()', d: 'Date.UTC(2024, 0, 1)' }),
  values('encodeURIComponent', { a: 'encodeURIComponent("a b&c")', b: 'decodeURIComponent("a%20b")', c: 'encodeURI("a b&c")' }),
];

const dates = [
  values('$now: its zone and type', { zone: '$now.zoneName', luxon: '$now.isLuxonDateTime', same: '$now.toMillis() === $now.toMillis()' }),
  values('$now.plus and .minus', { a: 'Math.round($now.plus(1, "day").diffTo($now, "days"))', b: 'Math.round($now.minus({ hours: 2 }).diffTo($now, "hours"))', c: '$now.plus(1000).toMillis() - $now.toMillis()' }),
  values('$now.format, .toFormat and .toISO agree', { a: '$now.format("yyyy-MM-dd") === $now.toFormat("yyyy-MM-dd")', b: '$now.toISO().slice(0, 10) === $now.toISODate()' }),
  values('$today is midnight', { a: '[$today.hour, $today.minute, $today.second, $today.millisecond]', b: '$today <= $now', c: '$today.zoneName' }),
  values('DateTime.fromISO', { a: 'DateTime.fromISO($json.day).toISO()', b: 'DateTime.fromISO($json.moment).toISO()', c: 'DateTime.fromISO("2024-07-01T12:00", { zone: "Asia/Tokyo" }).toUTC().toISO()' }),
  values('DateTime.toFormat', { a: 'DateTime.fromISO($json.day).toFormat("dd LLL yyyy")', b: 'DateTime.fromISO($json.day).toFormat("cccc")', c: 'DateTime.fromISO($json.day).toLocaleString()' }),
  values('DateTime.fromFormat, fromMillis and setZone', { a: 'DateTime.fromFormat("29.02.2024", "dd.MM.yyyy").toISODate()', b: 'DateTime.fromMillis(0).toISO()', c: 'DateTime.fromMillis(0).setZone("utc").toISO()' }),
  values('parts and comparisons of a DateTime', { a: 'DateTime.fromISO($json.day).weekday', b: 'DateTime.fromISO($json.day).daysInMonth', c: 'DateTime.fromISO("2024-01-01") < DateTime.fromISO("2024-01-02")' }),
  values('diff of luxon', { a: 'DateTime.fromISO("2024-03-01").diff(DateTime.fromISO("2024-02-01"), "days").days', b: 'DateTime.fromISO("2024-03-01").diff(DateTime.fromISO("2023-01-15"), ["years", "months", "days"]).toObject()' }),
  values('Duration and Interval', { a: 'Duration.fromObject({ hours: 1, minutes: 90 }).as("hours")', b: 'Duration.fromISO("PT1H").toMillis()', c: 'Interval.fromDateTimes(DateTime.fromISO("2024-01-01"), DateTime.fromISO("2024-01-03")).length("days")' }),
  values('toDateTime of texts', { a: '$json.day.toDateTime().toISO()', b: '$json.moment.toDateTime().toISO()', c: '"Fri, 29 Mar 2024 18:08:01 +0100".toDateTime().toISO()', d: '"2024-03-29 18:06:31".toDateTime().toISO()' }),
  values('toDateTime with a format', { a: '"31-01-2024".toDateTime("dd-MM-yyyy").toISODate()', b: '"1711732132".toDateTime("s").toISO()', c: '"1711732132990".toDateTime("ms").toISO()' }),
  values('toDateTime of numbers', { a: '(1708695471).toDateTime("s").toISO()', b: '(1708695471000).toDateTime().toISO()', c: '(45345).toDateTime("excel").toISO()' }),
  values('toDateTime of a Date', { a: 'new Date(0).toDateTime().toISO()', b: 'DateTime.fromISO($json.day).toDateTime().toISO()' }),
  values('toDate', { a: '$json.moment.toDate().toISOString()', b: '$json.day.toDate().getTime()' }),
  texts('a text that is no date', { a: '={{ "tomorrow".toDateTime() }}' }),
  values('format of a DateTime', { a: '$json.moment.toDateTime().format("dd/LL/yyyy")', b: '$json.moment.toDateTime().format("HH \'hours\'")', c: 'new Date(0).format("yyyy-MM-dd HH:mm")' }),
  values('extract', { a: '$json.moment.toDateTime().extract("month")', b: '$json.moment.toDateTime().extract("week")', c: '$json.moment.toDateTime().extract("yearDayNumber")', d: '$json.moment.toDateTime().extract()' }),
  values('beginningOf and endOfMonth', { a: '$json.moment.toDateTime().beginningOf("month").toISO()', b: '$json.moment.toDateTime().beginningOf().toISO()', c: '$json.moment.toDateTime().endOfMonth().toISO()' }),
  values('plus and minus with a unit', { a: '$json.day.toDateTime().plus(1, "year").toISODate()', b: '$json.day.toDateTime().minus(1, "months").toISODate()', c: '$json.day.toDateTime().plus({ days: 1, hours: 12 }).toISO()' }),
  values('plus and minus of a Date give a Date', { a: 'new Date(0).plus(1, "day").toISOString()', b: 'new Date(0).minus({ hours: 1 }).getTime()' }),
  values('diffTo', { a: '$json.day.toDateTime().diffTo("2024-01-01", "days")', b: '$json.day.toDateTime().diffTo("2023-01-15", ["months", "days"])', c: '$json.day.toDateTime().diffTo("2024-03-31".toDateTime())' }),
  values('diffToNow', { a: 'Math.round($now.minus(3, "days").diffToNow("days"))', b: 'Math.round($now.plus(90, "minutes").diffToNow("minutes"))' }),
  values('isWeekend, isDst, isBetween and isInLast', { a: '"2024-03-30".toDateTime().isWeekend()', b: '"2024-07-01".toDateTime().isDst()', c: '$json.day.toDateTime().isBetween("2024-01-01", "2025-01-01")', d: '$now.minus(1, "hour").isInLast(2, "hours")' }),
  values('isEmpty of a date', { a: '$now.isEmpty()', b: 'new Date(0).isNotEmpty()' }),
  values('a date of JSON is a text', { a: 'typeof JSON.parse(JSON.stringify({ d: new Date(0) })).d', b: '"2024-01-01T00:00:00.000Z".length', c: '"2024-01-01T00:00:00.000Z".toDateTime().year' }),
];

const words = [
  values('toTitleCase', { a: '"quick a brown FOX".toTitleCase()', b: '"the lord of the rings".toTitleCase()', c: '"follow step-by-step".toTitleCase()', d: '"iPhone and n8n.io".toTitleCase()' }),
  values('toSnakeCase', { a: '"quick brown $FOX".toSnakeCase()', b: '"Hello-World foo".toSnakeCase()', c: '"camelCase".toSnakeCase()' }),
  values('toSentenceCase', { a: '"quick! brown FOX".toSentenceCase()', b: '"HELLO. WORLD".toSentenceCase()' }),
  values('extractEmail and isEmail', { a: '$json.email.extractEmail()', b: '$json.email.isEmail()', c: '"ada@example.com".isEmail()', d: '"nobody".extractEmail() ?? null' }),
  values('extractUrl and isUrl', { a: '$json.link.extractUrl()', b: '$json.link.isUrl()', c: '"https://example.com/a?b=1#c".isUrl()', d: '"ftp://example.com".isUrl()' }),
  values('extractDomain and isDomain', { a: '"https://user@sub.example.com:8080/a".extractDomain()', b: '"ada@example.com".extractDomain()', c: '"example.com".isDomain()', d: '"https://example.com".isDomain()', e: '"http://localhost:3000/x".extractDomain()' }),
  values('extractUrlPath', { a: '"https://example.com/a/b?c=1".extractUrlPath()', b: '"https://example.com".extractUrlPath()', c: '"nothing".extractUrlPath() ?? null' }),
  values('isNumeric', { a: '"12.5".isNumeric()', b: '"12a".isNumeric()', c: '"".isNumeric()', d: '"1e5".isNumeric()' }),
  values('isEmpty and isNotEmpty of texts', { a: '$json.empty.isEmpty()', b: '$json.name.isEmpty()', c: '" ".isNotEmpty()' }),
  values('hash', { a: '"hello".hash()', b: '"hello".hash("sha256")', c: '"héllo".hash("sha1")' }),
  values('hash with other algorithms', { a: '"hello".hash("sha512")', b: '"hello".hash("sha3")', c: '"hello".hash("base64")', d: '"hello".hash("sha384").length' }),
  values('urlEncode and urlDecode', { a: '"a b&c=d/é".urlEncode()', b: '"a b&c=d/é".urlEncode(true)', c: '"a%20b%26c".urlDecode()', d: '"a%20b%26c".urlDecode(true)' }),
  values('base64Encode and base64Decode', { a: '"héllo".base64Encode()', b: '"aMOpbGxv".base64Decode()' }),
  values('removeTags and removeMarkdown', { a: '"<b>bold</b> <i>x</i>".removeTags()', b: '"# T\\n**bold** and [link](http://x.y) `code`".removeMarkdown()', c: '"- one\\n- two".removeMarkdown()' }),
  values('quote', { a: '\'say "hi"\'.quote()', b: '"it\'s".quote("\'")' }),
  values('replaceSpecialChars', { a: '"déjà vu".replaceSpecialChars()', b: '"Straße Łódź".replaceSpecialChars()', c: '"“a” – b…".replaceSpecialChars()' }),
  values('toNumber, toInt and toFloat', { a: '"12.9".toNumber()', b: '"12.9".toInt()', c: '"12.9px".toFloat()', d: '"ff".toInt(16)' }),
  texts('toNumber of a text that is no number', { a: '={{ "abc".toNumber() }}' }),
  values('toBoolean of texts', { a: '"true".toBoolean()', b: '"No".toBoolean()', c: '"0".toBoolean()', d: '"off".toBoolean()', e: '"".toBoolean()' }),
  values('parseJson', { a: '\'{"a": [1, 2]}\'.parseJson().a', b: '"5".parseJson()' }),
  texts('parseJson of a text that is no JSON', { a: '={{ "{\'a\': 1}".parseJson() }}' }),
  values('toJsonString', { a: '"say \\"hi\\"".toJsonString()', b: '$json.tags.toJsonString()', c: '$json.address.toJsonString()' }),
  values('length of a text, without a call', { a: '$json.name.length', b: '$json.tags.length' }),
  values('methods one after the other', { a: '$json.email.extractEmail().extractDomain().toUpperCase()', b: '$json.name.toSnakeCase().split("_").last()' }),
];

const numbers = [
  values('round, floor, ceil and abs', { a: '$json.price.round()', b: '$json.price.round(2)', c: '(-1.5).floor()', d: '(1.2).ceil()', e: '(-3).abs()' }),
  values('isEven, isOdd and isInteger', { a: '(4).isEven()', b: '(3).isOdd()', c: '(-3).isOdd()', d: '(1.5).isInteger()' }),
  texts('isEven of a number with a fraction', { a: '={{ (1.5).isEven() }}' }),
  values('format', { a: '$json.price.format()', b: '$json.price.format("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })', c: '(0.256).format("en-US", { style: "percent" })' }),
  values('format of a currency', { a: '$json.price.format("en-US", { style: "currency", currency: "USD" })' }),
  values('toBoolean, toInt and toFloat of numbers', { a: '(0).toBoolean()', b: '(-1).toBoolean()', c: '(1.5).toInt()', d: '(1.5).toFloat()' }),
  values('isEmpty of numbers and booleans', { a: '(0).isEmpty()', b: '(5).isEmpty()', c: 'false.isEmpty()', d: 'true.isNotEmpty()' }),
  values('booleans as numbers', { a: 'true.toNumber()', b: 'false.toInt()', c: '$json.yes.toNumber()' }),
];

const lists = [
  values('first and last', { a: '$json.tags.first()', b: '$json.scores.last()', c: '[].first() ?? null' }),
  values('sum, average, min and max', { a: '$json.scores.sum()', b: '$json.scores.average()', c: '$json.scores.min()', d: '$json.scores.max()' }),
  texts('sum of a list with a text', { a: '={{ $json.tags.sum() }}' }),
  values('unique and removeDuplicates', { a: '$json.tags.unique()', b: '[{ a: 1, b: 1 }, { a: 1, b: 2 }].removeDuplicates("a")', c: '[1, "1", 1, null, null].unique()', d: '[{ a: 1, b: 2 }, { b: 2, a: 1 }].unique()' }),
  values('compact of a list', { a: '[2, null, 1, "", 0, false].compact()', b: '[{ a: null, b: 1 }, {}].compact()' }),
  values('pluck', { a: '$json.people.pluck("name")', b: '$json.people.pluck("age")', c: '$json.people.pluck("name", "age")' }),
  values('chunk', { a: '[1, 2, 3, 4, 5].chunk(2)', b: '[].chunk(2)' }),
  values('difference, intersection and union', { a: '[1, 2, 3].difference([2])', b: '[1, 2, 3].intersection([3, 2, 4])', c: '[1, 2].union([2, 3])', d: '[{ a: 1 }, { a: 2 }].difference([{ a: 2 }])' }),
  values('merge', { a: '[{ a: 1 }, { b: 2 }].merge([{ c: 3 }, { d: 4 }])', b: '[{ a: 1 }, { a: 2, b: 3 }].merge()' }),
  values('renameKeys', { a: '[{ a: 1, b: 2 }, { c: 3 }].renameKeys("a", "x")', b: '[{ a: 1, b: 2 }].renameKeys("a", "x", "b", "y")' }),
  values('smartJoin', { a: '[{ field: "age", value: 2 }, { field: "city", value: "Berlin" }].smartJoin("field", "value")' }),
  values('isEmpty and isNotEmpty of lists', { a: '[].isEmpty()', b: '$json.tags.isEmpty()', c: '[null].isNotEmpty()' }),
  values('append', { a: '$json.tags.append("z", 1)', b: '$json.tags.append(["z"])', c: '($json.tags.append("z"), $json.tags.length)' }),
  values('reverse', { a: '[3, 1, 2].reverse()', b: '$json.tags.reverse().join("")' }),
  values('randomItem gives an element', { a: '$json.tags.includes($json.tags.randomItem())', b: '[7].randomItem()' }),
];

const objects = [
  values('isEmpty and isNotEmpty of objects', { a: '({}).isEmpty()', b: '$json.address.isEmpty()', c: '$json.address.isNotEmpty()' }),
  values('hasField', { a: '$json.address.hasField("city")', b: '$json.address.hasField("City")', c: '$json.hasField("none")' }),
  values('removeField', { a: '$json.address.removeField("lines")', b: '$json.address.removeField("nope")', c: '($json.address.removeField("city"), Object.keys($json.address))' }),
  values('removeFieldsContaining and keepFieldsContaining', { a: '({ a: "Mr X", b: "Y", c: 1 }).removeFieldsContaining("Mr")', b: '({ a: "Mr X", b: "Y", c: 1 }).keepFieldsContaining("Mr")' }),
  values('compact of an object', { a: '({ a: null, b: "", c: 0, d: { e: null, f: 1 }, g: "nil" }).compact()' }),
  values('urlEncode of an object', { a: '({ name: "Ada L", city: "a&b", n: 1 }).urlEncode()' }),
  values('keys and values of an object', { a: '$json.address.keys()', b: '({ a: 1, b: "x" }).values()' }),
  values('fields with the names of methods', { a: '$json.values ?? "none"', b: '$json.keys || "none"', c: '$json.compact === undefined' }),
  values('fields with the names of methods that exist', { a: '$json.values', b: '$json.first', c: '$json.isEmpty' }, [{ values: [1], first: 2, isEmpty: 'x' }]),
];

const functions = [
  values('$if', { a: '$if($json.age > 18, "adult", "minor")', b: '$if(false, 1)', c: '$if($json.nope, 1, 2)' }),
  values('$if evaluates only what it chooses', { a: '$if($json.nope, $json.nope.deeper, "other")', b: '$if($json.name, $json.name.length, $json.nope.deeper)' }),
  values('$ifEmpty', { a: '$ifEmpty($json.empty, "x")', b: '$ifEmpty($json.zero, "x")', c: '$ifEmpty([], "x")', d: '$ifEmpty({}, "x")', e: '$ifEmpty($json.nope, "x")', f: '$ifEmpty($json.no, "x")' }),
  values('$max and $min', { a: '$max(1, 5, 3)', b: '$min(...$json.scores)' }),
  values('functions without the sign of variables', { a: 'max(1, 5)', b: 'average(1, 2)', c: 'numberList(1, 4)', d: 'zip(["a"], [1])' }),
  values('$jmespath of fields', { a: '$jmespath($json, "address.city")', b: '$jmespath($json, "people[*].name")', c: '$jmespath($json.tags, "[0]")', d: '$jmespath($json, "nope")' }),
  values('$jmespath with filters and functions', { a: '$jmespath($json, "people[?age > `30`].name | [0]")', b: '$jmespath($json, "sort_by(people[?age], &age)[*].{n: name, a: age}")', c: '$jmespath($json, "length(tags)")', d: '$jmespath($json, "max_by(people[?age], &age).name")' }),
  values('$jmespath with slices, flattening and joins', { a: '$jmespath({ a: [1, 2, 3, 4] }, "a[1:3]")', b: '$jmespath({ a: [[1], [2, [3]]] }, "a[]")', c: '$jmespath($json, "join(\', \', tags)")', d: '$jmespath({ a: { x: 1, y: 2 } }, "a.*")' }),
  texts('$jmespath without a query', { a: '={{ $jmespath($json) }}' }),
  texts('$jmespath with a wrong query', { a: '=[{{ $jmespath($json, "a[") }}]' }),
];

export const cases = [missing, printed, language, dates, words, numbers, lists, objects, functions].flat();
