import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../src/i18n/en";
import { es } from "../src/i18n/es";
import { parseCron } from "../src/screens/workflow/connections/cron";
import { describeCron } from "../src/screens/workflow/connections/describeCron";

function describe(cron, language) {
  const list = (items) => new Intl.ListFormat(language, { type: "conjunction" }).format(items);
  return describeCron(parseCron(cron), { t: language === "es" ? es : en, language, list }).replaceAll("\u202f", " ");
}

const CASES = [
  ["* * * * *", "Every minute", "Cada minuto"],
  ["*/15 * * * *", "Every 15 minutes", "Cada 15 minutos"],
  ["5 * * * *", "Every hour, at minute 5, every day", "Cada hora, en el minuto 5, todos los días"],
  ["30 8 * * MON-FRI", "At 8:30 AM, from Monday to Friday", "A las 8:30, de lunes a viernes"],
  ["0 1 * * 0,6", "At 1:00 AM, on Saturday and Sunday", "A la 1:00, los sábados y domingos"],
  ["0 9,17 1,15 * *", "At 9:00 AM and 5:00 PM, on days 1 and 15 of the month", "A las 9:00 y 17:00, los días 1 y 15 del mes"],
  ["0 */2 * * *", "Every 2 hours, at minute 0, every day", "Cada 2 horas, en el minuto 0, todos los días"],
  ["0 0 13 * FRI", "At 12:00 AM, on day 13 of the month or on Friday", "A las 0:00, el día 13 del mes o los viernes"],
  ["0 0 1 1,7 *", "At 12:00 AM, on day 1 of the month, in January and July", "A las 0:00, el día 1 del mes, en enero y julio"],
  ["0,30 8-17 * * *", "At the minutes 0 and 30 of the hours 8–17, every day", "En los minutos 0 y 30 de las horas 8–17, todos los días"],
];

test("schedules are sentences in both languages", () => {
  for (const [cron, english, spanish] of CASES) {
    assert.equal(describe(cron, "en"), english);
    assert.equal(describe(cron, "es"), spanish);
  }
});
