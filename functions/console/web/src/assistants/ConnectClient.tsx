import { useState } from "react";
import { useTexts } from "../i18n";
import { CopyButton } from "../ui/CopyButton";
import { Select } from "../ui/Select";
import { type Client, clients, type Server, urlOf, writeSnippet } from "./clients";

/** How to connect a client to a server of the platform: its URL, and what the client needs. */
export function ConnectClient({ server }: { server: Server }) {
  const { t } = useTexts();
  const [client, setClient] = useState<Client>("claude");
  const url = urlOf(server);
  const snippet = writeSnippet(client, server.name, url);
  return (
    <div className="connect">
      <div>
        <p className="label">{t.assistants.url}</p>
        <p className="url-line"><code>{url}</code><CopyButton text={url} what={t.assistants.url} /></p>
      </div>
      <Select
        label={t.assistants.client}
        value={client}
        options={clients.map((client) => [client, t.assistants.clients[client]] as const)}
        onChange={setClient}
      />
      <div>
        <p className="label">{t.assistants.snippets[client]}</p>
        <div className="url-line"><pre translate="no">{snippet}</pre><CopyButton text={snippet} what={t.assistants.snippet} /></div>
      </div>
      <p className="hint">{t.assistants.signIn} <code translate="no">Authorization: Bearer …</code></p>
    </div>
  );
}
