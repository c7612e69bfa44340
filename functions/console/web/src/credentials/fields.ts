import { randomKey } from "../api/random";
import type { CredentialType, NewCredential } from "../api/types";

// How a client sends its secret has a default, which is right for almost all providers.
type FieldsOf<T extends CredentialType> = Exclude<keyof Extract<NewCredential, { type: T }>, "type" | "name" | "clientAuthentication">;
export type FieldName = { [T in CredentialType]: FieldsOf<T> }[CredentialType];

export interface CredentialField {
  name: FieldName;
  /** What nobody may read over a shoulder. */
  isSecret?: boolean;
  isOptional?: boolean;
  isUrl?: boolean;
  maxLength: number;
  /** A rule of the API that the browser can check. */
  pattern?: string;
  /** A text that the person chooses, and enters at the other service, too. */
  generate?: () => string;
}

const secret = { isSecret: true, maxLength: 8192 } as const;
const line = { maxLength: 200 } as const;
const url = { isUrl: true, maxLength: 2000 } as const;

/** The fields of each type of credential, as the API has them. */
export const credentialFields: { [T in CredentialType]: readonly (CredentialField & { name: FieldsOf<T> })[] } = {
  bearer: [{ name: "token", ...secret }],
  basic: [{ name: "username", maxLength: 8192, pattern: "[^:]+" }, { name: "password", ...secret, isOptional: true }],
  header: [{ name: "header", ...line, pattern: "[!#$%&'*+.^_`\\|~0-9A-Za-z\\-]+" }, { name: "value", ...secret }],
  query: [{ name: "parameter", ...line }, { name: "value", ...secret }],
  path: [{ name: "value", ...secret, pattern: "[A-Za-z0-9._~!$&'\\(\\)*+,;=:@%\\/\\-]+" }],
  oauth2_client_credentials: [
    { name: "tokenUrl", ...url },
    { name: "clientId", maxLength: 8192 },
    { name: "clientSecret", ...secret },
    { name: "scope", maxLength: 1000, isOptional: true },
  ],
  oauth2_authorization_code: [
    { name: "service", maxLength: 60, pattern: "[a-z0-9_\\-]+", isOptional: true },
    { name: "authorizationUrl", ...url, isOptional: true },
    { name: "tokenUrl", ...url, isOptional: true },
    { name: "revocationUrl", ...url, isOptional: true },
    { name: "clientId", maxLength: 8192, isOptional: true },
    { name: "clientSecret", ...secret, isOptional: true },
    { name: "scope", maxLength: 1000, isOptional: true },
    { name: "authorizationParameters", maxLength: 2000, isOptional: true },
  ],
  slack: [{ name: "botToken", ...secret }, { name: "signingSecret", ...secret }],
  telegram: [
    { name: "botToken", ...secret, maxLength: 200, pattern: "[0-9]{1,20}:[A-Za-z0-9_\\-]+" },
    { name: "secretToken", ...secret, maxLength: 256, pattern: "[A-Za-z0-9_\\-]+", generate: randomKey },
  ],
  whatsapp: [
    { name: "accessToken", ...secret },
    { name: "phoneNumberId", maxLength: 32, pattern: "[0-9]+" },
    { name: "appSecret", ...secret },
    { name: "verifyToken", ...secret, generate: randomKey },
  ],
  http: [
    { name: "url", ...url },
    { name: "secret", isSecret: true, maxLength: 100, pattern: "whsec_[A-Za-z0-9+\\/]{32,86}=*", generate: signingSecret },
  ],
};

/** A secret of Standard Webhooks: 32 random bytes in base64. */
function signingSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** The values of the fields of a type, as a request has them. */
export function filledFields(type: CredentialType, values: Readonly<Record<string, string>>): Record<string, string | Record<string, string>> {
  const given = credentialFields[type].map(({ name }) => [name, values[name] ?? ""] as const);
  // An optional field that is empty is omitted, except the password, which may be empty.
  const filled = given.filter(([name, value]) => value !== "" || name === "password");
  return Object.fromEntries(filled.map(([name, value]) => [name, name === "authorizationParameters" ? readParameters(value) : value]));
}

/** Parameters as the query of a URL has them, such as `access_type=offline&prompt=consent`. */
function readParameters(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text.trim()));
}
