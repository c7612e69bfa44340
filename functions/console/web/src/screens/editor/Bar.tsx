import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Badge, StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { PageTitle } from "../../ui/PageTitle";
import { type Draft, useDraft } from "./draft";

interface BarProps {
  draft: Draft;
  canEdit: boolean;
  onRename: () => void;
  onAdd: () => void;
  onTidy: () => void;
  onProblems: () => void;
  onTry: () => void;
  onRun: () => void;
  onPublish: () => void;
}

export function Bar({ draft, canEdit, onRename, onAdd, onTidy, onProblems, onTry, onRun, onPublish }: BarProps) {
  const { t } = useTexts();
  const head = useDraft(draft, (state) => state.head);
  const problems = useDraft(draft, (state) => state.problems);
  const canUndo = useDraft(draft, (state) => state.canUndo);
  const canRedo = useDraft(draft, (state) => state.canRedo);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const warnings = problems.length - errors;
  return (
    <div className="editor-bar">
      <PageTitle
        title={head.name}
        documentTitle={t.editor.documentTitle(head.name)}
        above={
          <span className="crumbs">
            <Link to="workflows" className="crumb">← {t.workflows.title}</Link>
            <Link to="workflow" params={{ workflowId: draft.id }} className="crumb">{t.workflow.tabs.workflow}</Link>
          </span>
        }
      />
      <div className="editor-state">
        {draft.canEdit && (
          <IconButton label={t.editor.rename} onClick={onRename} path="m3 13 .7-2.8L10.8 3l2.2 2.2-7.2 7.1zM9.5 4.3l2.2 2.2" />
        )}
        <StateBadge state={head.state} />
        <SaveState draft={draft} />
      </div>
      <div className="editor-tools">
        {canEdit && (
          <>
            <Button onClick={onAdd} title={`${t.editor.addNode} (/)`}>+ {t.editor.addNode}</Button>
            <IconButton label={t.editor.undo} disabled={!canUndo} onClick={() => draft.undo()} path="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M6 3.5l-3 3 3 3" />
            <IconButton label={t.editor.redo} disabled={!canRedo} onClick={() => draft.redo()} path="M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M10 3.5l3 3-3 3" />
            <IconButton label={t.editor.tidy} onClick={onTidy} path="M2 3h4v3H2zM2 10h4v3H2zM10 6.5h4v3h-4zM6 4.5h2v7H6M8 8h2" />
          </>
        )}
        <Button onClick={onProblems}>
          <span className="problem-mark" data-severity={errors > 0 ? "error" : warnings > 0 ? "warning" : "none"} aria-hidden="true">
            {errors > 0 ? "✕" : warnings > 0 ? "!" : "✓"}
          </span>
          {t.editor.problems}
          {problems.length > 0 && <span aria-hidden="true"> {problems.length}</span>}
          {problems.length > 0 && <span className="sr-only">{t.editor.problemCount(errors, warnings)}</span>}
        </Button>
        {canEdit && <Button onClick={onTry}>{t.editor.tryDraft}</Button>}
        {draft.canEdit && <Button onClick={onRun}>{t.editor.run}</Button>}
        {canEdit && <Button kind="primary" onClick={onPublish}>{t.editor.publish}</Button>}
      </div>
    </div>
  );
}

function SaveState({ draft }: { draft: Draft }) {
  const { t } = useTexts();
  const save = useDraft(draft, (state) => state.save);
  const hasChanges = useDraft(draft, (state) => state.head.hasUnpublishedChanges);
  if (!draft.canEdit) return <Badge tone="neutral">{t.editor.readOnly}</Badge>;
  if (save.kind === "failed") {
    return (
      <span className="save-state" role="alert">
        <Badge tone="bad">{t.editor.save.failed}</Badge>
        <span className="save-why">{save.error.isConnection ? t.errors.connection : save.error.message}</span>
        <Button kind="quiet" onClick={() => void draft.save()}>{t.errors.retry}</Button>
      </span>
    );
  }
  return (
    <span className="save-state muted">
      <span data-save={save.kind}>{t.editor.save[save.kind]}</span>
      {hasChanges && <span className="unpublished">{t.workflows.changed}</span>}
    </span>
  );
}

interface IconButtonProps {
  label: string;
  path: string;
  disabled?: boolean;
  onClick: () => void;
}

function IconButton({ label, path, disabled = false, onClick }: IconButtonProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg>
    </button>
  );
}
