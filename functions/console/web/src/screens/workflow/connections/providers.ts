import type { Credential, CredentialType, MessagingProvider } from "../../../api/types";

/** A messaging provider takes the credentials of the type that has its name. */
export const providers = ["slack", "telegram", "whatsapp", "http"] as const satisfies readonly (MessagingProvider & CredentialType)[];

export function providerOf(type: CredentialType): MessagingProvider | undefined {
  return providers.find((provider) => provider === type);
}

export const isAccount = ({ type }: Credential) => providerOf(type) !== undefined;
