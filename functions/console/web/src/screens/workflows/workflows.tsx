import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { WorkflowState } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate, replaceQuery } from "../../router/history";
import { useSetQuery } from "../../router/useSetQuery";
import { Button } from "../../ui/Button";
import { PageTitle } from "../../ui/PageTitle";
import { SearchField } from "../../ui/SearchField";
import { Select } from "../../ui/Select";
import { useToast } from "../../ui/Toast";
import { DropArea } from "./DropArea";
import { ImportDialog } from "./ImportDialog";
import { List } from "./List";
import { useCreate, type WorkflowFilters } from "./queries";
import { TemplatesDialog } from "./TemplatesDialog";

const states = ["draft", "published", "paused", "needs_attention", "archived"] as const satisfies readonly WorkflowState[];
const ownerships = ["all", "mine", "shared"] as const;
const sorts = ["updatedAt", "createdAt", "name"] as const;

function readFilters(query: URLSearchParams): WorkflowFilters {
  return {
    search: query.get("search") ?? "",
    state: states.find((state) => state === query.get("state")) ?? "",
    ownership: ownerships.find((ownership) => ownership === query.get("ownership")) ?? "all",
    sort: sorts.find((sort) => sort === query.get("sort")) ?? "updatedAt",
  };
}

/** The workflows that the person owns or that others share with them. */
export default function Workflows({ query }: { query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query);
  const [file, setFile] = useState<File | "choose" | null>(null);
  const choosesTemplate = query.get("new") === "template";
  const search = useSetQuery("search");
  const chooseTemplate = () => replaceQuery({ new: "template" });
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
        <Button kind="primary" onClick={chooseTemplate}>{t.workflows.fromTemplate}</Button>
      </PageTitle>
      <div className="filters">
        <SearchField value={filters.search} onSearch={search} main />
        <Select
          label={t.workflows.state}
          value={filters.state}
          options={[["", t.workflows.allStates], ...states.map((state) => [state, t.states[state]] as const)]}
          onChange={(state) => replaceQuery({ state })}
        />
        <Select
          label={t.ownership.label}
          value={filters.ownership}
          options={ownerships.map((ownership) => [ownership, t.ownership[ownership]] as const)}
          onChange={(ownership) => replaceQuery({ ownership })}
        />
        <Select
          label={t.sort.label}
          value={filters.sort}
          options={sorts.map((sort) => [sort, t.sort[sort]] as const)}
          onChange={(sort) => replaceQuery({ sort })}
        />
      </div>
      <List filters={filters} onChooseTemplate={chooseTemplate} onImport={() => setFile("choose")} />
      {choosesTemplate && <TemplatesDialog onClose={() => replaceQuery({ new: "" })} />}
      {file !== null && <ImportDialog file={file} onClose={() => setFile(null)} />}
    </DropArea>
  );
}
