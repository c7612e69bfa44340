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

test("the parameters of an authorization URL are written as a query", () => {
  const values = { service: "google", authorizationParameters: "access_type=offline&prompt=consent" };
  const authorizationParameters = { access_type: "offline", prompt: "consent" };
  assert.deepEqual(filledFields("oauth2_authorization_code", values), { service: "google", authorizationParameters });
});
