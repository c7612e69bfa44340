import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTimes, parseCron } from "../src/screens/workflow/connections/cron";

/** The next local times with their offsets, as the tests of the platform write them. */
function next(cron, zone, after, count) {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "longOffset" });
  return nextTimes(parseCron(cron), zone, Date.parse(after), count).map((time) => {
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return `${part.day} ${part.hour}:${part.minute}${part.timeZoneName.slice(3) || "+00:00"}`;
  });
}

const SPRING = "2026-03-28T12:00:00Z";
const AUTUMN = "2026-10-24T12:00:00Z";

test("a schedule follows the local clock", () => {
  assert.deepEqual(next("30 8 * * MON-FRI", "Europe/Madrid", "2026-03-27T12:00:00Z", 2), ["30 08:30+02:00", "31 08:30+02:00"]);
  assert.deepEqual(next("0 9 * * *", "Asia/Kolkata", "2026-01-01T03:30:00Z", 2), ["02 09:00+05:30", "03 09:00+05:30"]);
});

test("a local time that is skipped fires at the end of the gap", () => {
  const berlin = "Europe/Berlin";
  assert.deepEqual(next("30 2 * * *", berlin, SPRING, 2), ["29 03:00+02:00", "30 02:30+02:00"]);
  assert.deepEqual(next("15,45 2 * * *", berlin, SPRING, 2), ["29 03:00+02:00", "30 02:15+02:00"]);
  assert.deepEqual(next("30 1-3 * * *", berlin, SPRING, 4), ["29 01:30+01:00", "29 03:00+02:00", "29 03:30+02:00", "30 01:30+02:00"]);
  assert.deepEqual(next("0 12 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z", 3), ["29 12:00-10:00", "31 00:00+14:00", "31 12:00+14:00"]);
});

test("a local time that is repeated fires once", () => {
  assert.deepEqual(next("30 2 * * *", "Europe/Berlin", AUTUMN, 2), ["25 02:30+02:00", "26 02:30+01:00"]);
  assert.deepEqual(next("15 2,14 * * *", "Europe/Berlin", AUTUMN, 3), ["24 14:15+02:00", "25 02:15+02:00", "25 14:15+01:00"]);
  assert.deepEqual(next("0 */12 * * *", "America/Havana", "2026-10-31T20:00:00Z", 2), ["01 00:00-04:00", "01 12:00-05:00"]);
});

test("a schedule of every hour follows elapsed time", () => {
  assert.deepEqual(next("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:40:00Z", 2), ["29 03:00+02:00", "29 03:30+02:00"]);
  assert.deepEqual(next("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 4), ["25 02:00+02:00", "25 02:00+01:00", "25 03:00+01:00", "25 04:00+01:00"]);
});

test("days of the month and of the week suffice alone, and rare dates are found", () => {
  assert.deepEqual(next("0 0 13 * FRI", "UTC", "2026-02-01T00:00:00Z", 3), ["06 00:00+00:00", "13 00:00+00:00", "20 00:00+00:00"]);
  assert.deepEqual(nextTimes(parseCron("0 9 29 2 *"), "UTC", Date.parse(SPRING), 1), [Date.parse("2028-02-29T09:00:00Z")]);
  assert.deepEqual(next("0 0 * * 7", "UTC", "2026-02-01T00:00:00Z", 1), ["08 00:00+00:00"]);
});

test("reads the common syntax only", () => {
  assert.deepEqual(parseCron("5-20/5 1,3 * JAN-MAR 0-7")?.minutes, [5, 10, 15, 20]);
  assert.deepEqual(parseCron("0 0 * JAN-MAR 5-7")?.weekdays, [0, 5, 6]);
  for (const text of ["", "* * * *", "0 0 L * *", "0 0 15W * *", "0 0 * * 5#2", "60 * * * *", "5/10 * * * *", "9-5 * * * *", "0 0 0 * *"]) {
    assert.equal(parseCron(text), null, text);
  }
});
