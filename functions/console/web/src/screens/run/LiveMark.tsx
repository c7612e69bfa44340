import { useTexts } from "../../i18n";
import type { Connection } from "./useLive";

export function LiveMark({ connection }: { connection: Connection }) {
  const { t } = useTexts();
  return (
    <span role="status" className={`live ${connection}`}>
      {connection !== "off" && (
        <>
          <span aria-hidden="true" className="dot" />
          {t.run.connection[connection]}
        </>
      )}
    </span>
  );
}
