import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { prepareSignOut, signOut } from "../api/session";
import { type Language, useTexts } from "../i18n";
import { Link } from "../router/Link";
import { Button } from "../ui/Button";
import { DiscardDialog } from "../ui/Dialog";
import { Menu } from "../ui/Menu";
import { Select } from "../ui/Select";
import { useToast } from "../ui/Toast";
import { setSingleKeys, useSingleKeys } from "./keySetting";
import { usePerson } from "./person";
import { setTheme, type Theme, useTheme } from "./theme";

export function UserMenu({ onShowKeys }: { onShowKeys: () => void }) {
  const { t, language, setLanguage } = useTexts();
  const { user, org, membership } = usePerson();
  const theme = useTheme();
  const keys = useSingleKeys();
  const queries = useQueryClient();
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const leave = async () => {
    setAsks(false);
    try {
      await signOut();
      queries.clear();
    } catch {
      toast(t.user.signOutFailed);
    }
  };
  const leaveSafely = async () => ((await prepareSignOut()) ? leave() : setAsks(true));
  return (
    <>
      <Menu label={t.user.menu(user.name)} button={<>{user.name}<Chevron /></>} className="person">
        {(close) => (
          <>
            <div className="who">
              <p>{user.email ?? user.name}</p>
              <p>{org.name} · {t.user.roles[membership.role]}</p>
            </div>
            <div className="settings">
              <Select<Language>
                label={t.user.language}
                value={language}
                options={[["en", "English"], ["es", "Español"]]}
                onChange={(chosen) => {
                  setLanguage(chosen);
                  // The platform writes in the language of the person too.
                  void queries.invalidateQueries();
                }}
              />
              <Select<Theme>
                label={t.user.theme}
                value={theme}
                options={[["system", t.user.themes.system], ["light", t.user.themes.light], ["dark", t.user.themes.dark]]}
                onChange={setTheme}
              />
              <label className="check touch-hidden">
                <input type="checkbox" checked={keys} onChange={(event) => setSingleKeys(event.target.checked)} />
                {t.keys.single}
              </label>
            </div>
            <div className="leave">
              <Link to="workflows" query={{ new: "assistant" }} className="button" onClick={close}>{t.assistants.studio}</Link>
              <Button className="touch-hidden" onClick={() => { close(); onShowKeys(); }}>{t.keys.title}</Button>
              <Button onClick={leaveSafely}>{t.user.signOut}</Button>
            </div>
          </>
        )}
      </Menu>
      {asks && <DiscardDialog onKeep={() => setAsks(false)} onDiscard={leave} />}
    </>
  );
}

function Chevron() {
  return <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 6.5 4 4 4-4" /></svg>;
}
