import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { askAgain, useConnectionLost } from "../api/connection";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { useToast } from "../ui/Toast";

/** Says that the platform cannot be reached. When it is back, what is on the screen is loaded again. */
export function ConnectionBanner() {
  const { t } = useTexts();
  const lost = useConnectionLost();
  const queries = useQueryClient();
  const toast = useToast();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !lost) {
      toast(t.connection.back);
      void queries.invalidateQueries();
    }
    wasLost.current = lost;
  }, [lost, queries, toast, t]);
  return (
    <div role="status">
      {lost && (
        <div className="banner">
          {t.connection.lost}
          <Button onClick={askAgain}>{t.connection.retry}</Button>
        </div>
      )}
    </div>
  );
}
