import { useState } from "react";
import type { Template, TemplateCategory } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Loaded } from "../../ui/Loaded";
import { SearchField } from "../../ui/SearchField";
import { Select } from "../../ui/Select";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { useInstantiate, useTemplates } from "./queries";
import { TemplatePicture } from "./TemplatePicture";

const categories = [
  "support", "knowledge", "sales", "documents", "content", "analysis", "operations",
] as const satisfies readonly TemplateCategory[];

/** The templates. One click creates a workflow from one. */
export function TemplatesDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const [search, setSearch] = useState("");
  const [category, setCategory] = useState<TemplateCategory | "">("");
  const templates = useTemplates(search, category, language);
  const instantiate = useInstantiate();
  const use = (template: Template) =>
    whenDone(instantiate.mutateAsync(template.id), ({ data }, isShown) => {
      toast(t.workflows.created(data.name));
      if (isShown) replaceQuery({ new: "", search: "", state: "", ownership: "", sort: "", order: "" });
    });
  return (
    <Dialog title={t.workflows.fromTemplate} onClose={onClose} wide>
      <div className="filters dialog-filters">
        <SearchField value={search} onSearch={setSearch} />
        <Select
          label={t.templates.category}
          value={category}
          options={[["", t.all], ...categories.map((name) => [name, t.templates.categories[name]] as const)]}
          onChange={setCategory}
        />
      </div>
      {instantiate.error && <ErrorState error={instantiate.error} />}
      <Loaded query={templates} lines={6}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title={t.templates.empty} />
          ) : (
            <ul className="panel rows templates">
              {data.map((template) => (
                <li key={template.id}>
                  <TemplatePicture id={template.id} />
                  <div className="main">
                    <p className="name">{template.name}</p>
                    <p className="sub">{template.description}</p>
                    <p className="sub tags">
                      {t.templates.categories[template.category]} · {template.tags.join(", ")}
                    </p>
                  </div>
                  <Button
                    aria-label={t.templates.useNamed(template.name)}
                    busy={instantiate.isPending}
                    onClick={() => use(template)}
                  >
                    {t.templates.use}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
