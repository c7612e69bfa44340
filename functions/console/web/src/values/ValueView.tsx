import { useMemo } from "react";
import { useTexts } from "../i18n";
import { CopyButton } from "../ui/CopyButton";
import { saveFile } from "../ui/saveFile";
import { showValue, splitText } from "./text";

/** Values up to this size are one block: most are. */
const SMALL = 4_000;

/** A value with its name, its size and a button to copy it. A megabyte does not stop the page. */
export function ValueView({ name, value }: { name: string; value: unknown }) {
  const { t, format } = useTexts();
  const text = useMemo(() => showValue(value), [value]);
  const blocks = useMemo(() => (text.length > SMALL ? splitText(text) : [{ text, lines: 1 }]), [text]);
  const isLarge = text.length > SMALL;
  return (
    <div className="value">
      <div className="value-head">
        <h3>{name}</h3>
        {isLarge && <span className="muted">{format.size(text.length)}</span>}
        <CopyButton text={text} what={name} />
        {isLarge && <DownloadButton text={text} name={name} isText={typeof value === "string"} />}
      </div>
      {text === "" || value === null ? (
        <p className="muted">{text === "" ? t.values.empty : t.values.none}</p>
      ) : (
        <pre tabIndex={0} role="group" aria-label={name} className={typeof value === "string" ? "text" : undefined}>
          {isLarge
            ? blocks.map((block, index) => (
                <div key={index} className="block" style={{ containIntrinsicBlockSize: `auto ${block.lines * 19}px` }}>
                  {block.text}
                </div>
              ))
            : text}
        </pre>
      )}
    </div>
  );
}

function DownloadButton({ text, name, isText }: { text: string; name: string; isText: boolean }) {
  const { t } = useTexts();
  const download = () => (isText ? saveFile(`${name}.txt`, text, "text/plain") : saveFile(`${name}.json`, text, "application/json"));
  return (
    <button type="button" className="copy" aria-label={t.values.download(name)} title={t.values.download(name)} onClick={download}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5v7.5m-3-3 3 3 3-3M3 13h10" /></svg>
    </button>
  );
}
