import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { gateway } from "../api/client";
import { postponeSignIn, signInUrl, useSession } from "../api/session";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { useToast } from "../ui/Toast";

/** Says that the session has ended while something is unsaved. The person signs in in another tab, and continues here. */
export function SessionDialog() {
  const { t } = useTexts();
  const session = useSession();
  const queries = useQueryClient();
  const toast = useToast();
  const before = useRef(session);
  useEffect(() => {
    if (before.current !== "valid" && session === "valid") {
      toast(t.session.back);
      void queries.invalidateQueries();
    }
    before.current = session;
    if (session === "valid") return;
    // The client notices by itself that the session is valid again.
    const ask = () => void gateway.GET("/gateway/v1/me").catch(() => {});
    window.addEventListener("focus", ask);
    return () => window.removeEventListener("focus", ask);
  }, [session, queries, toast, t]);
  if (session !== "ended") return null;
  return (
    <Dialog title={t.session.ended} onClose={postponeSignIn}>
      <p>{t.session.text}</p>
      <footer>
        <Button onClick={postponeSignIn}>{t.session.later}</Button>
        <a className="button primary" href={signInUrl("#/")} target="_blank" rel="noreferrer">{t.signIn.action}</a>
      </footer>
    </Dialog>
  );
}
