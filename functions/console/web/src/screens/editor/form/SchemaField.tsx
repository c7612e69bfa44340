import { type ReactNode, useId } from "react";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { GrowingText } from "../../../ui/GrowingText";
import type { Config } from "../model/types";
import { useReferences } from "../queries";
import { useNames } from "../texts";
import { WithCode } from "../../../ui/WithCode";
import { shortMessage, useForm } from "./context";
import { ExpressionControl, LanguageChoice } from "./ExpressionControl";
import { MapRows } from "./MapRows";
import { initialValue, kindOf, type Schema, variantName, referenceOf } from "./schema";
import { readJson, writeJson } from "../../../values/json";
import { useTextValue } from "./useTextValue";

export interface FieldProps {
  schema: Schema;
  /** The field as problems name it, such as `config.cases[0].name`. */
  path: string;
  label: string;
  required: boolean;
  value: unknown;
  /** Undefined removes the field. */
  onChange: (value: unknown) => void;
}

/** The control of a field, by its schema. */
export function SchemaField(props: FieldProps) {
  switch (kindOf(props.schema)) {
    case "boolean":
      return <BooleanField {...props} />;
    case "object":
      return <Group {...props}><Properties {...props} /></Group>;
    case "list":
      return <Group {...props}><ListItems {...props} /></Group>;
    case "map":
      return <Group {...props}><MapRows {...props} /></Group>;
    case "variant":
      return <Group {...props}><Variant {...props} /></Group>;
    default:
      return <SimpleField {...props} />;
  }
}

function useProblems(path: string) {
  const { problems, node } = useForm();
  return problems.filter((problem) => problem.nodeId === node.id && problem.field === path);
}

export function FieldProblems({ id, path }: { id?: string; path: string }) {
  const { t } = useTexts();
  const problems = useProblems(path);
  if (problems.length === 0) return null;
  return (
    <ul id={id} className="field-problems">
      {problems.map((problem) => (
        <li key={problem.code + problem.message} data-severity={problem.severity}>
          {problem.line !== undefined && `${t.editor.lineColumn(problem.line, problem.column ?? 1)} `}
          <WithCode text={shortMessage(problem)} />
        </li>
      ))}
    </ul>
  );
}

const unsetIfEmpty = (value: unknown) => (value === "" ? undefined : value);

function SimpleField(props: FieldProps) {
  const { t } = useTexts();
  const { schema, path, label, required } = props;
  const id = useId();
  const ofJs = useProblems(`${path}.js`);
  const isWrong = useProblems(path).length + ofJs.length > 0;
  const ofField = schema["x-language"];
  const ids = {
    id,
    "data-field": path,
    "aria-describedby": `${id}-hint ${id}-problems`,
    "aria-invalid": isWrong || undefined,
    "aria-required": required || undefined,
  };
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={id}>{label}</label>
        {required && <span className="field-tag">{t.editor.required}</span>}
        {kindOf(schema) === "json" && <span className="field-tag code">JSON</span>}
        {ofField !== undefined && <LanguageChoice {...props} ofField={ofField} onChange={(value) => props.onChange(unsetIfEmpty(value))} />}
      </div>
      <Control {...props} ids={ids} />
      <FieldProblems id={`${id}-problems`} path={path} />
      {ofField !== undefined && <FieldProblems path={`${path}.js`} />}
      {schema.description && <p id={`${id}-hint`} className="hint"><WithCode text={schema.description} /></p>}
    </div>
  );
}

type Ids = Record<string, string | boolean | undefined> & { id: string; "data-field": string };

function Control(props: FieldProps & { ids: Ids }) {
  const { schema, path } = props;
  const { node } = useForm();
  const reference = referenceOf(node, path);
  if (reference !== null) return <ReferenceControl {...props} reference={reference} />;
  switch (kindOf(schema)) {
    case "choice":
      return <ChoiceControl {...props} />;
    case "number":
      return <NumberControl {...props} />;
    case "json":
      return <JsonControl {...props} />;
    default:
      return <TextControl {...props} />;
  }
}

function TextControl({ schema, value, onChange, ids }: FieldProps & { ids: Ids }) {
  const { canEdit } = useForm();
  const placeholder = typeof schema.example === "string" ? schema.example : undefined;
  const ofField = schema["x-language"];
  if (ofField !== undefined) {
    return <ExpressionControl attributes={{ ...ids, placeholder }} ofField={ofField} value={value} onChange={(value) => onChange(unsetIfEmpty(value))} />;
  }
  const text = typeof value === "string" ? value : "";
  const change = (text: string) => onChange(unsetIfEmpty(text));
  const common = { ...ids, value: text, disabled: !canEdit, placeholder, onChange: (event: { target: { value: string } }) => change(event.target.value) };
  if (schema["x-lines"]) return <GrowingText {...common} rows={1} />;
  if (kindOf(schema) === "text") return <input {...common} type="text" autoComplete="off" />;
  return <textarea {...common} rows={Math.min(14, Math.max(3, text.split("\n").length + 1))} />;
}

/** The value of a control whose text cannot be read is an earlier one: a form that is sent must not have it. */
const refuseForm = (isInvalid: boolean, reason: string) => (field: HTMLInputElement | HTMLTextAreaElement | null) =>
  field?.setCustomValidity(isInvalid ? reason : "");

function NumberControl({ schema, value, onChange, ids }: FieldProps & { ids: Ids }) {
  const { t } = useTexts();
  const { canEdit } = useForm();
  const read = (text: string) => {
    if (text.trim() === "") return { value: undefined };
    const number = Number(text);
    return Number.isFinite(number) ? { value: number } : null;
  };
  const { text, setText, isInvalid } = useTextValue(value, (value) => (typeof value === "number" ? String(value) : ""), read, onChange);
  return (
    <>
      <input
        {...ids}
        ref={refuseForm(isInvalid, t.editor.notNumber)}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        disabled={!canEdit}
        value={text}
        aria-invalid={isInvalid || ids["aria-invalid"] === true || undefined}
        placeholder={typeof schema.default === "number" ? String(schema.default) : undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {isInvalid && <p className="field-problem">{t.editor.notNumber}</p>}
    </>
  );
}

function JsonControl({ schema, value, onChange, ids }: FieldProps & { ids: Ids }) {
  const { t } = useTexts();
  const { canEdit } = useForm();
  const { text, setText, isInvalid } = useTextValue(value, writeJson, readJson, onChange);
  return (
    <>
      <textarea
        {...ids}
        ref={refuseForm(isInvalid, t.editor.notJson)}
        className="mono"
        rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
        spellCheck={false}
        disabled={!canEdit}
        value={text}
        placeholder={schema.example === undefined ? undefined : writeJson(schema.example)}
        aria-invalid={isInvalid || ids["aria-invalid"] === true || undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {isInvalid && <p className="field-problem">{t.editor.notJson}</p>}
    </>
  );
}

function ChoiceControl({ schema, required, value, onChange, ids }: FieldProps & { ids: Ids }) {
  const { t } = useTexts();
  const names = useNames();
  const { canEdit } = useForm();
  const byDefault = typeof schema.default === "string" ? `${t.editor.byDefault}: ${names.option(schema.default)}` : t.editor.byDefault;
  return (
    <select {...ids} disabled={!canEdit} value={typeof value === "string" ? value : ""} onChange={(event) => onChange(event.target.value || undefined)}>
      {(!required || value === undefined) && <option value="">{required ? t.editor.choose : byDefault}</option>}
      {schema.enum?.map((option) => <option key={option} value={option}>{names.option(option)}</option>)}
    </select>
  );
}

function ReferenceControl({ required, value, onChange, ids, reference }: FieldProps & { ids: Ids; reference: Parameters<typeof useReferences>[0] }) {
  const { t } = useTexts();
  const { canEdit, workflowId, credentialTypes } = useForm();
  const { data: all, isLoading } = useReferences(reference, workflowId);
  const data = all?.filter(([, , type]) => type === undefined || credentialTypes === undefined || credentialTypes.includes(type));
  const current = typeof value === "string" ? value : "";
  // Without a credential, a node has none. Other references have a default.
  const none = reference === "credential" ? t.none : t.editor.byDefault;
  const isListed = data?.some(([id]) => id === current) ?? false;
  return (
    <select {...ids} disabled={!canEdit} value={current} onChange={(event) => onChange(event.target.value || undefined)}>
      {(!required || current === "") && <option value="">{isLoading ? t.loading : required ? t.editor.choose : none}</option>}
      {current !== "" && !isListed && <option value={current}>{current}</option>}
      {data?.map(([id, name]) => <option key={id} value={id}>{name === id ? id : `${name} · ${shortId(id)}`}</option>)}
    </select>
  );
}

/** Names repeat: the end of an id tells them apart. The name of a model is its id. */
const shortId = (id: string) => (/^[0-9a-f]{8}-/.test(id) ? id.slice(-6) : id);

function BooleanField({ schema, path, label, value, onChange }: FieldProps) {
  const id = useId();
  const { canEdit } = useForm();
  return (
    <div className="field">
      <div className="check">
        <input
          id={id}
          data-field={path}
          type="checkbox"
          disabled={!canEdit}
          aria-describedby={schema.description && `${id}-hint`}
          checked={typeof value === "boolean" ? value : schema.default === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </div>
      <FieldProblems path={path} />
      {schema.description && <p id={`${id}-hint`} className="hint"><WithCode text={schema.description} /></p>}
    </div>
  );
}

function Group({ schema, path, label, required, children }: FieldProps & { children: ReactNode }) {
  const { t } = useTexts();
  return (
    <fieldset className="field-group" data-field={path} tabIndex={-1}>
      <legend>{label}{required && <span className="field-tag">{t.editor.required}</span>}</legend>
      {schema.description && <p className="hint"><WithCode text={schema.description} /></p>}
      <FieldProblems path={path} />
      {children}
    </fieldset>
  );
}

const asConfig = (value: unknown): Config => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Config) : {});

/** The fields of an object. An object without fields is removed. */
export function Properties({ schema, path, required, value, onChange, only }: Omit<FieldProps, "label"> & { only?: (name: string) => boolean }) {
  const names = useNames();
  const config = asConfig(value);
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => only?.(name) ?? true)
    .map(([name, property]) => (
      <SchemaField
        key={name}
        schema={property}
        path={`${path}.${name}`}
        label={names.field(name)}
        required={schema.required?.includes(name) ?? false}
        value={config[name]}
        onChange={(changed) => {
          const { [name]: _, ...rest } = config;
          const next = changed === undefined ? rest : { ...config, [name]: changed };
          onChange(Object.keys(next).length === 0 && !required ? undefined : next);
        }}
      />
    ));
}

function ListItems({ schema, path, label, value, onChange, required }: FieldProps) {
  const { t } = useTexts();
  const { canEdit } = useForm();
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const itemSchema = schema.items ?? {};
  const set = (next: unknown[]) => onChange(next.length === 0 && !required ? undefined : next);
  return (
    <>
      {items.map((item, index) => (
        <div key={index} className="list-item" data-simple={!["object", "variant"].includes(kindOf(itemSchema))}>
          <div className="list-item-head">
            <span>{label} {index + 1}</span>
            {canEdit && (
              <span>
                {index > 0 && (
                  <Button kind="quiet" aria-label={t.editor.moveUp(`${label} ${index + 1}`)} onClick={() => set(items.with(index, items[index - 1]).with(index - 1, item))}>↑</Button>
                )}
                <Button kind="quiet" aria-label={t.editor.removeNamed(`${label} ${index + 1}`)} onClick={() => set(items.toSpliced(index, 1))}>
                  {t.editor.remove}
                </Button>
              </span>
            )}
          </div>
          {kindOf(itemSchema) === "object" ? (
            <Properties schema={itemSchema} path={`${path}[${index}]`} required value={item} onChange={(changed) => set(items.with(index, changed))} />
          ) : kindOf(itemSchema) === "variant" ? (
            <Variant schema={itemSchema} path={`${path}[${index}]`} label={label} required value={item} onChange={(changed) => set(items.with(index, changed))} />
          ) : (
            <SimpleField
              schema={itemSchema}
              path={`${path}[${index}]`}
              label={`${label} ${index + 1}`}
              required={false}
              value={item}
              onChange={(changed) => set(items.with(index, changed ?? ""))}
            />
          )}
        </div>
      ))}
      {canEdit && items.length < (schema.maxItems ?? Infinity) && (
        <Button className="add" aria-label={t.editor.addNamed(label)} onClick={() => set([...items, initialValue(itemSchema)])}>+ {t.editor.add}</Button>
      )}
    </>
  );
}

/** One of several forms of an object, which its `type` names. */
function Variant({ schema, path, required, value, onChange }: FieldProps) {
  const { t } = useTexts();
  const names = useNames();
  const { canEdit } = useForm();
  const id = useId();
  const config = asConfig(value);
  const variants = schema.oneOf ?? [];
  const current = variants.find((variant) => variantName(variant) === config["type"]);
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{names.field("type")}</label>
        <select
          id={id}
          data-field={`${path}.type`}
          disabled={!canEdit}
          value={current === undefined ? "" : variantName(current)}
          onChange={(event) => {
            const chosen = variants.find((variant) => variantName(variant) === event.target.value);
            onChange(chosen === undefined ? undefined : initialValue(chosen));
          }}
        >
          {(!required || current === undefined) && <option value="">{t.none}</option>}
          {variants.map((variant) => <option key={variantName(variant)} value={variantName(variant)}>{names.option(variantName(variant))}</option>)}
        </select>
      </div>
      {current !== undefined && (
        <Properties schema={current} path={path} required value={config} onChange={onChange} only={(name) => name !== "type"} />
      )}
    </>
  );
}
