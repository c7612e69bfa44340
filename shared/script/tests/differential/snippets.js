// Snippets whose results must equal those of Node. Each one is the body of an async function. A line `//# name` begins a snippet.
// A line `//! reason` after it marks a known difference: the results must differ, and the reason says why.

//# date iso
return new Date(0).toISOString()
//# date parts
return new Date(2024, 1, 29, 12, 30, 45, 678).toJSON()
//# date overflow
return [new Date(2023, 12, 1).toJSON(), new Date(2023, 0, 0).toJSON(), new Date(2023, 0, 1, 25).toJSON()]
//# date utc
return Date.UTC(2020, 5, 15, 1, 2, 3, 4)
//# date two-digit year
return [new Date(99, 0).getFullYear(), Date.UTC(70, 0)]
//# date string
return new Date(1e12).toString()
//# date date string
return new Date(1e12).toDateString()
//# date time string
return new Date(1e12).toTimeString()
//# date utc string
return new Date(1e12).toUTCString()
//# date locale strings
const d = new Date(Date.UTC(2024, 0, 5, 15, 4, 9)); return [d.toLocaleDateString('en-US'), d.toLocaleTimeString('en-US').replace(/\u202f/g, ' ')]
//# date parse iso
return ['2024-01-01', '2024-01-01T10:20', '2024-01-01T10:20:30', '2024-01-01T10:20:30.5Z', '2024-01-01T10:20:30+02:00', '2024-02', '2024'].map((s) => Date.parse(s))
//# date parse rfc
return ['Thu, 01 Jan 1970 00:00:10 GMT', '1 Jan 2020 10:00 UTC', 'Jan 1, 2020', 'January 5, 2021 11:13:00', '2020/03/04'].map((s) => Date.parse(s))
//# date parse bad
return ['x', '2024-13-01', '2024-01-32', ''].map((s) => Number.isNaN(Date.parse(s)))
//# date setters
const d = new Date(0); d.setFullYear(2024, 1, 29); d.setHours(23, 59, 58, 57); d.setMonth(0); return d.toJSON()
//# date setter results
const d = new Date(0); return [d.setDate(31), d.setMinutes(61), d.setSeconds(61), d.setMilliseconds(1001)]
//# date getters
const d = new Date(Date.UTC(2024, 6, 4, 5, 6, 7, 8)); return [d.getDay(), d.getHours(), d.getTimezoneOffset(), d.getTime(), d.getMilliseconds(), d.getYear()]
//# date invalid
const d = new Date(NaN); return [String(d), d.getTime(), d.toJSON(), d.getDay()]
//# date invalid iso
try { new Date(NaN).toISOString() } catch (e) { return e.name }
//# date arithmetic
return new Date(2024, 0, 31) - new Date(2024, 0, 1)
//# date comparison
return [new Date(1) < new Date(2), +new Date(5), new Date(5) == 5]
//# date to primitive
const d = new Date(0); return [`${d}`, d[Symbol.toPrimitive]('number'), typeof (d + 1)]
//# date far
return [new Date(8.64e15).toJSON(), new Date(8.64e15 + 1).toJSON(), new Date(-1).toJSON(), new Date(-62198755200000).toJSON()]
//# date copy
const d = new Date(123); return new Date(d).getTime()
//# date from string number
return [new Date('5').getTime() === new Date('5').getTime(), new Date(null).getTime(), new Date(undefined).getTime(), new Date(true).getTime()]
//# date statics
return [typeof Date.now(), Date.length, Date.name, typeof Date()]
//# date in json
return { at: new Date(1e12), list: [new Date(0)] }
//# regex named groups
const m = /(?<y>\d{4})-(?<m>\d\d)/.exec('on 2024-05-06'); return { ...m.groups, index: m.index }
//# regex named replace
return '2024-05'.replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>/$<y>')
//# regex lookbehind
return 'a$1 b2 $33'.match(/(?<=\$)\d+/g)
//# regex negative lookbehind
return 'a1 b2 c3'.match(/(?<!b)\d/g)
//# regex lookahead
return 'foobar foobaz'.match(/foo(?=baz)/).index
//# regex unicode
return ['💩'.match(/./u)[0].length, /\u{1F4A9}/u.test('💩'), '💩'.match(/./)[0].length]
//# regex unicode property
return 'aÁβ1 '.match(/\p{L}/gu)
//# regex script property
return 'abcαβγ'.match(/\p{Script=Greek}+/u)[0]
//# regex sticky
const r = /a/y; r.lastIndex = 1; return [r.test('ba'), r.lastIndex, r.test('ba'), r.lastIndex]
//# regex sticky split
return 'a,b;c'.split(/[,;]/y)
//# regex dotall
return [/a.b/s.test('a\nb'), /a.b/.test('a\nb')]
//# regex multiline
return 'a\nb\nc'.match(/^\w$/gm)
//# regex flags
return [/a/gimsuyd.flags, /a/v.flags]
//# regex indices
return /(b)(?<n>c)/d.exec('abc').indices.groups.n
//# regex matchAll
return [...'a1b2'.matchAll(/([a-z])(\d)/g)].map((m) => [m[0], m[1], m[2], m.index])
//# regex replace function
return 'abc'.replace(/(b)(x)?/, (m, a, b, i, s) => JSON.stringify([m, a, b, i, s]))
//# regex replace dollars
return 'abc'.replace(/b/, "[$&$`$'$$$1]")
//# regex replaceAll
return 'a.b.c'.replaceAll(/\./g, '-')
//# regex replaceAll without g
try { 'a'.replaceAll(/a/, '') } catch (e) { return e.name }
//# regex split groups
return 'a1b2c'.split(/(\d)/)
//# regex split limit
return 'a,b,c'.split(/,/, 2)
//# regex search
return ['abc'.search(/c/), 'abc'.search('x')]
//# regex backreference
return [/(a)\1/.test('aa'), /(?<x>b)\k<x>/.test('bb')]
//# regex greedy
return 'aaa'.match(/a+?/)[0] + '<a><b>'.match(/<.*>/)[0]
//# regex lastIndex
const r = /a/g; r.test('aba'); const first = r.lastIndex; r.test('aba'); return [first, r.lastIndex, r.test('aba'), r.lastIndex]
//# regex case insensitive
return [/ß/i.test('ẞ'), /ß/iu.test('ẞ'), /straße/i.test('STRASSE'), /\u212a/i.test('k'), /\u212a/iu.test('k')]
//# regex source
return [new RegExp('/').source, new RegExp('').source, String(new RegExp('\n'))]
//# regex syntax error
try { new RegExp('(') } catch (e) { return e.name }
//# regex class escapes
return '\u00a0 \ufeff'.replace(/\s/g, 'x')
//# regex v flag
return ['a1b2'.match(/[\p{L}--[a]]/gv), 'abc'.match(/[[a-c]&&[b-d]]/gv)]
//# regex empty
return 'abc'.split(/(?:)/)
//# regex global match null
return 'abc'.match(/x/g)
//# regex word boundary
return 'a-b c'.split(/\b/)
//# regex quantifier braces
return ['aaa'.match(/a{2}/)[0], 'aaa'.match(/a{2,}/)[0], /a{,2}/.test('a{,2}')]
//# sort stability
return Array.from({ length: 50 }, (_, i) => ({ k: i % 3, i })).sort((a, b) => a.k - b.k).map((x) => x.i)
//# sort default
return [3, 20, 100, undefined, 'b', 'a', null, true].sort()
//# sort holes
const a = [3, , 1]; a.sort(); return [a.length, 2 in a, a[0]]
//# sort locale compare
return ['b', 'a', 'C', 'A'].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))
//# sort numbers
return [10, 9, 1, 0, -1, -0, Infinity, -Infinity].sort((a, b) => a - b)
//# sort error
try { [1, 2].sort('x') } catch (e) { return e.name }
//# toSorted
const a = [3, 1, 2]; return [a.toSorted(), a.toSorted((x, y) => y - x), a]
//# toReversed with toSpliced
const a = [1, 2, 3]; return [a.toReversed(), a.with(1, 9), a.toSpliced(1, 1, 7, 8), a]
//# with out of range
try { [1].with(5, 0) } catch (e) { return e.name }
//# array at
return [[1, 2, 3].at(-1), [1].at(5) === undefined, 'abc'.at(-2)]
//# array flat
return [[1, [2, [3, [4]]]].flat(), [1, [2, [3, [4]]]].flat(Infinity), [[1], , [2]].flat()]
//# array flatMap
return [1, 2].flatMap((x) => [x, [x * 2]])
//# array findLast
return [[1, 2, 3, 4].findLast((x) => x % 2), [1, 2, 3].findLastIndex((x) => x > 5)]
//# array copyWithin
return [[1, 2, 3, 4, 5].copyWithin(0, 3), [1, 2, 3, 4, 5].copyWithin(1, 0, 3)]
//# array fill
return [new Array(3).fill(0), [1, 2, 3, 4].fill(9, 1, -1)]
//# array from
return [Array.from('añ💩'), Array.from({ length: 3 }, (_, i) => i * i), Array.from(new Map([[1, 2]])), Array.from({ length: '2', 0: 'a' })]
//# array of
return [Array.of(7), Array(3).length, Array(1, 2)]
//# array includes nan
return [[NaN].includes(NaN), [NaN].indexOf(NaN), [,].includes(undefined), [,].indexOf(undefined)]
//# array indexOf from
return [[1, 2, 1].indexOf(1, 1), [1, 2, 1].lastIndexOf(1, -2), [1, 2, 1].indexOf(1, -1), [1].lastIndexOf(1, undefined)]
//# array long search
const s = 'x'.repeat(300); return [['a', s, s].indexOf(s), ['a', s, s].lastIndexOf(s), [s].includes(s, 1), ['a', s, s].lastIndexOf(s, -2), [s, 'a'].indexOf(s, -1), [5n].includes(5n)]
//# array splice
const a = [1, 2, 3, 4, 5]; const r = a.splice(1, 2, 'x', 'y', 'z'); const q = a.splice(-2); const n = a.splice(); return [a, r, q, n]
//# array slice
const a = [1, 2, 3]; return [a.slice(), a.slice(-2), a.slice(1, -1), a.slice(5)]
//# array concat
return [[1].concat(2, [3, [4]], 'x', null), [].concat({ length: 1, 0: 'a', [Symbol.isConcatSpreadable]: true })]
//# array reduce
return [[1, 2, 3].reduce((a, b) => a + b), [[1], [2]].reduceRight((a, b) => a.concat(b)), [1, 2].reduce((a, x, i, all) => a + i + all.length, '')]
//# array reduce empty
try { [].reduce((a) => a) } catch (e) { return e.name }
//# array holes
const a = [1, , 3]; return [a, a.map((x) => x * 2), Object.keys(a), a.length, a.forEach.call(a, () => 0) === undefined, JSON.stringify(a)]
//# array length
const a = [1, 2, 3]; a.length = 1; a[3] = 4; return [a, a.length]
//# array length error
try { [].length = -1 } catch (e) { return e.name }
//# array join
return [[1, null, undefined, [2, [3]], {}].join('-'), [].join(), [1, 2].join(''), [1].join('x'), String([1, [2, 3]])]
//# array entries
return [[...['a', 'b'].entries()], [...['a'].keys()], [...[1, , 2].values()]]
//# array shift unshift
const a = [1, 2]; return [a.unshift(0, 9), a.shift(), a.pop(), a.push(5, 6), a]
//# array isArray
return [Array.isArray([]), Array.isArray(new Proxy([], {})), Array.isArray({ length: 0 })]
//# array species
class A extends Array {} const a = A.from([1, 2, 3]); return [a.map((x) => x) instanceof A, a.filter(Boolean).length, a.slice(1).constructor.name, a.flat() instanceof A, a.concat([1]) instanceof A]
//# array likes
return [Array.prototype.map.call('abc', (c) => c + c), Array.prototype.slice.call({ length: 2, 0: 'a', 1: 'b' }), Array.prototype.join.call({ length: 3, 1: 'x' }, '-'), Array.prototype.reverse.call({ length: 2, 0: 1, 1: 2 })]
//# array on proxies
const p = new Proxy([3, 1, 2], {}); return [p.slice(1), p.join('-'), p.concat([4]), [0].concat(p), p.indexOf(2), [...p], p.toSorted(), p.sort() === p, p.reverse() === p, p.flat(), p.length]
//# array reverse
const a = [1, 2, , 4]; return [a.reverse() === a, a, 1 in a]
//# array some every
return [[].some(Boolean), [].every(Boolean), [1, 0].some(Boolean), [1, 0].every(Boolean)]
//# array destructuring
const [a, , b = 5, ...rest] = [1, 2, undefined, 4, 5]; return [a, b, rest]
//# array group by entries
return Object.fromEntries([['a', 1], ['b', 2]].map(([k, v]) => [k, v * 2]))
//# number to string
return [0.1 + 0.2, 1e21, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308, -0, 100, 1 / 3].map(String)
//# number radix
//! The last digits of large numbers in other bases differ. The standard leaves them to the implementation.
return [(255).toString(16), (0.5).toString(2), (-255).toString(36), (1e21).toString(7), (0.1).toString(3)]
//# number toFixed
return [(1.005).toFixed(2), (1e21).toFixed(2), (0).toFixed(1), (-1.5).toFixed(0), (2.5).toFixed(0), (1.45).toFixed(1), (123.456).toFixed(10)]
//# number toPrecision
return [(123.456).toPrecision(4), (0.000123).toPrecision(2), (1e21).toPrecision(3), (1.25).toPrecision(2), (99.99).toPrecision(3)]
//# number toExponential
return [(123456).toExponential(2), (0).toExponential(), (1.5e-9).toExponential(), (12345).toExponential()]
//# number parse
return [parseInt('12px'), parseInt('0x1f'), parseInt('z', 36), parseFloat('3.14abc'), parseFloat('.5e1'), Number(''), Number(' 12 '), Number('0b11'), Number('1_000'), Number('0o17')].map(String)
//# number separators
return [1_000_000, 0xff_ff, 1_0.0_1]
//# number checks
return [Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, Number.isFinite('5'), isFinite('5'), isNaN('x'), Number.isNaN('x')]
//# number errors
try { (1).toFixed(101) } catch (e) { return e.name }
//# number locale
return [(1234567.891).toLocaleString('en-US'), (0).toLocaleString('en-US')]
//# number bitwise
return [5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 31, -1 >>> 0, -1 >> 1, 2 ** 32 >> 0, 1 << 32]
//# number division
return [5 % 3, -5 % 3, 5.5 % 2, 2 ** -1, 2 ** 0.5, 7 / 2 | 0]
//# number specials
return [1 / 0, -1 / 0, 0 / 0]
//# math functions
return [Math.max(), Math.min(1, '2'), Math.sign(-3), Math.trunc(-1.5), Math.round(-0.5), Math.round(2.5), Math.cbrt(27), Math.hypot(3, 4), Math.clz32(1), Math.fround(5.5), Math.imul(3, 4), Math.log2(8), Math.log10(1000)].map(String)
//# math precision
return [Math.sin(1), Math.exp(1), Math.pow(2, 0.5), Math.atan2(1, 1), Math.log(10), Math.tanh(0.5)].map((x) => x.toFixed(12))
//# string search
return ['abcabc'.indexOf('c'), 'abcabc'.indexOf('c', 3), 'abc'.lastIndexOf('a', -1), 'abc'.indexOf(''), 'abc'.lastIndexOf(''), 'abc'.indexOf('', 9), 'aXbX'.lastIndexOf('X', 2), 'abc'.includes('bc', 2), 'undefined'.indexOf(), 'abc'.lastIndexOf('c', NaN)]
//# string startsWith
return ['abc'.startsWith('b', 1), 'abc'.endsWith('b', 2), 'abc'.includes('')]
//# string includes regex
try { 'a'.includes(/a/) } catch (e) { return e.name }
//# string pad
return ['5'.padStart(3, '0'), 'abc'.padEnd(6, '12'), 'abc'.padStart(2), 'a'.padStart(5, '')]
//# string repeat
return ['ab'.repeat(3), ''.repeat(5)]
//# string repeat error
try { 'a'.repeat(-1) } catch (e) { return e.name }
//# string slice
return ['abcdef'.slice(-3, -1), 'abcdef'.substring(4, 1), 'abcdef'.substr(-3, 2), 'abc'.slice(2, 1)]
//# string split
return ['a,b,c'.split(','), 'abc'.split(''), 'abc'.split(), 'a,b'.split(',', 1), ''.split(','), ''.split(''), 'a,b'.split(',', 0), 'aXbXc'.split('X', -1)]
//# string replace
return ['aaa'.replace('a', 'b'), 'aaa'.replaceAll('a', 'b'), 'abc'.replace('b', '[$&]'), 'abc'.replaceAll('', '-'), 'abc'.replace('b', () => '$&'), 'x'.replace('x', "$'$`$$")]
//# string code points
return ['💩'.codePointAt(0), '💩'.charCodeAt(1), String.fromCodePoint(128169, 65), [...'a💩'].length, '💩'.length]
//# string from code point error
try { String.fromCodePoint(-1) } catch (e) { return e.name }
//# string normalize
return ['e\u0301'.normalize().length, '\u00e9'.normalize('NFD').length, 'ﬁ'.normalize('NFKC')]
//# string normalize error
try { 'a'.normalize('x') } catch (e) { return e.name }
//# string case
return ['İ'.toLowerCase().length, 'ß'.toUpperCase(), 'ΑΣ'.toLowerCase(), 'ǆ'.toUpperCase(), 'ﬁ'.toUpperCase()]
//# string trim
return [' \n\t\u00a0a \ufeff'.trim(), ' a '.trimStart(), ' a '.trimEnd()]
//# string raw
return [String.raw`a\n${1}b`, String.raw({ raw: ['x', 'y', 'z'] }, 1, 2, 3), String.raw({ raw: 'abc' }, '-', '+')]
//# string wellformed
return ['\ud800a'.isWellFormed(), 'ab'.isWellFormed(), '\ud800a'.toWellFormed()]
//# string compare
return ['a' < 'b', 'a' < 'B', 'Z' < 'a', '10' < '9', 'a'.localeCompare('a'), '💩' > '\uffff']
//# string concat
return ['a'.concat(1, null, [2]), 'a' + 1 + 2, 1 + 2 + 'a', '3' * '4', '3' - 1, [] + {}, [] + []]
//# string iteration
const out = []; for (const c of 'a💩b') out.push(c); return out
//# string html
return 'a'.anchor('"x"')
//# string on null
try { String.prototype.indexOf.call(null, 'a') } catch (e) { return e.name }
//# string methods generic
return [String.prototype.trim.call(5), String.prototype.split.call(123, '2'), String.prototype.includes.call(true, 'ru'), String.prototype.replace.call(121, '2', 'x')]
//# string split object
return ['a-b'.split({ [Symbol.split]: (s, n) => [s, n] }), 'a-b'.split({ toString: () => '-' }), 'x'.replace({ [Symbol.replace]: (s, r) => s + r }, 'y')]
//# template literals
const f = (s, ...v) => [s, s.raw, v]; return [f`a${1}\n${2}`, `a${`b${1 + 1}`}`]
//# template identity
const tag = (s) => s; const f = () => tag`x`; return [f() === f(), Object.isFrozen(f())]
//# template cooked undefined
return ((s) => [s[0] === undefined, s.raw[0]])`\unicode`
//# map basics
const m = new Map([['a', 1], [NaN, 2], [0, 3]]); return [m.get(NaN), m.get(-0), m.size, m.has('b'), m.delete('a'), [...m.keys()].map(String)]
//# map order
const m = new Map([[1, 1], [2, 2]]); m.delete(1); m.set(1, 9); return [...m]
//# map iteration with changes
const m = new Map([[1, 1]]); const seen = []; for (const [k] of m) { seen.push(k); if (k < 5) m.set(k + 1, 1) } return seen
//# map group by missing
return typeof Map.prototype.forEach + new Map([[1, 2]]).forEach((v, k) => 0)
//# map json
return [JSON.stringify(new Map([[1, 2]])), JSON.stringify(new Set([1]))]
//# set basics
const s = new Set([1, '1', NaN, NaN, 0, -0]); return [s.size, [...s].map(String), s.has(NaN), s.add(5) === s]
//# set from string
return [...new Set('hello')].join('')
//# set from generator
return [...new Set((function* () { yield 1; yield 1; yield 2 })())]
//# set without new
try { Set() } catch (e) { return e.name }
//# set subclass
class S extends Set { add(x) { return super.add(x * 2) } } const s = new S([1, 2]); return [[...s], s instanceof Set, s.constructor.name, Object.prototype.toString.call(s)]
//# set identity
return [Set.name, Set.length, new Set().constructor === Set, Set.prototype.constructor === Set, Set[Symbol.species] === Set, typeof Set]
//# weakmap
const k = {}; const w = new WeakMap([[k, 1]]); return [w.get(k), w.has({}), w.delete(k), w.has(k)]
//# weakset
const k = {}; const w = new WeakSet([k]); return [w.has(k), w.has({})]
//# weakmap key error
try { new WeakMap().set(1, 1) } catch (e) { return e.name }
//# generator basics
function* g() { const x = yield 1; try { yield x * 2 } finally { yield 'f' } } const i = g(); return [i.next(), i.next(5), i.return(9), i.next(), i.next()]
//# generator throw
function* g() { try { yield 1 } catch (e) { yield 'caught ' + e } } const i = g(); i.next(); return [i.throw('x'), i.next()]
//# generator delegation
function* a() { const r = yield* b(); yield r } function* b() { yield 1; return 2 } return [...a()]
//# generator spread
function* g() { yield* [1, 2]; yield* 'ab' } return [...g(), Math.max(...[1, 5, 2])]
//# generator methods
const o = { *g() { yield this.x }, x: 4 }; class A { static *s() { yield 1 } } return [[...o.g()], [...A.s()]]
//# iterator protocol
const it = { from: 1, to: 3, [Symbol.iterator]() { let n = this.from; return { next: () => (n <= this.to ? { value: n++, done: false } : { value: undefined, done: true }) } } }; return [[...it], Array.from(it), Math.max(...it)]
//# iterator closing
let closed = 0; const it = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }), return: () => { closed++; return {} } } } }; for (const x of it) break; const [a] = it; try { for (const x of it) throw 1 } catch {} return closed
//# fibonacci
function* f() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b] } } const out = []; for (const n of f()) { if (n > 50) break; out.push(n) } return out
//# destructuring object
const { a, b: { c = 3, ...rest } = {}, ['d' + 1]: d, ...others } = { a: 1, b: { x: 1, y: 2 }, d1: 4, e: 5 }; return [a, c, rest, d, others]
//# destructuring defaults
const f = ({ a = 1, b = a + 1 } = {}, [c, d = c] = [5]) => [a, b, c, d]; return [f(), f({ a: 3 }, [1])]
//# destructuring swap
let a = 1, b = 2; [a, b] = [b, a]; return [a, b]
//# destructuring null
try { const { a } = null } catch (e) { return e.name }
//# destructuring in for
const out = []; for (const [k, { v }] of Object.entries({ a: { v: 1 } })) out.push(k, v); return out
//# destructuring assignment targets
const o = {}; [o.a, o['b']] = [1, 2]; ({ x: o.c, y: o.d = 4 } = { x: 3 }); return o
//# classes
class A { #x = 1; static #n = 0; get x() { return this.#x } set x(v) { this.#x = v; A.#n++ } static get n() { return A.#n } has(o) { return #x in o } } const a = new A(); a.x = 5; return [a.x, A.n, a.has(a), a.has({})]
//# class private methods
class A { #m() { return 7 } static #s() { return 8 } call() { return this.#m() + A.#s() } } return new A().call()
//# class private error
class A { #x = 1; read(o) { return o.#x } } try { new A().read({}) } catch (e) { return e.name }
//# class static blocks
class A { static x = 1; static { this.y = this.x + 1 } } return [A.x, A.y]
//# class inheritance
class A { constructor(n) { this.n = n } f() { return 'A' + this.n } static s() { return 's' } } class B extends A { constructor() { super(5); this.m = super.f() } f() { return 'B' + super.f() } } const b = new B(); return [b.f(), b.m, B.s(), b instanceof A, B.name]
//# class fields order
const log = []; class A { a = log.push('a'); constructor() { log.push('c') } b = log.push('b') } new A(); return log
//# class this before super
class A {} class B extends A { constructor() { try { this.x } catch (e) { super(); this.name = e.name } } } return new B().name
//# class call without new
class A {} try { A() } catch (e) { return e.name }
//# class new target
function F() { return new.target === undefined } class A { constructor() { this.t = new.target.name } } class B extends A {} return [F(), new B().t]
//# class accessors
class A { static get [Symbol.species]() { return 1 } get ['a' + 'b']() { return 2 } } return [A[Symbol.species], new A().ab, Object.keys(new A())]
//# class toString tag
class A { get [Symbol.toStringTag]() { return 'Tag' } } return String(new A())
//# class expression names
const A = class {}; const B = class C {}; return [A.name, B.name, (class { static name = 'x' }).name]
//# class extends null
class A extends null { static f() { return 1 } } return [A.f(), Object.getPrototypeOf(A.prototype)]
//# extending builtins
class E extends Error { constructor(m) { super(m); this.name = 'E' } } const e = new E('hi'); return [String(e), e instanceof Error, e instanceof E, Object.prototype.toString.call(e)]
//# optional chaining
const o = { a: { b: () => 5 }, n: null }; return [o?.a?.b?.(), o.x?.y.z.w, o.n?.x, o.a?.['b'](), delete o?.q, o.f?.()]
//# nullish
return [null ?? 1, 0 ?? 1, '' || 2, undefined ?? null]
//# logical assignment
let a = null, b = 1, c = 0; a ??= 5; b &&= 6; c ||= 7; return [a, b, c]
//# exponent
return [2 ** 3 ** 2, (-2) ** 2]
//# spread objects
//! The engine ignores a text that is spread into an object.
return { ...{ a: 1, b: 2 }, b: 3, ...null, ...'hi', ...[9] }
//# computed keys
const k = 'x'; return { [k]: 1, [`${k}y`]: 2, get [k + 'z']() { return 3 } }
//# getters setters
const o = { _v: 1, get v() { return this._v * 2 }, set v(x) { this._v = x } }; o.v = 5; return [o.v, Object.getOwnPropertyDescriptor(o, 'v').get.name, JSON.stringify(o)]
//# define property
const o = {}; Object.defineProperty(o, 'x', { value: 1 }); o.x = 2; return [o.x, Object.keys(o), Object.getOwnPropertyDescriptor(o, 'x')]
//# define property strict error
'use strict'; const o = Object.freeze({ a: 1 }); try { o.a = 2 } catch (e) { return e.name }
//# freeze seal
const o = Object.freeze({ a: [1] }); o.a.push(2); o.b = 1; return [o, Object.isFrozen(o), Object.isSealed(o), Object.isExtensible(o)]
//# object keys order
return Object.keys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol('s')]: 1, '-1': 1, '01': 1 })
//# object statics
return [Object.entries({ a: 1 }), Object.values('ab'), Object.is(-0, 0), Object.hasOwn({ a: 1 }, 'a'), Object.fromEntries(new Map([['x', 1]])), Object.assign({}, null, { a: 1 }, 'b')]
//# object prototype
const o = Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }); const seen = []; for (const k in o) seen.push(k); return [seen, o.hasOwnProperty('inherited'), 'inherited' in o]
//# object proto literal
const o = { __proto__: { a: 1 }, ['__proto__']: 5 }; return [o.a, Object.keys(o)]
//# object to string
return [{}, [], null, undefined, () => 1, 1, /a/, new Date(0), (function () { return arguments })()].map((x) => Object.prototype.toString.call(x))
//# symbols
const s = Symbol('d'); return [s.description, String(s), Symbol.for('a') === Symbol.for('a'), Symbol.keyFor(Symbol.for('a')), typeof s, Object.getOwnPropertySymbols({ [s]: 1 }).length]
//# symbol conversion error
try { return '' + Symbol() } catch (e) { return e.name }
//# symbol to primitive
const o = { [Symbol.toPrimitive]: (h) => (h === 'number' ? 42 : h === 'string' ? 'str' : 'def') }; return [+o, `${o}`, o + '']
//# symbol has instance
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0 } } return [2 instanceof Even, 1 instanceof Even]
//# proxy traps
const log = []; const p = new Proxy({ a: 1 }, { get: (t, k, r) => { log.push('get ' + String(k)); return t[k] }, has: (t, k) => { log.push('has ' + k); return k in t }, set: (t, k, v) => { log.push('set ' + k); t[k] = v; return true }, deleteProperty: (t, k) => { log.push('delete ' + k); return delete t[k] }, ownKeys: (t) => { log.push('keys'); return Reflect.ownKeys(t) } }); p.a; 'a' in p; p.b = 2; delete p.a; Object.keys(p); return log
//# proxy invariants
try { new Proxy(Object.freeze({ a: 1 }), { get: () => 2 }).a } catch (e) { return e.name }
//# proxy revoke
const { proxy, revoke } = Proxy.revocable({ a: 1 }, {}); const before = proxy.a; revoke(); try { proxy.a } catch (e) { return [before, e.name] }
//# proxy functions
const p = new Proxy(function (a) { return a + 1 }, { apply: (t, self, args) => t(...args) * 10, construct: (t, args) => ({ made: args[0] }) }); return [p(1), new p(5)]
//# proxy without new
try { Proxy({}, {}) } catch (e) { return e.name }
//# proxy json
return JSON.stringify(new Proxy({ a: [1] }, {})) + JSON.stringify(new Proxy([1, 2], {}))
//# proxy identity
return [typeof Proxy, Proxy.length, Proxy.name, Proxy.prototype === undefined]
//# reflect
const o = { a: 1 }; return [Reflect.ownKeys({ b: 1, [Symbol.iterator]: 1 }).length, Reflect.has(o, 'a'), Reflect.get({ get x() { return this.y } }, 'x', { y: 5 }), Reflect.apply(Math.max, null, [1, 2]), Reflect.construct(Date, [0]).getTime(), Reflect.set(Object.freeze({}), 'a', 1), Reflect.deleteProperty(o, 'a')]
//# reflect construct target
class A {} class B {} const o = Reflect.construct(A, [], B); return [o instanceof A, o instanceof B]
//# json stringify
return [JSON.stringify({ a: undefined, b: () => 1, c: Symbol(), d: NaN, e: [undefined, () => 1], f: null, g: new Date(0), h: -0, i: Infinity }), JSON.stringify(undefined), JSON.stringify('\u2028"\\\n\u0001'), JSON.stringify({ toJSON: (k) => 'k' + k })]
//# json indent
return [JSON.stringify({ a: [1, { b: 2 }], c: {}, d: [] }, null, 2), JSON.stringify([1], null, '--'), JSON.stringify({ a: 1 }, null, 20)]
//# json replacer
return [JSON.stringify({ a: 1, b: [1, 2], c: { a: 2, d: 3 } }, ['a', 'c']), JSON.stringify({ a: 1, b: 'x' }, (k, v) => (typeof v === 'number' ? v + 1 : v)), JSON.stringify({ b: 1, a: 2 }, ['a', 'b', 'a'])]
//# json surrogates
return JSON.stringify('\ud800\udc00\ud800')
//# json parse
return [JSON.parse(' [1, -0, 1e3, "\\u0041", true, null] '), Object.is(JSON.parse('-0'), -0), JSON.parse('{"a":1,"a":2}'), JSON.parse('{"__proto__":1}')]
//# json parse proto
const o = JSON.parse('{"__proto__": {"x": 1}}'); return [o.x === undefined, Object.keys(o)]
//# json reviver
return JSON.parse('{"a":[1,2,{"b":3}],"c":"d"}', function (k, v) { return typeof v === 'number' ? v * 2 : k === 'c' ? undefined : v })
//# json errors
return ['', '{', '[1,]', "{'a':1}", '01', '1.', '"\n"', 'undefined', '{"a":1,}'].map((s) => { try { return JSON.parse(s) } catch (e) { return e.name } })
//# json cycle
const a = {}; a.a = a; try { JSON.stringify(a) } catch (e) { return e.name }
//# json bigint
try { JSON.stringify(1n) } catch (e) { return e.name }
//# json boxed
return JSON.stringify([new Number(1), new String('a'), new Boolean(false), Object(Symbol())])
//# json numbers
return [0.1, 1e21, 1e-7, 123456789.123456789, 2 ** 53, 1 / 3, 5e-324]
//# typed arrays
const a = new Uint8Array([1, 2, 300, -1, 1.9]); return [[...a], a.length, a.byteLength, a.BYTES_PER_ELEMENT, Object.prototype.toString.call(a)]
//# typed conversions
return [[...new Int8Array([200])], [...new Uint8ClampedArray([300, -5, 1.5, 2.5])], [...new Float32Array([1.1])], [...new Int16Array(2)], String(new BigInt64Array([-1n])[0]), String(new BigUint64Array([-1n])[0])]
//# typed methods
const a = Uint8Array.from([3, 1, 2]); return [[...a.sort()], [...a.map((x) => x * 100)], a.indexOf(2), a.join('-'), [...a.subarray(1)], [...a.slice(-1)], a.includes(9), [...a.toReversed()], [...a.with(0, 7)], a.at(-1), [...a.fill(5, 1)]]
//# typed sort numbers
return [...new Float64Array([3, -0, 0, NaN, -Infinity, 1]).sort()].map((x) => (Object.is(x, -0) ? '-0' : String(x)))
//# typed views
const b = new ArrayBuffer(8); const v = new DataView(b); v.setInt16(0, -2); v.setFloat32(4, 1.5, true); return [[...new Uint8Array(b)], v.getUint16(0, true), v.getFloat32(4, true)]
//# typed set
const a = new Uint8Array(4); a.set([1, 2], 1); a.set(new Uint16Array([300]), 3); a[9] = 1; return [[...a], a[9] === undefined, Object.keys(a)]
//# typed errors
return [() => new Uint8Array(-1), () => new Uint16Array(new ArrayBuffer(3)), () => new DataView(new ArrayBuffer(1), 2), () => new BigInt64Array([1])].map((f) => { try { f() } catch (e) { return e.name } })
//# typed copyWithin
return [...new Uint8Array([1, 2, 3, 4]).copyWithin(0, 2)]
//# array buffer
const b = new ArrayBuffer(4, { maxByteLength: 8 }); const a = new Uint8Array(b); b.resize(8); return [a.length, b.resizable, b.maxByteLength, b.slice(2).byteLength, ArrayBuffer.isView(a)]
//# typed json
return JSON.stringify({ a: new Uint8Array([1, 2]) })
//# bigint
return [2n ** 64n, -7n / 2n, -7n % 3n, 5n & 3n, -1n >> 1n, 1n << 70n, BigInt('0xff'), BigInt(2 ** 53), BigInt.asIntN(8, 255n), BigInt.asUintN(8, -1n)].map(String)
//# bigint comparisons
return [1n == 1, 1n === 1, 2n > 1, 0n == false, 1n < 1.5, typeof 1n, [3n, 1, 2n].sort().map(String)]
//# bigint errors
return [() => 1n + 1, () => BigInt(1.5), () => BigInt('x'), () => 1n / 0n, () => +1n, () => 2n ** -1n].map((f) => { try { f() } catch (e) { return e.name } })
//# bigint text
return [(123456789012345678901234567890n).toString(36), String(-(10n ** 50n)), (255n).toString(2), BigInt('  12  ').toString()]
//# error names
return [() => null.x, () => undefinedName, () => { const a = 1; a = 2 }, () => new Array(-1), () => decodeURIComponent('%'), () => ({}).x(), () => { x; let x }, () => 1(), () => new (() => {})(), () => Symbol() + 1, () => ({}) instanceof 1, () => 'a' in 'b', () => [...1], () => { const [a] = {} }].map((f) => { try { f() } catch (e) { return e.name } })
//# error properties
const e = new Error('m', { cause: 'c' }); return [e.message, e.cause, e.name, String(e), Object.keys(e), 'stack' in e, 'cause' in new Error('x')]
//# error to string
return [String(new TypeError('x')), String(new Error()), Error.prototype.toString.call({ name: 'N', message: 'M' }), String(new RangeError(''))]
//# aggregate error
const e = new AggregateError([1, new Error('b')], 'all'); return [e.errors.length, e.message, e.name]
//# error in finally
const f = () => { try { throw new Error('a') } finally { return 'finally wins' } }; return f()
//# error rethrow
try { try { throw new Error('a') } catch (e) { throw new TypeError('b', { cause: e }) } } catch (e) { return [e.name, e.cause.message] }
//# optional catch
try { throw 1 } catch { return 'ok' }
//# catch destructuring
try { throw { code: 5 } } catch ({ code }) { return code }
//# uncaught error
throw new RangeError('boom')
//# uncaught type error
return null.property
//# stack overflow
const f = () => f() + 1; try { f() } catch (e) { return e.name }
//# labels
const out = []; outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue outer; if (i === 2) break outer; out.push([i, j]) } } return out
//# labelled block
a: { b: { break a } return 'no' } return 'yes'
//# switch fallthrough
const f = (x) => { const out = []; switch (x) { case 1: out.push(1); case 2: out.push(2); break; default: out.push('d'); case 3: out.push(3) } return out }; return [f(1), f(2), f(3), f(9)]
//# loops
const out = []; for (let i = 0, j = 10; i < j; i += 3, j -= 2) out.push([i, j]); let k = 0; do { k++ } while (k < 5); while (k > 2) k--; return [out, k]
//# closures in loops
const a = [], b = []; for (let i = 0; i < 3; i++) a.push(() => i); for (var j = 0; j < 3; j++) b.push(() => j); return [a.map((f) => f()), b.map((f) => f())]
//# for in order
const out = []; for (const k in { z: 1, 1: 1, a: 1 }) out.push(k); for (const i in 'ab') out.push(i); for (const i in [7, 8]) out.push(i); return out
//# comma and void
return [(1, 2), void 0 === undefined, typeof undeclared, typeof null]
//# hoisting
return [typeof hoisted, hoisted(), typeof v]; function hoisted() { return 1 } var v = 1
//# tdz
try { x; let x = 1 } catch (e) { return e.name }
//# arguments
function f(a, b = 2, ...c) { return [arguments.length, f.length, c] } return [f(1), f(1, 2, 3, 4), (function () { return [].slice.call(arguments, 1) })(1, 2, 3)]
//# arguments mapped
function f(a) { arguments[0] = 9; return a } function g(a) { 'use strict'; arguments[0] = 9; return a } return [f(1), g(1)]
//# this
function f() { return this === undefined } function g() { 'use strict'; return this === undefined } const o = { m() { return (() => this === o)() } }; return [f(), g(), o.m()]
//# bind call apply
function f(a, b) { return [this.x, a, b] } const b = f.bind({ x: 1 }, 2); return [b(3), f.call({ x: 4 }, 5), f.apply({ x: 6 }, [7, 8]), b.name, b.length]
//# function properties
const f = (a, b) => a; function g() {} return [f.name, f.length, g.name, (() => {}).name, f.prototype === undefined, typeof g.prototype]
//# function to string
function f(a) { return a /* c */ } return [String(f), String((x) => x), String(class A { m() {} })]
//# native function to string
return [String(Math.max), String([].join), String(Set), String(''.indexOf)]
//# currying
const curry = (f) => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b) }; return curry((a, b, c) => a + b + c)(1)(2)(3)
//# memoize
const memo = new Map(); const fib = (n) => n < 2 ? n : memo.get(n) ?? (memo.set(n, fib(n - 1) + fib(n - 2)), memo.get(n)); return fib(80)
//# immediately invoked
return (function () { return (() => 5)() })()
//# async ordering
const log = []; const a = async () => { log.push(1); await null; log.push(3) }; const p = a(); log.push(2); await p; log.push(4); return log
//# async microtasks
const log = []; Promise.resolve().then(() => log.push('a')).then(() => log.push('c')); queueMicrotask(() => log.push('b')); await new Promise((r) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(r)))); return log
//# async thenable order
const log = []; const t = { then(r) { log.push('then'); r('v') } }; const p = Promise.resolve(t).then((v) => log.push(v)); Promise.resolve().then(() => log.push('x')).then(() => log.push('y')); await p; return log
//# async return await
const log = []; const f = async () => Promise.resolve(1); const g = async () => 1; f().then(() => log.push('f')); g().then(() => log.push('g')); Promise.resolve().then(() => log.push('1')).then(() => log.push('2')).then(() => log.push('3')); await new Promise((r) => { let n = 10; const tick = () => (n-- ? queueMicrotask(tick) : r()); tick() }); return log
//# promise combinators
const ok = (v) => Promise.resolve(v), no = (v) => Promise.reject(v); return [await Promise.all([1, ok(2)]), await Promise.allSettled([ok(1), no(2)]), await Promise.race([ok('r'), no(1)]), await Promise.any([no(1), ok('any')])]
//# promise any rejects
try { await Promise.any([Promise.reject(1)]) } catch (e) { return [e.name, e.errors] }
//# promise finally
const log = []; const v = await Promise.resolve(1).finally(() => { log.push('f'); return 2 }); try { await Promise.reject(3).finally(() => { throw 4 }) } catch (e) { log.push(e) } return [v, log]
//# promise chain errors
return await Promise.reject(new Error('x')).then(() => 1).catch((e) => e.message).then((m) => m + '!')
//# promise executor throws
return await new Promise(() => { throw new Error('in') }).catch((e) => e.message)
//# promise resolve identity
const p = Promise.resolve(1); return [Promise.resolve(p) === p, await p, p instanceof Promise, String(p)]
//# async generators
async function* g() { yield 1; yield Promise.resolve(2); return 3 } const out = []; for await (const x of g()) out.push(x); for await (const x of [Promise.resolve('a'), 'b']) out.push(x); return out
//# async iteration
const it = { [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ value: n, done: n++ >= 3 }) } } }; const out = []; for await (const x of it) out.push(x); return out
//# async errors
const f = async () => { throw new TypeError('t') }; try { await f() } catch (e) { return e.name }
//# async arrow this
const o = { x: 1, async m() { return await (async () => this.x)() } }; return await o.m()
//# async sequential
const out = []; for (const n of [3, 1, 2]) { out.push(await Promise.resolve(n)) } return out
//# async reduce
return await [1, 2, 3].reduce(async (a, x) => (await a) + x, Promise.resolve(0))
//# await non promise
return [await 1, await { then: (r) => r('t') }]
//# unhandled inner rejection
Promise.reject(1).catch(() => {}); return 'fine'
//# structured clone
const d = new Date(5); const o = { a: [1, { b: new Map([[1, new Set([2])]]) }], d, r: /x/gi, u: undefined, n: null }; o.self = o; const c = structuredClone(o); return [c !== o, c.self === c, c.a[1].b.get(1).has(2), c.d.getTime(), c.d !== d, String(c.r), 'u' in c, c.n]
//# structured clone errors
return [() => structuredClone(() => 1), () => structuredClone(Symbol()), () => structuredClone({ f() {} }), () => structuredClone()].map((f) => { try { f() } catch (e) { return e.name } })
//# structured clone kinds
const c = structuredClone([new Error('e'), new TypeError('t'), new Uint8Array([1, 2]), new Number(5), 'x', 5n].slice(0, 5)); return [c[0].message, c[1].name, [...c[2]], typeof c[3], c[4], Object.getPrototypeOf(structuredClone(new (class A { x = 1 })())) === Object.prototype]
//# structured clone holes
const c = structuredClone([1, , 3]); return [c.length, 1 in c]
//# base64
return [btoa('Hello, World!'), btoa(''), btoa('a'), btoa('ab'), btoa('\xff\x00'), atob('SGVsbG8='), atob(' SGVs bG8 '), atob('YQ'), atob('')]
//# base64 errors
return [() => atob('a'), () => atob('*'), () => btoa('\u0100'), () => atob('YQ=')].map((f) => { try { return f() } catch (e) { return e.name } })
//# text encoding
return [[...new TextEncoder().encode('aé€💩\ud800')], new TextDecoder().decode(new Uint8Array([97, 195, 169, 240, 159, 146, 169])), new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97])).length]
//# text decoding errors
const d = (b) => new TextDecoder().decode(new Uint8Array(b)); return [d([0xff]), d([0xc3]), d([0xe2, 0x82]), d([0xe2, 0x82, 0x41]), d([0xf0, 0x9f, 0x92]), d([0xed, 0xa0, 0x80]), d([0xc0, 0x80]), d([0xf5, 0x80])]
//# text decoding fatal
try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { return e.name }
//# text encode into
const a = new Uint8Array(4); return [new TextEncoder().encodeInto('aé€', a), [...a]]
//# url parts
const u = new URL('https://user:pa%20ss@Example.com:8080/a/../b c?q=1&r=%20#frag'); return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]
//# url relative
return [new URL('../x?y', 'https://a.b/c/d/e').href, new URL('//h/p', 'http://a').href, new URL('?q', 'http://a/b?c#d').href, new URL('http://a:80').href]
//# url setters
const u = new URL('http://a.b/c'); u.protocol = 'https'; u.port = '81'; u.pathname = 'x y'; u.search = 'a=1'; u.hash = 'h'; u.hostname = 'c.d'; u.username = 'me'; return [u.href, JSON.stringify({ u })]
//# url errors
try { new URL('not a url') } catch (e) { return [e.name, e.code] }
//# url can parse
return [URL.canParse('http://a'), URL.canParse('/x'), URL.canParse('/x', 'http://a')]
//# url search params
const u = new URL('http://a/?x=1&y=2&x=3'); u.searchParams.append('z', 'a b&c'); u.searchParams.delete('y'); u.searchParams.set('x', 'ñ'); return [u.href, u.searchParams.get('z'), u.searchParams.getAll('x'), u.searchParams.has('y')]
//# search params
const p = new URLSearchParams('?a=1&b=%41+c&a=2&=x&y'); return [[...p], p.toString(), p.get('q'), p.size, [...p.keys()], [...new URLSearchParams({ k: 'v w', n: 1 })], String(new URLSearchParams([['a', 'b'], ['c', '=&%']]))]
//# search params sort
const p = new URLSearchParams('c=1&a=2&b=3&a=1'); p.sort(); const out = []; p.forEach((v, k) => out.push(k + v)); return [String(p), out]
//# search params sync
const u = new URL('http://a/?x=1'); const p = u.searchParams; u.search = '?y=2'; return [[...p], u.searchParams === p]
//# uri functions
return [encodeURIComponent("a b&c/é?'"), encodeURI('http://a/b c?d=é#f'), decodeURIComponent('%E2%82%AC'), decodeURI('%2F%20'), escape('a b é'), unescape('%u20AC')]
//# uri error
try { encodeURIComponent('\ud800') } catch (e) { return e.name }
//# global this
return [typeof globalThis, globalThis.globalThis === globalThis, typeof globalThis.Array]
//# absent globals in common
return [typeof window, typeof document, typeof XMLHttpRequest]
//# console result
return console.log('x')
//# property enumeration of builtins
return [Object.keys(Array.prototype), Object.keys(Set), Object.keys(Date.prototype), Object.getOwnPropertyDescriptor(Array.prototype, 'join').enumerable]
//# builtin lengths
return [[].join.length, [].indexOf.length, [].concat.length, ''.split.length, ''.replace.length, [].sort.length, [].splice.length, ''.normalize.length, [].flat.length, JSON.stringify.length, Math.random.length, [].includes.length, ''.lastIndexOf.length, [].flatMap.length, String.raw.length]
//# builtin names
return [[].join.name, ''.replaceAll.name, Date.prototype.getHours.name, Math.random.name, Object.keys.name, [].toSorted.name, JSON.parse.name]
//# methods are not constructors
return [() => new ([].join)(), () => new (''.indexOf)(), () => new Math.max()].map((f) => { try { f() } catch (e) { return e.name } })
//# iterators to string
return [String([][Symbol.iterator]()), String(new Map().entries()), Object.prototype.toString.call((function* () {})()), String(''[Symbol.iterator]())]
//# number boxing
return [typeof Object(1), Object(1) + 1, new Boolean(false) ? 'truthy' : 'falsy', new String('ab').length, Object('ab')[1]]
//# equality
return [null == undefined, null == 0, '' == 0, '1' == 1, [] == false, [1] == 1, NaN == NaN, [] == ![], 'b' === 'b']
//# relational conversions
return [null >= 0, undefined > 0, '2' > 1, [2] > 1, 'a' > 1, null + 1, undefined + 1, true + true].map(String)
//# date grouping
const rows = [{ d: '2024-01-05', v: 1 }, { d: '2024-02-01', v: 2 }, { d: '2024-01-20', v: 3 }]; return rows.reduce((m, { d, v }) => { const k = new Date(d).toISOString().slice(0, 7); (m[k] ??= []).push(v); return m }, {})
//# workflow transformation
const items = [{ json: { name: 'B', price: '12.50', tags: ['x', 'y'] } }, { json: { name: 'a', price: '3', tags: [] } }]; return items.map(({ json: { name, price, ...rest } }) => ({ name: name.toUpperCase(), price: Number(price), count: rest.tags.length })).sort((p, q) => p.price - q.price)
//# csv parsing
const text = 'id,name\n1,"Smith, J"\n2,Ann'; const [head, ...rows] = text.split('\n').map((l) => l.match(/("([^"]*)"|[^,]+)/g).map((c) => c.replace(/^"|"$/g, ''))); return rows.map((r) => Object.fromEntries(r.map((c, i) => [head[i], c])))
//# deep merge
const merge = (a, b) => Object.entries(b).reduce((o, [k, v]) => ({ ...o, [k]: v && typeof v === 'object' && !Array.isArray(v) ? merge(o[k] ?? {}, v) : v }), a); return merge({ a: { b: 1, c: [1] }, d: 1 }, { a: { c: [2], e: null }, f: 'x' })
//# levenshtein
const d = (a, b) => { const m = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array(b.length).fill(0)]); for (let j = 0; j <= b.length; j++) m[0][j] = j; for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) m[i][j] = Math.min(m[i - 1][j] + 1, m[i][j - 1] + 1, m[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)); return m[a.length][b.length] }; return d('kitten', 'sitting')
//# sieve
const n = 1000, s = new Uint8Array(n + 1); const out = []; for (let i = 2; i <= n; i++) { if (s[i]) continue; out.push(i); for (let j = i * i; j <= n; j += i) s[j] = 1 } return [out.length, out.at(-1)]
//# quadratic search results
const h = 'ab'.repeat(3000) + 'c', n = 'ab'.repeat(2000); return [h.indexOf(n), h.indexOf(n + 'c'), h.lastIndexOf(n), h.includes(n + 'd'), h.split(n).map((p) => p.length), h.replace(n, '[$`|$&]').length, h.replaceAll(n, (m, i) => '<' + i + '>').slice(0, 20), h.replace(n, "$$x$'").length, h.indexOf(n, 3), h.lastIndexOf(n, 100), h.split(n, 1).length]
//# undefined result
return undefined
//# no return
const a = 1
//# function result
return () => 1
//# nested undefined
return { a: undefined, b: [undefined, NaN], c: { d: -0 } }
//# getter result
return { get x() { return 5 } }
//# strict mode arguments callee
'use strict'; try { (function () { return arguments.callee })() } catch (e) { return e.name }
//# html comments
let x = 1; <!-- x = 2
//# octal escapes
return ['\101', 017, 0o17, 08]
//# unicode identifiers
const ñ = 1, \u0061b = 2, 变量 = 3; return [ñ, ab, 变量]
//# asi
let a = 1
let b = a
++b
return [a, b]
//# getter on prototypes of primitives
Object.defineProperty(Number.prototype, 'double', { get() { return this * 2 }, configurable: true }); try { return (5).double } finally { delete Number.prototype.double }
//# english: dates by components
const n = 'numeric', t = '2-digit';
const all = [{}, { year: n }, { month: n }, { day: n }, { weekday: 'long' }, { weekday: 'short' }, { year: n, month: n }, { year: n, month: t },
  { month: n, day: n }, { month: t, day: t }, { year: n, month: t, day: t }, { year: t, month: t, day: t }, { weekday: 'short', year: n, month: n, day: n },
  { year: n, month: 'long', day: n }, { year: n, month: 'short', day: n }, { year: n, month: 'short', day: t }, { month: 'long', day: n }, { month: 'long' },
  { month: 'short' }, { year: n, month: 'long' }, { weekday: 'long', year: n, month: 'long', day: n }, { weekday: 'short', month: 'short', day: n },
  { weekday: 'long', day: n }, { weekday: 'short', day: n, month: n }, { weekday: 'long', day: t, month: t }, { weekday: 'long', month: 'long', day: n }, { era: 'short' }, { month: 'narrow' }, { weekday: 'narrow' }, { month: 'long', year: t }];
const times = [Date.UTC(2023, 10, 4, 3, 5, 9, 7), Date.UTC(1999, 0, 31, 23, 59, 59), Date.UTC(2024, 1, 29)];
return ['en-US', 'en-GB', 'en-CA'].map((locale) => all.map((options) => times.map((time) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(time))));
//# english: times by components
const n = 'numeric', t = '2-digit';
const all = [{ hour: n }, { hour: t }, { hour: n, minute: n }, { hour: t, minute: t }, { hour: t, minute: t, second: t }, { minute: n }, { minute: t, second: t }, { second: n },
  { hour: n, hour12: false }, { hour: t, minute: t, hour12: false }, { hour: n, minute: n, hour12: true }, { hour: n, minute: n, hourCycle: 'h23' }, { hour: n, minute: n, hourCycle: 'h11' },
  { fractionalSecondDigits: 3, second: n }, { hour: n, minute: n, second: n, fractionalSecondDigits: 2 }, { hour: n, minute: t }, { hour: t, minute: n }, { hour: n, minute: t, hourCycle: 'h23' }];
const times = [Date.UTC(2023, 10, 4, 3, 5, 9, 7), Date.UTC(1999, 0, 31, 23, 59, 59, 999), Date.UTC(2024, 1, 29), Date.UTC(2024, 1, 29, 12)];
return ['en-US', 'en-GB', 'en-CA'].map((locale) => all.map((options) => times.map((time) => new Intl.DateTimeFormat(locale, options).format(time))));
//# english: dates with times
const n = 'numeric', t = '2-digit';
const all = [{ year: n, month: 'long', day: n, hour: t, minute: t }, { year: n, month: 'long', day: n, hour: t, minute: t, hour12: false }, { year: n, month: 'short', day: n, hour: n, minute: n },
  { year: n, month: n, day: n, hour: n, minute: n, second: n }, { weekday: 'long', hour: n }, { weekday: 'long', month: 'long', day: n, hour: n, minute: n }, { month: 'short', day: n, hour: n },
  { hour: n, minute: n, timeZoneName: 'short' }, { year: n, month: n, day: n, timeZoneName: 'short' }, { timeZoneName: 'short' },
  { era: 'short', year: n, month: t, day: t, hour: t, minute: t, second: t, hour12: false }];
const time = Date.UTC(2023, 10, 4, 15, 5, 9, 7);
return ['en-US', 'en-GB', 'en-CA'].map((locale) => all.map((options) => new Intl.DateTimeFormat(locale, options).format(time)));
//# english: styles of dates and times
const styles = ['full', 'long', 'medium', 'short'];
const all = [...styles.map((dateStyle) => ({ dateStyle })), ...['long', 'medium', 'short'].map((timeStyle) => ({ timeStyle })),
  ...styles.flatMap((dateStyle) => ['long', 'medium', 'short'].map((timeStyle) => ({ dateStyle, timeStyle })))];
return ['en-US', 'en-GB', 'en-CA'].map((locale) => all.map((options) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'America/Chicago' }).format(Date.UTC(2024, 6, 4, 3, 5, 9))));
//# english: time zones
const zones = ['UTC', 'GMT', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'America/Sao_Paulo', 'Europe/London', 'Asia/Tokyo', 'America/Phoenix', 'Pacific/Honolulu', 'America/Toronto', 'America/Halifax', 'America/Havana', 'Australia/Sydney', 'Asia/Kathmandu', 'America/St_Johns'];
const times = [Date.UTC(2024, 2, 10, 6, 59), Date.UTC(2024, 2, 10, 7, 1), Date.UTC(2024, 2, 31, 0, 59), Date.UTC(2024, 2, 31, 1, 1), Date.UTC(1985, 5, 1), Date.UTC(2040, 7, 1)];
return zones.map((timeZone) => times.map((time) => ['short', 'shortOffset', 'longOffset'].map((timeZoneName) => new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: undefined, hour: 'numeric', minute: '2-digit', day: 'numeric', timeZoneName }).format(time))))
  .map((zone) => zone.map((all) => all.filter((text) => !text.includes('NDT') && !text.includes('NST'))));
//# english: parts of a date
const format = new Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Paris', weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const { year, month, day, hour } = Object.fromEntries(format.formatToParts(Date.UTC(2024, 5, 30, 22, 30)).map(({ type, value }) => [type, value]));
return [year, month, day, hour, format.formatToParts(0), Object.prototype.toString.call(format), format.resolvedOptions().timeZone, format.resolvedOptions().locale];
//# english: methods of dates
const date = new Date(Date.UTC(2024, 0, 5, 14, 3, 7));
return [date.toLocaleString(), date.toLocaleDateString(), date.toLocaleTimeString(), date.toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
  date.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' }), date.toLocaleString('en-US', { timeZone: 'America/New_York' }), date.toLocaleString('en-US', { month: 'long' }),
  date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' }), date.toLocaleTimeString([], { hour12: false }), date.toLocaleDateString('en-CA'), date.toLocaleDateString('en-GB'),
  new Date(NaN).toLocaleString(), date.toLocaleTimeString('en-US', { timeZone: 'Asia/Tokyo' }), date.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Kolkata' })];
//# english: numbers
const all = [{}, { minimumFractionDigits: 2 }, { maximumFractionDigits: 0 }, { minimumFractionDigits: 2, maximumFractionDigits: 2 }, { style: 'percent' }, { style: 'percent', maximumFractionDigits: 1 },
  { useGrouping: false }, { maximumSignificantDigits: 3 }, { minimumSignificantDigits: 4 }, { minimumIntegerDigits: 2 }, { signDisplay: 'always' }, { signDisplay: 'exceptZero' }, { signDisplay: 'never' }, { minimumFractionDigits: 5 }, { maximumFractionDigits: 1 }];
const values = [1234567.891, -0.5, 0, 1234, 1e21, NaN, -1234.5, Infinity, 0.005, 1.005, 12345.6789, 999999.995, 1e-7, 0.1 + 0.2, 123456789012345680000, -0];
return all.map((options) => values.map((value) => new Intl.NumberFormat('en-US', options).format(value)));
//# english: money
const all = ['USD', 'EUR', 'GBP', 'JPY', 'INR', 'BRL', 'CHF', 'CAD', 'AUD', 'KWD', 'PLN', 'XOF'].flatMap((currency) => ['symbol', 'code', 'narrowSymbol'].map((currencyDisplay) => ({ style: 'currency', currency, currencyDisplay })));
const more = [{ style: 'currency', currency: 'USD', minimumFractionDigits: 0 }, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }, { style: 'currency', currency: 'usd', currencySign: 'accounting' }, { style: 'currency', currency: 'USD', notation: 'compact' }];
return [all, more].map((list) => list.map((options) => ['en-US', 'en-GB', 'en-CA'].map((locale) => [1234.5, -0.255, 0, 1e6].map((value) => value.toLocaleString(locale, options)))));
//# english: compact numbers
return [0, 1, 9.99, 12.34, 99.6, 100.4, 999, 999.6, 1000, 1234, 12345, 99950, 123456, 999499, 999500, 1e6, 1.5e6, 12e6, 1e9, 3.2e12, 1e15, -4567, 0.01234].map((value) => new Intl.NumberFormat('en', { notation: 'compact' }).format(value)
  + ' ' + new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value));
//# english: numbers and methods
return [(1234.5).toLocaleString(), (1234.567).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }), (0).toLocaleString(), (12345678901234567890n).toLocaleString(), (-5n).toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
  [1234, 5678.9].toLocaleString(), Intl.NumberFormat().format(1e6), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(1), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(3)];
//# english: lists
return ['conjunction', 'disjunction', 'unit'].flatMap((type) => ['long', 'short', 'narrow'].map((style) => ['en', 'en-GB', 'en-CA'].map((locale) => [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((list) => new Intl.ListFormat(locale, { type, style }).format(list)))));
//# english: mistakes
const attempts = [() => new Intl.DateTimeFormat('en-US', { timeZone: 'Mars/Olympus' }), () => new Intl.DateTimeFormat('en-US', { month: 'huge' }), () => new Intl.NumberFormat('en-US', { style: 'currency' }), () => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'dollars' }),
  () => new Intl.NumberFormat('en-US', { maximumFractionDigits: 200 }), () => new Intl.DateTimeFormat('not a locale'), () => new Intl.DateTimeFormat('en-US', { dateStyle: 'short', year: 'numeric' }), () => new Intl.DateTimeFormat('en-US').format(NaN), () => new Date().toLocaleDateString('en-US', { timeStyle: 'short' }), () => new Intl.DateTimeFormat('en-US', null)];
return attempts.map((attempt) => { try { attempt(); return 'fine'; } catch (error) { return error.name; } });
//# buffer: encodings
const text = 'Añ€😀 z';
return ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le', 'binary', 'UTF-8'].map((encoding) => {
  const bytes = Buffer.from(text, encoding === 'hex' || encoding.startsWith('base64') ? 'utf8' : encoding);
  return [Buffer.from(text).toString(encoding), bytes.toString(), [...bytes], Buffer.from(bytes.toString(encoding), encoding).equals(bytes)];
});
//# buffer: base64 and hex that are not clean
return [' aGVs bG8', 'aGVsbG8', 'aGVsbG8=', 'aGVsbG8==x', 'aGV_-A', 'a', '', '!!!!', 'YWJj\nZGVm'].map((text) => Buffer.from(text, 'base64').toString('latin1')).concat(['0aff', '0afg00', '0', 'ABCD', ''].map((text) => Buffer.from(text, 'hex').toString('hex')));
//# buffer: sources
return [Buffer.from([1, 2, 300, -1]).toString('hex'), Buffer.from(new Uint8Array([9, 8])).toString('hex'), Buffer.from(new Uint8Array([9, 8, 7]).buffer, 1).toString('hex'), Buffer.from(JSON.parse(JSON.stringify(Buffer.from('ab')))).toString(),
  Buffer.alloc(3).toString('hex'), Buffer.alloc(5, 'ab').toString(), Buffer.alloc(2, 7).toString('hex'), Buffer.from(Buffer.from('copy')).toString(), Buffer.concat([Buffer.from('a'), Buffer.from('bc')]).toString(), Buffer.concat([Buffer.from('abc'), Buffer.from('d')], 2).toString(), Buffer.from(new String('obj')).toString()];
//# buffer: methods
const b = Buffer.from('hello world');
const part = b.slice(0, 5);
part[0] = 72;
return [b.toString(), b.toString('utf8', 6), b.toString('utf8', 6, 8), b.subarray(-5).toString(), b.length, b[4], b.equals(Buffer.from('Hello world')), Buffer.isBuffer(part), Buffer.isBuffer(new Uint8Array(1)), Buffer.byteLength('€'), Buffer.byteLength('aGk=', 'base64'),
  b.indexOf('world'), b.indexOf(111), b.indexOf('l', -3), b.indexOf('6c', 'hex'), b.lastIndexOf('o'), b.lastIndexOf(108, 5), b.lastIndexOf('zz'), new Buffer('YWI=', 'base64').toString(), new Buffer(3).length, b.includes('xyz'), Buffer.compare(Buffer.from('a'), Buffer.from('b')), b.readUInt16BE(0), b.readUInt32LE(1), JSON.stringify(Buffer.from('hi')), [...b.entries()].length, b.write('J'), b.toString(), Buffer.isEncoding('hex'), Buffer.isEncoding('x'), typeof b.buffer, b instanceof Uint8Array, String(b), `${part}`, b.map((x) => x).toString()];
//# buffer: mistakes
return [() => Buffer.from(5), () => Buffer.from(null), () => Buffer.from('a', 'nope'), () => Buffer.alloc(-1), () => Buffer.alloc('5'), () => Buffer.from('ab').toString('nope'), () => Buffer.from('ab').toString('constructor'), () => Buffer.from('ab').readUInt32LE(0)].map((attempt) => { try { attempt(); return 'fine'; } catch (error) { return error.name; } });
//# luxon: reads and writes
const texts = ['2024-02-29', '2024-02-30', '2024-02-29T13:45', '2024-02-29T13:45:10.123Z', '2024-02-29T13:45:10+05:30', '20240229T134510', '2024-W09-4', '2024-060', '2024', '24:00', 'x', '2024-02-29T13:45:10.1234567-08', '2024-03-10T02:30:00[America/New_York]'];
return texts.map((text) => [DateTime.fromISO(text), DateTime.fromISO(text, { zone: 'Europe/Berlin' }), DateTime.fromISO(text, { setZone: true })].map((date) => text === '24:00' ? date.isValid : [date.toISO(), date.toISODate(), date.toMillis(), date.zoneName, date.isValid, date.invalidReason]));
//# luxon: formats
const date = DateTime.fromISO('2024-03-05T07:08:09.012', { zone: 'America/New_York' });
const late = DateTime.fromMillis(1700000000000, { zone: 'Asia/Kolkata' });
const formats = ['yyyy-MM-dd HH:mm:ss.SSS', 'd/M/yy h:mm a', 'EEEE, d MMMM yyyy', 'EEE ccc cccc LLL LLLL', 'o ooo W WW kk kkkk', 'q qq', 'X x', "yyyy 'at' HH", 'D DD DDD DDDD', 't tt', 'T TT', 'f ff F FF', 'Z ZZ ZZZ', 'z', 'u uu uuu S SSS', 'GG', 'E c', 'fff', 'HH:mm ZZZZ'];
return formats.map((format) => [date.toFormat(format), late.toFormat(format)]);
//# luxon: arithmetic
const date = DateTime.fromISO('2024-01-31T01:30:00', { zone: 'America/New_York' });
return [date.plus({ months: 1 }), date.plus({ days: 39, hours: 1 }), date.minus({ years: 1, weeks: 2 }), date.startOf('month'), date.endOf('week'), date.startOf('quarter'), date.set({ day: 5, hour: 23 }), date.set({ weekday: 1 }), date.setZone('Asia/Tokyo'), date.setZone('Asia/Tokyo', { keepLocalTime: true }),
  date.toUTC(), DateTime.fromISO('2024-03-10T01:59', { zone: 'America/New_York' }).plus({ minutes: 1 }), DateTime.fromISO('2024-11-03T00:30', { zone: 'America/New_York' }).plus({ hours: 2 }), DateTime.fromObject({ year: 2024, month: 3, day: 31, hour: 2 }, { zone: 'Europe/Berlin' })].map((each) => each.toISO());
//# luxon: differences
const a = DateTime.fromISO('2024-03-09T12:00', { zone: 'America/New_York' });
const b = DateTime.fromISO('2025-01-02T03:04', { zone: 'America/New_York' });
return [b.diff(a).milliseconds, b.diff(a, 'days').days, b.diff(a, ['years', 'months', 'days', 'hours', 'minutes']).toObject(), a.diff(b, ['months', 'days']).toObject(), Math.floor(b.diff(a, 'weeks').weeks), a < b, a.hasSame(b, 'year'), a.hasSame(b, 'month'), DateTime.max(a, b).toISO(), DateTime.min(a, b).toISO(),
  Interval.fromDateTimes(a, b).length('days'), Interval.fromDateTimes(a, b).contains(a), Interval.fromDateTimes(a, b).toISODate(), Interval.after(a, { days: 3 }).splitBy({ days: 1 }).length];
//# luxon: fields
const date = DateTime.fromISO('2024-12-30T23:59:59.999', { zone: 'Europe/London' });
return [date.year, date.month, date.day, date.hour, date.minute, date.second, date.millisecond, date.weekday, date.weekNumber, date.weekYear, date.ordinal, date.quarter, date.monthLong, date.monthShort, date.weekdayLong, date.weekdayShort, date.daysInMonth, date.daysInYear, date.isInLeapYear, date.isInDST, date.offset, date.isOffsetFixed, date.toObject(), date.toSeconds(), date.toUnixInteger(), date.toJSDate().toISOString(), JSON.stringify({ date }), String(date), date.valueOf(), date.toSQL(), date.toRFC2822(), date.toHTTP(), date.toISOTime(), date.toISOWeekDate(), date.locale];
//# luxon: durations
const d = Duration.fromObject({ hours: 30, minutes: 90, seconds: 5 });
return [d.toISO(), d.toFormat('hh:mm:ss'), d.as('days'), d.shiftTo('days', 'hours', 'minutes').toObject(), d.normalize().toObject(), d.toMillis(), Duration.fromISO('P1Y2M3DT4H').toObject(), Duration.fromMillis(90061000).shiftTo('days', 'hours', 'minutes', 'seconds').toObject(), d.plus({ minutes: 30 }).toISO(), d.toHuman(), Duration.fromObject({ days: 1, hours: 2 }).toHuman(), Duration.fromISO('x').isValid, d.rescale().toISO()];
//# luxon: other sources
return [DateTime.fromFormat('05/03/2024 07:08', 'dd/MM/yyyy HH:mm', { zone: 'Europe/Rome' }).toISO(), DateTime.fromFormat('March 5, 2024 7:08 PM', 'MMMM d, yyyy h:mm a').toISO(), DateTime.fromFormat('x', 'yyyy').isValid, DateTime.fromSeconds(1.5).toISO(), DateTime.fromJSDate(new Date(0)).toISO(), DateTime.fromSQL('2024-03-05 07:08:09').toISO(), DateTime.fromRFC2822('Tue, 05 Mar 2024 07:08:09 +0100').toISO(), DateTime.fromHTTP('Tue, 05 Mar 2024 07:08:09 GMT').toISO(), DateTime.utc(2024, 3, 5).toISO(), DateTime.local(2024, 3, 5, { zone: 'Asia/Tokyo' }).toISO(), DateTime.local({ zone: 'Bad/Zone' }).invalidReason, DateTime.isDateTime(DateTime.now()), DateTime.fromISO('2024-03-05').zoneName];
//# luxon: local texts
const date = DateTime.fromISO('2024-03-05T17:08:09', { zone: 'America/Chicago' });
const presets = ['DATE_SHORT', 'DATE_MED', 'DATE_MED_WITH_WEEKDAY', 'DATE_FULL', 'DATE_HUGE', 'TIME_SIMPLE', 'TIME_WITH_SECONDS', 'TIME_WITH_SHORT_OFFSET', 'TIME_24_SIMPLE', 'TIME_24_WITH_SECONDS', 'DATETIME_SHORT', 'DATETIME_MED', 'DATETIME_MED_WITH_SECONDS', 'DATETIME_MED_WITH_WEEKDAY', 'DATETIME_FULL'];
const base = DateTime.fromISO('2024-03-05T12:00');
return [...presets.map((name) => date.toLocaleString(DateTime[name])), date.toLocaleString(), date.setLocale('en-GB').toLocaleString(DateTime.DATETIME_MED), date.toLocaleString({ month: 'long', day: '2-digit' }),
  ...[{ days: -1 }, { hours: 5 }, { months: 2 }, { minutes: -3 }, { seconds: 10 }, { years: -4 }].map((by) => base.plus(by).toRelative({ base }))];
//# locales: dates
const days = [new Date(Date.UTC(2026, 2, 4, 15, 7, 9)), new Date(Date.UTC(2025, 10, 30, 0, 59))];
const locales = ['de-CH', 'de-DE', 'en-AU', 'en-IN', 'en-SG', 'es-AR', 'es-CO', 'es-ES', 'es-MX', 'fr-FR', 'id-ID', 'it-IT', 'ja-JP', 'nl-NL', 'pl-PL', 'pt-BR', 'pt-PT', 'ru-RU', 'sv-SE', 'tr-TR', 'vi-VN'];
return locales.map((locale) => days.map((day) => [day.toLocaleString(locale), day.toLocaleDateString(locale, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
  day.toLocaleString(locale, { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' }), day.toLocaleString(locale, { month: 'long', year: 'numeric' }), day.toLocaleDateString(locale, { month: 'long' })]))
//# locales: options of dates
const day = new Date(Date.UTC(2026, 2, 4, 15, 7, 9));
return ['de', 'en-IN', 'es', 'fr', 'ja', 'pt', 'sv'].map((locale) => [
  ...[{ hour12: true }, { hour12: false }, { hourCycle: 'h23' }, { timeZone: 'Asia/Kolkata' }, { dateStyle: 'full', timeStyle: 'short' }, { dateStyle: 'medium' }, { dateStyle: 'short', timeStyle: 'medium' },
    { year: '2-digit', month: '2-digit', day: '2-digit' }, { weekday: 'short', day: 'numeric', month: 'short' }, { weekday: 'long' }, { day: '2-digit', month: '2-digit', hour: 'numeric' }].map((options) => day.toLocaleString(locale, options)),
  new Intl.DateTimeFormat(locale).format(day), new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric' }).formatToParts(day), new Intl.DateTimeFormat(locale).resolvedOptions().locale])
//# locales: numbers
const locales = ['de-CH', 'de-DE', 'en-AU', 'en-IN', 'es-CO', 'es-ES', 'fr-FR', 'id-ID', 'it-IT', 'ja-JP', 'nl-NL', 'pt-BR', 'ru-RU', 'sv-SE', 'tr-TR'];
return locales.map((locale) => [...[0, 1234, 12345.678, -98765432.1, NaN, -Infinity, 1234n].map((number) => number.toLocaleString(locale)), (0.256).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 }),
  (1234).toLocaleString(locale, { useGrouping: true }), ...['EUR', 'USD', 'COP', 'CHF', 'JPY'].flatMap((currency) => [-1234.5, 12].map((number) => number.toLocaleString(locale, { style: 'currency', currency, signDisplay: number > 0 ? 'always' : 'auto' })))])
//# locales: the default one
return [new Date(0).toLocaleDateString('default', { month: 'long', year: 'numeric' }), (1234.5).toLocaleString('default'), new Date(0).toLocaleDateString(['xx', 'es-ES']), Intl.NumberFormat.supportedLocalesOf(['es-ES', 'fr'])]
//# luxon: names in other languages
const date = DateTime.fromISO('2024-03-05T17:08:09', { zone: 'Europe/Madrid' });
return ['es', 'de', 'fr'].map((locale) => [date.setLocale(locale).toFormat('cccc d MMMM yyyy'), date.setLocale(locale).toLocaleString(DateTime.DATE_FULL)])
