import type { WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Select } from "../../ui/Select";
import { readFilters } from "../runs/filters";
import { RunFilterFields } from "../runs/RunFilterFields";
import { RunsList } from "../runs/RunsList";
import { useAllReleases } from "./queries";

/** The runs of the workflow, newest first. */
export function Runs({ workflow, query }: { workflow: WorkflowDetail; query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = { ...readFilters(query), workflow: workflow.id };
  const releases = useAllReleases(workflow.id).data ?? [];
  const options = releases.map(({ id, number }) => [id, t.runs.release(number)] as const);
  // The filter stays visible although the release is not known.
  const isListed = filters.release === "" || options.some(([id]) => id === filters.release);
  const release = (
    <Select
      label={t.workflows.release}
      value={filters.release}
      options={[["", t.workflow.allReleases], ...options, ...(isListed ? [] : [[filters.release, filters.release] as const])]}
      onChange={(release) => replaceQuery({ release })}
    />
  );
  return (
    <>
      <RunFilterFields filters={filters} release={release} />
      <RunsList filters={filters} name={workflow.name}>
        <p>{workflow.activeRelease === null ? t.workflow.publishFirst : t.runs.noneText}</p>
      </RunsList>
    </>
  );
}
