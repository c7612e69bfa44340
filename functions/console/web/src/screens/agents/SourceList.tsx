import { useContext, useState } from "react";
import type { AgentSource } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Menu } from "../../ui/Menu";
import { FormContext, TextField } from "./fields";

const kinds = ["text", "url", "file"] as const satisfies readonly AgentSource["type"][];

interface SourceListProps {
  sources: AgentSource[];
  canEdit: boolean;
  onChange: (sources: AgentSource[]) => void;
}

/** What the agent knows: texts, pages and small files. */
export function SourceList({ sources, canEdit, onChange }: SourceListProps) {
  const { t } = useTexts();
  const { problems } = useContext(FormContext);
  const [added, setAdded] = useState<number | null>(null);
  const add = (type: AgentSource["type"]) => {
    setAdded(sources.length);
    const source: Record<AgentSource["type"], AgentSource> = {
      text: { type: "text", name: "", text: "" },
      url: { type: "url", name: "", url: "" },
      file: { type: "file", name: "", mediaType: "", base64: "" },
    };
    onChange([...sources, source[type]]);
  };
  return (
    <>
      {sources.length === 0 && <p className="muted">{t.agents.noSources}</p>}
      {sources.map((source, index) => {
        const path = `config.sources[${index}]`;
        const isWrong = [...problems.keys()].some((field) => field.startsWith(path));
        const change = (source: AgentSource) => onChange(sources.with(index, source));
        return (
          <details key={index} className="list-item" open={isWrong || index === added}>
            <summary><strong translate="no">{source.name || t.agents.unnamed}</strong> <span className="sub">{t.agents.sourceKinds[source.type]}</span></summary>
            <TextField path={`${path}.name`} label={t.agents.name} value={source.name} onChange={(name) => change({ ...source, name })} />
            {source.type === "text" && <TextField path={`${path}.text`} label={t.agents.text} lines={4} value={source.text} onChange={(text) => change({ ...source, text })} />}
            {source.type === "url" && <TextField path={`${path}.url`} label={t.agents.url} mono value={source.url} example="https://example.com/help" onChange={(url) => change({ ...source, url })} />}
            {source.type === "file" && <FileField source={source} problem={problems.get(`${path}.base64`) ?? problems.get(path)} onChange={change} />}
            {canEdit && <Button kind="danger" className="add" onClick={() => onChange(sources.toSpliced(index, 1))}>{t.agents.removeSource}</Button>}
          </details>
        );
      })}
      {canEdit && sources.length < 16 && (
        <Menu label={t.agents.addSource} button={<span>+ {t.agents.addSource}</span>} className="add-menu">
          {(close) =>
            kinds.map((kind) => (
              <button key={kind} type="button" onClick={() => { close(); add(kind); }}>{t.agents.sourceKinds[kind]}</button>
            ))
          }
        </Menu>
      )}
    </>
  );
}

type FileSource = Extract<AgentSource, { type: "file" }>;

function FileField({ source, problem, onChange }: { source: FileSource; problem: string | undefined; onChange: (source: FileSource) => void }) {
  const { t, format } = useTexts();
  const read = (file: File) => {
    const reader = new FileReader();
    reader.onload = () => {
      const base64 = String(reader.result).split(",", 2)[1] ?? "";
      onChange({ ...source, name: source.name || file.name, mediaType: file.type || "text/plain", base64 });
    };
    reader.readAsDataURL(file);
  };
  return (
    <Field
      label={t.imports.file}
      problem={problem}
      hint={source.base64 === "" ? t.agents.fileHint : `${source.mediaType}, ${format.size(Math.floor((source.base64.length * 3) / 4))}`}
    >
      {(ids) => <input {...ids} type="file" onChange={(event) => { const file = event.target.files?.[0]; if (file !== undefined) read(file); }} />}
    </Field>
  );
}
