// The Date & Time node, and the hashes of the Crypto node.

import { node, start, workflow } from './build.mjs';

const alone = (name, type, version, parameters, input) => ({
  name, workflow: workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']]), ...(input && { input }),
});
const date = (name, parameters, input) => alone(`date: ${name}`, 'dateTime', 2, parameters, input);
const oldDate = (name, parameters, input) => alone(`date, version 1: ${name}`, 'dateTime', 1, parameters, input);
const crypto = (name, parameters, input, version = 1) => alone(`crypto: ${name}`, 'crypto', version, parameters, input);

const PARTS = "yyyy-MM-dd'T'HH:mm:ss ZZ";
const MOMENT = 'YYYY-MM-DDTHH:mm:ssZ';
const format = (date, options = {}) => ({ operation: 'formatDate', date, format: 'custom', customFormat: PARTS, options });
const add = (magnitude, duration, timeUnit) => ({ operation: 'addToDate', magnitude, duration, timeUnit });
const oldFormat = (value, options = {}, toFormat = MOMENT) => ({ value, custom: true, toFormat, options });
const calculate = (value, duration, timeUnit, more) => ({ action: 'calculate', value, duration, timeUnit, ...more });

export const cases = [
  date('now', {}),
  date('today, in another zone', { includeTime: false, outputFieldName: 'today', options: { timezone: 'Europe/Madrid' } }),
  date('a zone that does not exist', { options: { timezone: 'Nowhere/X' } }),
  date('the fields of the item stay', { options: { includeInputFields: true } }, [{ a: 1 }, { a: 2 }]),
  date('a month after the last of January', add('2024-01-31T10:00:00', 1, 'months')),
  date('one and a half days', add('2024-01-31', 1.5, 'days')),
  date('a quarter', add('2024-01-31T10:00:00Z', 1, 'quarters')),
  date('hours before, of a date with an offset', add('2024-01-31T10:00:00+05:30', -3, 'hours')),
  date('an hour over the change of the clock', add('2024-03-10T01:30:00', 1, 'hours')),
  date('an expression with a date', add('={{ $now }}', 2, 'weeks')),
  date('seconds since 1970', add('={{ 1706695200 }}', 2, 'days')),
  date('milliseconds since 1970 in a text', add('1706695200000', 2, 'seconds')),
  date('seconds with a fraction', add('1706695200.25', 2, 'milliseconds')),
  date('a text that is no date', add('hello', 1, 'days')),
  date('an English date', add('Jan 5, 2024', 1, 'days')),
  date('null is 1970', add('={{ null }}', 1, 'days')),
  date('a month before the last of March', { operation: 'subtractFromDate', magnitude: '2024-03-31T10:00:00', duration: 1, timeUnit: 'months' }),
  date('the default format', { operation: 'formatDate', date: '2024-03-31T10:00:00' }),
  date('a format without the zone of the workflow', format('2024-03-31T23:00:00')),
  date('a format in the zone of the workflow', format('2024-03-31T23:00:00', { timezone: true })),
  date('a format of a date with an offset', format('2024-03-31T23:00:00+02:00')),
  date('a format of a date with a negative offset', format('2024-03-31T23:00:00-02:00')),
  date('a format of the input', format('31/12/2024', { fromFormat: 'dd/MM/yyyy' })),
  date('a format of the input that does not fit', format('31.12.2024', { fromFormat: 'yyyyMMdd' })),
  date('the format of seconds', { operation: 'formatDate', date: '2024-03-31T23:00:00', format: 'X' }),
  date('the format of nothing', { operation: 'formatDate', date: '={{ null }}' }),
  date('the start of the month', { operation: 'roundDate', date: '2024-05-17T23:00:00' }),
  date('the start of the week', { operation: 'roundDate', date: '2024-05-17T23:00:00', toNearest: 'week' }),
  date('the next month', { operation: 'roundDate', date: '2024-05-17T23:12:34.5', mode: 'roundUp' }),
  date('the days between two dates', { operation: 'getTimeBetweenDates', startDate: '2024-01-01', endDate: '2024-03-15T12:00:00' }),
  date('the months, days and hours between two dates',
    { operation: 'getTimeBetweenDates', startDate: '2024-01-01', endDate: '2024-03-15T12:00:00', units: ['month', 'day', 'hour'] }),
  date('the time between two dates as a text',
    { operation: 'getTimeBetweenDates', startDate: '2024-01-01', endDate: '2024-03-15T12:00:00', units: ['month', 'day'], options: { isoString: true } }),
  date('the month of a date', { operation: 'extractDate', date: '2024-03-01T04:00:00' }),
  date('the week of a date', { operation: 'extractDate', date: '2024-03-01T04:00:00', part: 'week' }),

  oldDate('the default format', { value: '2024-01-31T10:00:00' }, [{ a: 1 }]),
  oldDate('the tokens of dates', oldFormat('2024-03-05T07:08:09.123', {},
    'M Mo MM MMM MMMM Q Qo D Do DD DDD DDDo DDDD d do dd ddd dddd e E w wo ww W Wo WW Y YY YYYY YYYYY YYYYYY y gg gggg GG GGGG')),
  oldDate('the tokens of times', oldFormat('2024-03-05T17:08:09.123', {},
    'A a H HH h hh k kk m mm s ss S SS SSS SSSSSS hmm hmmss Hmm Z ZZ X x L LL LLL LLLL l ll LT LTS [in] \\Q')),
  oldDate('midnight', oldFormat('2023-01-01T00:08:09.007', {}, 'h hh k kk a A hmm Hmm w ww gggg W GGGG DDDo')),
  oldDate('from a zone to another', oldFormat('2024-01-31T10:00:00', { fromTimezone: 'Europe/Madrid', toTimezone: 'Asia/Tokyo' })),
  oldDate('to a zone, of a date with an offset', oldFormat('2024-01-31T10:00:00+02:00', { toTimezone: 'Asia/Tokyo' })),
  oldDate('from a zone to that of the workflow', oldFormat('2024-01-31T10:00:00', { fromTimezone: 'Europe/Madrid' }, `${MOMENT} z`)),
  oldDate('an hour that does not exist', oldFormat('2024-03-10T02:30:00', { fromTimezone: 'America/New_York' })),
  oldDate('seconds since 1970', oldFormat('={{ 1706695200 }}')),
  oldDate('milliseconds since 1970 in a text', oldFormat('1706695200000')),
  oldDate('no value, no item', oldFormat('={{ undefined }}')),
  oldDate('a text that is no date', oldFormat('hello')),
  oldDate('a format of the input', oldFormat('31/01/2024 23:30', { fromFormat: 'DD/MM/YYYY HH:mm' })),
  oldDate('a format of the input in words', oldFormat('5 pm on Jan 3rd 24', { fromFormat: 'h a [on] MMM Do YY' })),
  oldDate('a format of the input without a date', oldFormat('10:15', { fromFormat: 'HH:mm' })),
  oldDate('a format of the input that does not fit', oldFormat('hello', { fromFormat: 'DD/MM/YYYY' })),
  oldDate('a format of the input, and a day that does not exist', oldFormat('31/02/2024', { fromFormat: 'DD/MM/YYYY' })),
  oldDate('an ISO week', oldFormat('2024-W05-3')),
  oldDate('a date of an e-mail', oldFormat('Wed, 31 Jan 2024 10:00:00 +0200')),
  oldDate('a field with a dot in its name', { value: '2024-01-31 10:00', dataPropertyName: 'a.b' }, [{ a: { c: 1 } }]),
  oldDate('a month after the last of January', calculate('2024-01-31T10:00:00', 1, 'months')),
  oldDate('one and a half months', calculate('2024-01-31T10:00:00', 1.5, 'months')),
  oldDate('half a quarter', calculate('2024-01-31T10:00:00', 0.5, 'quarters')),
  oldDate('an hour and a half before', calculate('2024-01-31T10:00:00', 1.5, 'hours', { operation: 'subtract' })),
  oldDate('a day after a date in a format', calculate('31/01/2024', 1, 'days', { options: { fromFormat: 'DD/MM/YYYY' } })),
  oldDate('a day after a text that is no date', calculate('hello', 1, 'days')),

  crypto('MD5 by default', { value: 'abc' }),
  crypto('SHA-256 by default in version 2', { value: 'abc' }, undefined, 2),
  ...['MD5', 'SHA256', 'SHA384', 'SHA512', 'SHA3-256', 'SHA3-384', 'SHA3-512'].flatMap((type) => [
    crypto(`${type} of each item`, { type, value: '={{ $json.text }}', encoding: 'base64' }, [{ text: '' }, { text: 'é😀' }, { text: 'a'.repeat(200) }]),
    crypto(`HMAC of ${type}`, { action: 'hmac', type, value: 'abc', secret: 'the secret'.repeat(type === 'SHA512' ? 20 : 1) }),
  ]),
  crypto('a field with a dot in its name', { value: 'abc', dataPropertyName: 'a.b' }, [{ a: { c: 1 } }]),
  crypto('a number cannot be hashed', { value: '={{ 5 }}' }),
  crypto('a hash that does not exist', { value: 'abc', type: 'XX' }),
  crypto('a key that is a number', { action: 'hmac', value: 'abc', secret: '={{ 5 }}' }),
  crypto('a random text without characters', { action: 'generate', encodingType: 'hex', stringLength: 0 }),
  crypto('a file that the item does not have', { binaryData: true }, [{ a: 1 }]),
];
