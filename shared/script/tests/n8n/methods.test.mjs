// The methods that n8n adds to values. Each row is an expression and its value.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

const check = (name, rows) =>
  test(name, () => {
    show([{ date: '2024-03-30T18:49:07.234' }]);
    for (const [expression, expected] of rows) {
      const value = n8n.value(expression);
      assert.deepEqual(value?.isLuxonDateTime ? value.toISO() : value, expected, String(expression));
    }
  });

check('texts', [
  [() => 'quick a brown FOX'.toTitleCase(), 'Quick a Brown FOX'],
  [() => 'the end of a: the one'.toTitleCase(), 'The End of a: the One'],
  [() => 'see http://x.y and iPhone'.toTitleCase(), 'See http://x.y and iPhone'],
  [() => 'quick! brown. FOX?'.toSentenceCase(), 'Quick! Brown. Fox?'],
  [() => 'Hello-World $x — y_z'.toSnakeCase(), 'hello_world_x__y_z'],
  [() => 'mail Ada <ada.l@sub.example.com>, now'.extractEmail(), 'ada.l@sub.example.com'],
  [() => ['a..b@c.com', '.a@c.com', '"q q"@x.com', 'a@b', 'a@b@c.com', 'x@[1.2.3.4]'].map((each) => each.extractEmail()),
    ['b@c.com', 'a@c.com', '"q q"@x.com', undefined, 'b@c.com', 'x@[1.2.3.4]']],
  [() => ['me@x.com', '<me@x.com>', ' me@x.com', 'me'].map((each) => each.isEmail()), [true, true, false, false]],
  [() => ['http://n8n.io', 'https://x', 'http://127.0.0.1/a', 'ftp://a.bc', 'n8n.io', 'http://a b.com'].map((each) => each.isUrl()),
    [true, false, true, true, false, false]],
  [() => ['n8n.io', 'localhost', '127.0.0.1', 'a.com/x?y', 'a.com)', 'hello', 'http://a.com'].map((each) => each.isDomain()),
    [true, true, true, true, false, false, false]],
  [() => ['https://a.com:80/x', 'me@b.com', '//c.de', 'd.ef', 'x y.com'].map((each) => each.extractDomain()),
    ['a.com', 'b.com', 'c.de', 'd.ef', undefined]],
  [() => 'go to https://a.com/b, please'.extractUrl(), 'https://a.com/b,'],
  [() => ['https://a.com/b?c', 'x'].map((each) => each.extractUrlPath()), ['/b', undefined]],
  [() => ['1.2', '0x1f', '', ' 5', '5\n', '1a'].map((each) => each.isNumeric()), [true, true, false, false, true, false]],
  [() => ['', 'x'].map((each) => [each.isEmpty(), each.isNotEmpty()]), [[true, false], [false, true]]],
  [() => 'hello'.hash(), '5d41402abc4b2a76b9719d911017c592'],
  [() => 'hello'.hash('SHA1'), 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d'],
  [() => 'héllo'.hash('base64'), 'aMOpbGxv'],
  [() => ['a b&c/d'.urlEncode(), 'a b&c/d'.urlEncode(true), 'a%20b%26'.urlDecode(), 'a%20b%26'.urlDecode(true)],
    ['a%20b%26c%2Fd', 'a%20b&c/d', 'a b&', 'a b%26']],
  [() => '%zz'.urlDecode(), undefined],
  [() => ['aGVs\nbG8'.base64Decode(), 'é'.base64Encode()], ['hello', 'w6k=']],
  [() => '# T\n- **bold** `code` [link](x)\n1. <b>b</b>'.removeMarkdown(), 'T\nbold code link\nb'],
  [() => 'a<br/>b <i'.removeTags(), 'ab '],
  [() => ['say "x"\\'.quote(), "it's".quote("'")], ['"say \\"x\\"\\\\"', "'it\\'s'"]],
  [() => 'Straße déjà Łódź “Привет” … €'.replaceSpecialChars(), 'Strasse deja Lodz "Privet" ... EU'],
  [() => ['12.9', '$5', ' 7 ', '', '1e3'].map((each) => each.toNumber()), [12.9, 5, 7, 0, 1000]],
  [() => ['12.9'.toInt(), '€ 5.9'.toFloat(), 'ff'.toInt(16), '12px'.toWholeNumber()], [12, 5.9, 255, 12]],
  [() => ['true', 'No', '0', '', 'off'].map((each) => each.toBoolean()), [true, false, false, false, true]],
  [() => '{"a":[1]}'.parseJson(), { a: [1] }],
  [() => 'a"b'.toJsonString(), '"a\\"b"'],
]);

check('numbers and booleans', [
  [() => [(1.256).round(), (1.256).round(1), (-2.5).round(), (1e21).round(2)], [1, 1.3, -3, 1e21]],
  [() => [(1.2).ceil(), (-1.2).floor(), (-3).abs(), (1.5).toInt(), (0).toBoolean()], [2, -2, 3, 2, false]],
  [() => [(4).isEven(), (-3).isOdd(), (1.5).isInteger()], [true, true, false]],
  [() => (123456.789).format(), '123,456.789'],
  [() => [(0).isEmpty(), (5).isEmpty(), true.isEmpty(), NaN.isNotEmpty()], [true, false, false, false]],
  [() => [true.toNumber(), false.toInt(), true.toFloat(), false.toBoolean()], [1, 0, 1, false]],
  [() => (1708695471).toDateTime('s'), '2024-02-23T14:37:51.000+01:00'],
  [() => (45345.5).toDateTime('excel'), '2024-02-23T13:00:00.000+01:00'],
]);

check('lists', [
  [() => [[1, 2].first(), [1, 2].last(), [].first()], [1, 2, undefined]],
  [() => [[1, 2].sum(), [1, 2].average(), [].average(), [1, 2].min(), [1, 2].max()], [3, 1.5, 0, 1, 2]],
  [() => [1, '1', 1, null, { a: 1, b: 2 }, { b: 2, a: 1 }, NaN, NaN].unique(), [1, '1', null, { a: 1, b: 2 }, NaN]],
  [() => [{ a: 1, b: 1 }, { a: 1, b: 2 }, { b: 1 }].removeDuplicates('a'), [{ a: 1, b: 1 }, { b: 1 }]],
  [() => [2, null, '', 'nil', 0, {}, [], { a: null, b: 1 }].compact(), [2, 0, { b: 1 }]],
  [() => [{ a: 1, b: 2 }, { b: 3 }, 5, null].pluck('b'), [2, 3]],
  [() => [{ a: 1, b: 2 }, { b: 3 }].pluck('b', 'a'), [[1, 2], 3]],
  [() => [1, 2, 3].chunk(2), [[1, 2], [3]]],
  [() => [[1, 2, 2].difference([2]), [1, 2].intersection([2, 3]), [1, 2].union([2, 3])], [[1], [2], [1, 2, 3]]],
  [() => [{ a: 1 }, { b: 2 }].merge([{ c: 3 }, { a: 4 }]), { a: 4, c: 3, b: 2 }],
  [() => [{ a: 1 }, { a: 2, b: 3 }].merge(), { a: 1, b: 3 }],
  [() => [{ a: 1, b: 2 }, 5].renameKeys('a', 'x', 'b', 'y'), [{ x: 1, y: 2 }, 5]],
  [() => [{ k: 'a', v: 1 }, { k: 'b' }].smartJoin('k', 'v'), { a: 1 }],
  [() => [[].isEmpty(), [0].isNotEmpty(), [1].append(2, [3]), [1].toJsonString()], [true, true, [1, 2, [3]], '[1]']],
  [() => [3, 1].includes(1) && [3, 1].reverse(), [1, 3]],
]);

check('objects', [
  [() => [({}).isEmpty(), ({ a: 1 }).isNotEmpty(), ({ a: 1 }).hasField('a'), ({}).hasField('keys')], [true, true, true, false]],
  [() => ({ a: 1, b: 2 }).removeField('a'), { b: 2 }],
  [() => ({ a: 'Mr X', b: 'Y', c: 1 }).keepFieldsContaining('Mr'), { a: 'Mr X' }],
  [() => ({ a: 'Mr X', b: 'Y', c: 1 }).removeFieldsContaining('Mr'), { b: 'Y', c: 1 }],
  [() => ({ a: null, b: { c: '', d: 1 }, e: [] }).compact(), { b: { d: 1 } }],
  [() => ({ a: 'x y', b: 1 }).urlEncode(), 'a=x+y&b=1'],
  [() => [({ a: 1 }).keys(), ({ a: 1 }).values(), ({ a: 1 }).toJsonString()], [['a'], [1], '{"a":1}']],
]);

check('dates', [
  [() => $json.date.toDateTime(), '2024-03-30T18:49:07.234+01:00'],
  [() => '31.01.2024'.toDateTime('dd.MM.yyyy'), '2024-01-31T00:00:00.000+01:00'],
  [() => 'Fri, 29 Mar 2024 18:08:01 +0200'.toDateTime(), '2024-03-29T18:08:01.000+02:00'],
  [() => $json.date.toDateTime().plus(1, 'month').minus({ days: 1 }).plus(1000), '2024-04-29T18:49:08.234+02:00'],
  [() => new Date(0).plus(1, 'day').toISOString(), '1970-01-02T00:00:00.000Z'],
  [() => $json.date.toDateTime().format('dd/LL/yy'), '30/03/24'],
  [() => new Date(0).format('HH:mm'), '01:00'],
  [() => ['week', 'month', 'yearDayNumber', 'hours'].map((part) => $json.date.toDateTime().extract(part)), [13, 3, 90, 18]],
  [() => $json.date.toDateTime().beginningOf(), '2024-03-25T00:00:00.000+01:00'],
  [() => $json.date.toDateTime().endOfMonth(), '2024-03-31T23:59:59.999+02:00'],
  [() => '2024-03-01'.toDateTime().diffTo('2024-02-01'), 29],
  [() => '2024-03-02'.toDateTime().diffTo('2024-02-01', ['months', 'days']), { months: 1, days: 1 }],
  [() => $now.minus(2, 'days').isInLast(3, 'days') && Math.round($now.minus(2, 'days').diffToNow()), -2],
  [() => [$json.date.toDateTime().isWeekend(), '2024-07-01'.toDateTime().isDst()], [true, true]],
  [() => $json.date.toDateTime().isBetween('2024-01-01', new Date('2025-01-01')), true],
  [() => [$now.isEmpty(), new Date().isNotEmpty(), new Date(5).toInt()], [false, true, 5]],
  // n8n takes these texts for dates, and then does not read them.
  [() => '2024-01-01T00:00:00.000Z'.format('yyyy'), 'Invalid DateTime'],
]);

test('outside of expressions, the prototypes are those of the language', () => {
  show();
  assert.equal('x'.toTitleCase, undefined);
  assert.equal({}.values, undefined);
  const moment = DateTime.fromISO('2024-01-01');
  assert.deepEqual([moment.format, moment.plus({ days: 1 }).toISODate()], [undefined, '2024-01-02']);
  assert.equal(moment.plus, Object.getPrototypeOf(moment).plus);
  const list = [3, 1];
  list.last = 5;
  assert.deepEqual([list.last, Object.keys(list)], [5, ['0', '1', 'last']]);
});

test('fields with the names of methods', () => {
  show([{ values: [1], first: 2 }]);
  assert.deepEqual(n8n.value(() => [$json.values, $json.first, $json.keys, $json.compact ?? 'none']), [[1], 2, undefined, 'none']);
  const fill = () => {
    const object = {};
    object.keys = 1;
    return object;
  };
  assert.deepEqual(n8n.value(fill), { keys: 1 });
});

test('n8n.extend calls a method of any value', () => {
  assert.equal(n8n.extend(undefined, 'isEmpty'), true);
  assert.equal(n8n.extend('a', 'toUpperCase'), 'A');
  assert.deepEqual(n8n.extend([1, 2, 3], 'chunk', 2), [[1, 2], [3]]);
  assert.throws(() => n8n.extend(null, 'sum'), { message: "sum can't be used on null value" });
  assert.throws(() => n8n.extend({}, 'toNumber'), { message: 'toNumber() is only callable on types "String", and "Boolean"' });
});
