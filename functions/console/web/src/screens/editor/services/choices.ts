import type { Dictionary } from "../../../i18n";
import type { Choice, ChoiceGroup } from "../Picker";
import type { ServiceSummary } from "./queries";

/** What a person has picked: a service, or one of its operations. */
export interface Picked {
  service: ServiceSummary;
  /** The id of the operation. */
  operation: string | null;
}

/** No node type has a slash in its name. */
const keyOf = (service: ServiceSummary, operation = "") => `${service.id}/${operation}`;

export function findPicked(services: readonly ServiceSummary[], key: string): Picked | null {
  const [id, operation] = key.split("/");
  const service = services.find((service) => service.id === id);
  if (service === undefined) return null;
  return { service, operation: operation || null };
}

/** The services by their first category. A search also finds their operations. */
export function serviceGroups(services: readonly ServiceSummary[], texts: Dictionary["editor"]["services"]): ChoiceGroup[] {
  const groups = new Map<string, Choice[]>();
  for (const service of services) {
    const [category] = service.categories;
    const title = texts.group(category === undefined ? "" : texts.categories[category]);
    const operations = service.operations.map((operation) => ({
      key: keyOf(service, operation.id),
      name: `${service.name}: ${operation.name}`,
      text: operation.description,
      category: "integration" as const,
      isDeep: true,
    }));
    const text = `${service.description} ${texts.operationCount(service.operations.length)}`;
    const choices = [{ key: keyOf(service), name: service.name, text, category: "integration" as const }, ...operations];
    groups.set(title, [...(groups.get(title) ?? []), ...choices]);
  }
  return [...groups].map(([title, choices]) => ({ title, choices })).sort((a, b) => a.title.localeCompare(b.title));
}

export function operationGroups(service: ServiceSummary): ChoiceGroup[] {
  const choices = service.operations.map((operation) => ({
    key: keyOf(service, operation.id),
    name: operation.name,
    text: operation.description,
    category: "integration" as const,
  }));
  return [{ title: service.name, choices }];
}
