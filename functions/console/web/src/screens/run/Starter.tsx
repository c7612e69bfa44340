import type { Run } from "../../api/types";
import { useTexts } from "../../i18n";
import { Owner } from "../../ui/Owner";
import { showHidden } from "../../values/hidden";

/** Who started the run with an assistant, and the client that they used, as it names itself. */
export function Starter({ userId, client: { name, version } }: NonNullable<Run["startedBy"]>) {
  const { t } = useTexts();
  return (
    <span className="muted">
      {t.run.startedBy} <Owner id={userId} />
      {name && <> {t.run.withClient} <span translate="no">{showHidden(`${name} ${version}`)}</span></>}
    </span>
  );
}
