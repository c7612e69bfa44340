import { useState } from "react";
import { useTexts } from "../i18n";
import { useToast } from "./Toast";

/** Copies a text. `what` names it for screen readers, such as “the request id”. */
export function CopyButton({ text, what, onCopied }: { text: string | (() => string); what: string; onCopied?: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="copy"
      aria-label={t.copy.label(what)}
      title={t.copy.label(what)}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(typeof text === "string" ? text : text());
          toast(t.copy.done);
          setCopied(true);
          onCopied?.();
          setTimeout(() => setCopied(false), 1500);
        } catch {
          toast(t.copy.refused);
        }
      }}
    >
      {copied ? (
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m3 8.5 3.2 3L13 5" /></svg>
      ) : (
        <svg viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5" /><path d="M10.5 3.5v-1h-8v8h1" /></svg>
      )}
    </button>
  );
}
