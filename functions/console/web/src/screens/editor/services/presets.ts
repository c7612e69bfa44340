import type { CredentialType } from "../../../api/types";
import type { Dictionary } from "../../../i18n";
import type { CredentialPreset } from "../../workflow/connections/CredentialDialog";
import type { Config } from "../model/types";
import type { Authentication, Service } from "./queries";

type Texts = Dictionary["editor"]["services"];

/** The types of credentials that a service takes, with what is known of their fields. Empty if it takes none. */
export function presetsOf(service: Service, settings: Config, texts: Texts): CredentialPreset[] {
  return service.authentication.flatMap((way) => {
    if (way.type === "none") return [];
    return [{ type: way.type satisfies CredentialType, values: valuesOf(way, settings), about: aboutOf(way, texts) }];
  });
}

function valuesOf(way: Exclude<Authentication, { type: "none" }>, settings: Config): Record<string, string> {
  switch (way.type) {
    case "header":
      return { header: way.header };
    case "query":
      return { parameter: way.parameter };
    case "oauth2_client_credentials":
      return { tokenUrl: fill(way.tokenUrl, settings), scope: (way.scopes ?? []).join(" ") };
    case "oauth2_authorization_code":
      return {
        authorizationUrl: fill(way.authorizationUrl, settings),
        tokenUrl: fill(way.tokenUrl, settings),
        scope: way.scopes.join(way.scopeSeparator ?? " "),
        authorizationParameters: new URLSearchParams(way.authorizeParameters ?? {}).toString(),
      };
    default:
      return {};
  }
}

/** A URL with the settings of the form, such as the domain of the account. One that is not written yet stays as `{domain}`. */
const fill = (url: string, settings: Config) =>
  url.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = settings[name];
    return typeof value === "string" && value !== "" ? value : placeholder;
  });

function aboutOf(way: Exclude<Authentication, { type: "none" }>, texts: Texts): string {
  if (way.type === "header" && way.value !== "{key}") return `${way.description} ${texts.headerValue(way.value)}`;
  return way.type === "basic" ? `${way.description} ${texts.basicParts(way.username, way.password)}` : way.description;
}
