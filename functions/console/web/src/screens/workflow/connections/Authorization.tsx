import { prefix } from "../../../api/place";
import type { Credential } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Badge } from "../../../ui/Badge";

interface AuthorizationProps {
  workflowId: string;
  credential: Credential;
  authorization: NonNullable<Credential["authorization"]>;
  /** The page has something that would be lost. */
  inNewTab?: boolean;
}

/** Whether a person has consented, and the way to the provider. */
export function Authorization({ workflowId, credential: { id, name }, authorization: { status, account, scope }, inNewTab = false }: AuthorizationProps) {
  const { t } = useTexts();
  const texts = t.connections.credentials;
  const isGood = status === "authorized";
  const url = `${prefix}/builder/v1/workflows/${workflowId}/webhook-credentials/outbound/${id}/authorize`;
  const details = [account, scope].filter((text) => text !== null);
  return (
    <div>
      <p className="facts">
        <Badge tone={isGood ? "good" : "warn"}>{texts.authorization[status]}</Badge>{" "}
        {details.length > 0 && <span className="muted" translate="no">{details.join(" · ")}</span>}
      </p>
      <a className={`button ${isGood ? "quiet" : "primary"}`} href={url} target={inNewTab ? "_blank" : undefined} aria-label={texts.authorizeNamed(name)}>
        {isGood ? texts.authorizeAgain : texts.authorize}
      </a>
    </div>
  );
}
