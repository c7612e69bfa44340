import assert from "node:assert/strict";
import { test } from "node:test";
import { filledFields } from "../src/credentials/fields";

test("only the fields of the type are sent, and empty optional ones are not", () => {
  const values = { token: "left over", tokenUrl: "https://id.test", clientId: "c", clientSecret: "s" };
  assert.deepEqual(filledFields("oauth2_client_credentials", values), { tokenUrl: "https://id.test", clientId: "c", clientSecret: "s" });
});

test("a password may be empty", () => {
  assert.deepEqual(filledFields("basic", { username: "ada" }), { username: "ada", password: "" });
});
