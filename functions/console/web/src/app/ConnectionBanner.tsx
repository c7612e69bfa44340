import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { askAgain, useConnectionLost } from "../api/connection";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";

/** Says that the platform cannot be reached. When it is back, what is on the screen is loaded again. */
export function ConnectionBanner() {
  const { t } = useTexts();
  const lost = useConnectionLost();
  const queries = useQueryClient();
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (lost) setWasLost(true);
    else if (wasLost) void queries.invalidateQueries();
  }, [lost, wasLost, queries]);
  return (
    <div role="status">
      {lost && (
        <div className="banner">
          {t.connection.lost}
          <Button onClick={askAgain}>{t.connection.retry}</Button>
        </div>
      )}
      {wasLost && !lost && <p className="sr-only">{t.connection.back}</p>}
    </div>
  );
}
