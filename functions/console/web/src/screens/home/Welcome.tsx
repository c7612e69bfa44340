import { asApiError } from "../../api/errors";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { useToast } from "../../ui/Toast";
import { useExample } from "./queries";

/** What to do first. */
export function Welcome() {
  const { t } = useTexts();
  const toast = useToast();
  const example = useExample();
  const run = () =>
    example.mutate(undefined, {
      onSuccess: ({ workflowId, runId, error }) => {
        if (runId !== null) return navigate({ to: "run", params: { workflowId, runId } });
        // The editor shows what the workflow lacks.
        toast(asApiError(error).message);
        navigate({ to: "editor", params: { workflowId } });
      },
    });
  return (
    <div className="panel welcome">
      <div>
        <h2>{t.home.welcome}</h2>
        <p className="muted">{t.home.welcomeText}</p>
      </div>
      <div className="actions">
        <Link to="workflows" query={{ new: "assistant" }} className="button">{t.assistants.studio}</Link>
        <Link to="workflows" query={{ new: "template" }} className="button">{t.home.chooseTemplate}</Link>
        <Button kind="primary" busy={example.isPending} onClick={run}>
          {example.isPending ? t.loading : t.home.tryExample}
        </Button>
      </div>
      {example.error !== null && <ErrorState error={example.error} onRetry={run} />}
    </div>
  );
}
