import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readError } from "../api/errors";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { ValueView } from "./ValueView";

/** A large value that is stored as a file. It is loaded on demand, or opened where the page may not read it. */
export function StoredValue({ name, url }: { name: string; url: string }) {
  const { t } = useTexts();
  const [isWanted, setIsWanted] = useState(false);
  if (isWanted) return <Fetched name={name} url={url} />;
  const isReadable = new URL(url, location.href).origin === location.origin;
  return (
    <div className="value">
      <div className="value-head"><h3>{name}</h3></div>
      <p className="muted">{t.values.large}</p>
      {isReadable ? (
        <Button onClick={() => setIsWanted(true)}>{t.values.load}</Button>
      ) : (
        <a className="button" href={url} target="_blank" rel="noreferrer">{t.values.open}</a>
      )}
    </div>
  );
}

function Fetched({ name, url }: { name: string; url: string }) {
  const query = useQuery({
    queryKey: ["value", url],
    staleTime: Infinity,
    queryFn: async (): Promise<{ value: unknown }> => {
      const response = await fetch(url);
      if (!response.ok) throw readError(response.status, null, null);
      return { value: await response.json() };
    },
  });
  return <Loaded query={query}>{({ value }) => <ValueView name={name} value={value} />}</Loaded>;
}
