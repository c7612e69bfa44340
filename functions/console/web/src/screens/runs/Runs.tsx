import { useWorkflow } from "../../api/workflow";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { PageTitle } from "../../ui/PageTitle";
import { readFilters } from "./filters";
import { RunFilterFields } from "./RunFilterFields";
import { RunsList } from "./RunsList";

/** The runs of all workflows, or of one. */
export function Runs({ query }: { query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query);
  const name = useWorkflow(filters.workflow).data?.name;
  const title = name === undefined ? t.runs.title : t.runs.ofWorkflow(name);
  const above = filters.workflow && <Link to="runs" className="crumb">← {t.runs.allWorkflows}</Link>;
  return (
    <>
      <PageTitle title={title} above={above} />
      <RunFilterFields filters={filters} />
      <RunsList filters={filters} name={name}>
        <p>{t.runs.noneText}</p>
        <Link to="workflows" className="button">{t.nav.workflows}</Link>
      </RunsList>
    </>
  );
}
