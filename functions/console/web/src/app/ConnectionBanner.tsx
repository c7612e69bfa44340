import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { reportConnection, useConnectionLost } from "../api/connection";
import { prefix } from "../api/place";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";

const RETRY_MS = 4000;

/** Says that the platform cannot be reached, and tries again until it can. */
export function ConnectionBanner() {
  const { t } = useTexts();
  const lost = useConnectionLost();
  const queries = useQueryClient();
  useEffect(() => {
    if (!lost) return;
    const timer = setInterval(() => isReachable().then((reachable) => reachable && reportConnection(false)), RETRY_MS);
    return () => {
      clearInterval(timer);
      // The connection is back: the lists may be old or missing.
      void queries.invalidateQueries();
    };
  }, [lost, queries]);
  return (
    <div role="status">
      {lost && (
        <div className="banner">
          {t.connection.lost}
          <Button onClick={async () => (await isReachable()) && reportConnection(false)}>{t.connection.retry}</Button>
        </div>
      )}
    </div>
  );
}

async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch(`${prefix}/health`, { cache: "no-store" });
    return response.ok;
  } catch {
    return false;
  }
}
