import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { WorkflowState } from "../../api/types";
import { useTexts } from "../../i18n";
import { FilterFields } from "../../lists/FilterFields";
import { readFilters } from "../../lists/filters";
import { navigate, replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { PageTitle } from "../../ui/PageTitle";
import { useToast } from "../../ui/Toast";
import { DropArea } from "./DropArea";
import { ImportDialog } from "./ImportDialog";
import { List } from "./List";
import { useCreate } from "./queries";
import { StudioDialog } from "../../assistants/StudioDialog";
import { TemplatesDialog } from "./TemplatesDialog";

const states = ["draft", "published", "paused", "needs_attention", "archived"] as const satisfies readonly WorkflowState[];
const sorts = ["updatedAt", "createdAt", "name"] as const;

/** The workflows that the person owns or that others share with them. */
export default function Workflows({ query }: { query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query, states, sorts);
  const [file, setFile] = useState<File | "choose" | null>(null);
  const opened = query.get("new");
  const open = (what: "template" | "assistant" | "") => replaceQuery({ new: what });
  const create = useCreate();
  const toast = useToast();
  const startEmpty = () =>
    create.mutate(t.workflows.newName, {
      onSuccess: ({ data }) => navigate({ to: "editor", params: { workflowId: data.id } }),
      onError: (error) => toast(asApiError(error).message),
    });
  return (
    <DropArea onFile={setFile} text={t.workflows.drop}>
      <PageTitle title={t.workflows.title}>
        <Button busy={create.isPending} onClick={startEmpty}>{t.workflows.new}</Button>
        <Button onClick={() => setFile("choose")}>{t.workflows.import}</Button>
        <Button kind="primary" onClick={() => open("template")}>{t.workflows.fromTemplate}</Button>
      </PageTitle>
      <FilterFields filters={filters} states={states} sorts={sorts} />
      <List filters={filters} onOpen={open} onImport={() => setFile("choose")} />
      {opened === "template" && <TemplatesDialog onClose={() => open("")} />}
      {opened === "assistant" && <StudioDialog onClose={() => open("")} />}
      {file !== null && <ImportDialog file={file} onClose={() => setFile(null)} />}
    </DropArea>
  );
}
