import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ConnectClient } from "./ConnectClient";
import { studioServer } from "./clients";

/** How to connect a coding assistant that builds workflows. */
export function StudioDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Dialog title={t.assistants.studio} onClose={onClose}>
      <p>{t.assistants.studioText}</p>
      <ConnectClient server={studioServer} />
      <p className="hint">{t.assistants.studioTools}</p>
      <footer><Button onClick={onClose}>{t.close}</Button></footer>
    </Dialog>
  );
}
