import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { asApiError } from "../../../api/errors";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { Dialog, DiscardDialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Loaded } from "../../../ui/Loaded";
import { WithCode } from "../../../ui/WithCode";
import { holdsWritten } from "../../../ui/written";
import { Authorization } from "../../workflow/connections/Authorization";
import { CredentialDialog } from "../../workflow/connections/CredentialDialog";
import { useCredentials } from "../../workflow/connections/credentialQueries";
import type { Draft } from "../draft";
import { ExpressionValues } from "../expression/context";
import { FormContext } from "../form/context";
import { focusField, isWithin } from "../form/focus";
import { Folded } from "../form/Folded";
import type { Schema } from "../form/schema";
import { SchemaField } from "../form/SchemaField";
import type { NewNode } from "../model/graph";
import type { Graph, NodeType, Problem } from "../model/types";
import { type Parameter, initialValues, parametersOf, problemOf, readArguments, readProblems, type Written } from "./arguments";
import { presetsOf } from "./presets";
import { makeNode, type NodeArguments, type Operation, type Service, type ServiceSummary, useService } from "./queries";

interface OperationDialogProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  service: ServiceSummary;
  /** The id of the operation. */
  operation: string;
  /** Returns the graph with the new node, for the expressions. */
  place: (made: NewNode) => { graph: Graph; id: string };
  onAdd: (made: NewNode) => void;
  onBack: () => void;
  onClose: () => void;
}

/** The form of an operation of a service. */
export function OperationDialog({ service, operation, ...props }: OperationDialogProps) {
  const whole = useService(service.id);
  const found = whole.data?.operations.find(({ id }) => id === operation);
  if (whole.data !== undefined && found !== undefined) return <OperationForm {...props} service={whole.data} operation={found} />;
  return (
    <Dialog title={service.name} onClose={props.onClose} wide>
      <Loaded query={whole}>{() => null}</Loaded>
    </Dialog>
  );
}

interface OperationFormProps extends Omit<OperationDialogProps, "service" | "operation"> {
  service: Service;
  operation: Operation;
}

/** The parameters of an operation, and its credential. The API makes an `http` node of them. */
function OperationForm({ draft, types, service, operation, place, onAdd, onBack, onClose }: OperationFormProps) {
  const { t } = useTexts();
  const form = useRef<HTMLFormElement>(null);
  const parameters = useMemo(() => parametersOf(operation, t.editor.services.suchAs), [operation, t]);
  const [written, setWritten] = useState<Written>(() => ({ values: initialValues(parameters), expressions: {}, computed: new Set() }));
  const [credentialId, setCredentialId] = useState<string | undefined>();
  const [creates, setCreates] = useState(false);
  const [asks, setAsks] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const nodeName = `${service.name}: ${operation.name}`;
  // A name that expressions of other nodes can use without quotes.
  const wish = { id: service.id.replaceAll("-", "_"), name: nodeName };
  const placed = useMemo(() => place({ ...wish, config: {} }), []);
  const node = placed.graph.nodes.find(({ id }) => id === placed.id) ?? { id: placed.id, type: "http" };
  const create = useMutation({ mutationFn: (body: NodeArguments) => makeNode(service, operation, body) });

  const show = (found: readonly Problem[]) => {
    flushSync(() => setProblems(found));
    const ofParameters = parameters.flatMap(({ name }) => found.filter(({ field }) => isOf(field, name)));
    const first = ofParameters[0]?.field;
    if (first) focusField(form.current, first);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const { body, refused } = readArguments(parameters, written);
    if (refused.length > 0) {
      create.reset();
      show(refused.map((name) => problemOf(node.id, `expressions.${name}`, t.editor.services.notTemplate)));
      return;
    }
    create.mutate({ ...body, credentialId: credentialId ?? null }, {
      onSuccess: ({ name, config }) => onAdd({ id: wish.id, name, config }),
      onError: (error) => show(readProblems(node.id, asApiError(error).message).problems),
    });
  };
  const change = (name: string, changes: Partial<Written>) => {
    setWritten({ ...written, ...changes });
    setProblems(problems.filter(({ field }) => !isOf(field, name)));
  };
  const fields = (shown: readonly Parameter[]) =>
    shown.map((parameter) => <ParameterField key={parameter.name} parameter={parameter} written={written} onChange={(changes) => change(parameter.name, changes)} />);
  // The text of a message is what a person came to write, even where the service also takes a message without one.
  const isMain = ({ isRequired, schema }: Parameter) => isRequired || schema["x-lines"] === true;
  const main = parameters.filter(isMain);
  const optional = parameters.filter((parameter) => !isMain(parameter));
  const isShort = parameters.length <= SHORT || main.length === 0;
  const presets = presetsOf(service, written.values, t.editor.services);
  const leave = () => !create.isPending && onClose();
  const back = () => (form.current !== null && holdsWritten(form.current) ? setAsks(true) : onBack());
  // A problem without a field is shown as a whole.
  const failure = create.error !== null && readProblems(node.id, create.error.message).rest !== "" ? create.error : null;
  return (
    <>
      <Dialog title={nodeName} onClose={leave} wide>
        <FormContext value={{ workflowId: draft.id, node, problems, canEdit: true, credentialTypes: presets.map(({ type }) => type) }}>
          <ExpressionValues draft={draft} types={types} node={node} graph={placed.graph}>
            <form ref={form} className="operation-form" onSubmit={submit} onInvalidCapture={unfold} autoComplete="off">
              <p className="muted">
                <WithCode text={operation.description} />{" "}
                <a href={service.documentation} target="_blank" rel="noreferrer">{t.editor.services.documentation}</a>
              </p>
              {parameters.length === 0 && <p className="muted">{t.editor.services.noParameters}</p>}
              {fields(main)}
              {isShort ? fields(optional) : (
                <Folded title={t.editor.services.optional(String(optional.length))} isUsed={false}>{fields(optional)}</Folded>
              )}
              {presets.length === 0 ? (
                <p className="muted">{t.editor.services.noCredential}</p>
              ) : (
                <CredentialChoice workflowId={draft.id} value={credentialId} onChange={setCredentialId} onCreate={() => setCreates(true)} />
              )}
              {failure !== null && <ErrorState error={failure} />}
              <footer>
                <Button onClick={back}>{t.editor.services.back}</Button>
                <Button onClick={leave}>{t.cancel}</Button>
                <Button type="submit" kind="primary" busy={create.isPending}>{t.editor.services.add}</Button>
              </footer>
            </form>
          </ExpressionValues>
        </FormContext>
      </Dialog>
      {asks && <DiscardDialog onKeep={() => setAsks(false)} onDiscard={onBack} />}
      {creates && (
        <CredentialDialog
          workflowId={draft.id}
          presets={presets}
          suggestedName={service.name}
          onClose={() => setCreates(false)}
          onCreated={({ id }) => {
            setCreates(false);
            setCredentialId(id);
          }}
        />
      )}
    </>
  );
}

/** The most parameters of a form that is shown whole. */
const SHORT = 5;

/** The browser cannot focus an invalid field in a closed part, and would refuse the form without a word. */
const unfold = ({ target }: { target: EventTarget }) =>
  target instanceof Element && target.closest("details")?.setAttribute("open", "");

/** Whether a field as problems name it is a parameter, or a part of its value. */
const isOf = (field: string | null | undefined, name: string) =>
  ["values", "expressions"].some((kind) => isWithin(field ?? "", `${kind}.${name}`));

interface ParameterFieldProps {
  parameter: Parameter;
  written: Written;
  onChange: (changes: Partial<Written>) => void;
}

/** The value of a parameter, or its expression. */
function ParameterField({ parameter: { name, label, schema, isRequired }, written, onChange }: ParameterFieldProps) {
  const { t } = useTexts();
  const { values, expressions, computed } = written;
  const language = schema["x-expression"];
  const isComputed = language !== undefined && computed.has(name);
  const common = { label, required: isRequired };
  return (
    <div className="parameter" data-computable={language !== undefined}>
      {language !== undefined && (
        <Button
          kind="quiet"
          className="parameter-mode"
          aria-pressed={isComputed}
          aria-label={t.editor.services.expressionFor(label)}
          onClick={() => {
            const changed = new Set(computed);
            if (!changed.delete(name)) changed.add(name);
            onChange({ computed: changed });
          }}
        >
          {t.editor.services.expression}
        </Button>
      )}
      {isComputed ? (
        <SchemaField
          {...common}
          path={`expressions.${name}`}
          schema={expressionSchema(schema, t.editor.services.templateHint)}
          value={expressions[name]}
          onChange={(text) => onChange({ expressions: { ...expressions, [name]: typeof text === "string" ? text : "" } })}
        />
      ) : (
        <SchemaField
          {...common}
          path={`values.${name}`}
          schema={schema}
          value={values[name]}
          onChange={(value) => onChange({ values: { ...values, [name]: value } })}
        />
      )}
    </div>
  );
}

function expressionSchema({ description = "", "x-expression": language }: Schema, templateHint: string): Schema {
  const hint = language === "jinja" ? `${description} ${templateHint}` : description;
  return { type: "string", description: hint, ...(language && { "x-language": language }) };
}

interface CredentialChoiceProps {
  workflowId: string;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
  onCreate: () => void;
}

/** The credential that the node gets, as the form of an `http` node chooses it. One that waits for a consent has the way to it. */
function CredentialChoice({ workflowId, value, onChange, onCreate }: CredentialChoiceProps) {
  const { t } = useTexts();
  const chosen = useCredentials(workflowId).data?.outbound.find(({ id }) => id === value);
  return (
    <div className="operation-credential">
      <SchemaField
        schema={{ type: "string", description: t.editor.services.credentialHint }}
        path="config.credentialId"
        label={t.editor.fields.credentialId}
        required={false}
        value={value}
        onChange={(id) => onChange(typeof id === "string" ? id : undefined)}
      />
      {chosen?.authorization !== undefined && chosen.authorization.status !== "authorized" && (
        <Authorization workflowId={workflowId} credential={chosen} authorization={chosen.authorization} inNewTab />
      )}
      <Button className="add" onClick={onCreate}>{t.editor.services.newCredential}</Button>
    </div>
  );
}
