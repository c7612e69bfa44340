import { useTexts } from "../i18n";

interface ConsoleLinesProps {
  lines: readonly { level: string; text: string }[];
}

/** What the code of a node wrote to its console. */
export function ConsoleLines({ lines }: ConsoleLinesProps) {
  const { t } = useTexts();
  if (lines.length === 0) return null;
  return (
    <div className="value">
      <div className="value-head"><h3>{t.values.console}</h3></div>
      <ol className="console-lines">
        {lines.map(({ level, text }, index) => <li key={index} data-level={level}>{text}</li>)}
      </ol>
    </div>
  );
}
