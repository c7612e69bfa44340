/** Whether a field is another one or a part of it, such as `to[0]` and `to`. */
export const isWithin = (field: string, other: string) =>
  field === other || (field.startsWith(other) && /[.[]/.test(field.charAt(other.length)));

/** Focuses the control of a field, or that of the nearest field around it. */
export function focusField(body: HTMLElement | null, field: string) {
  const fields = [...(body?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
  const nearest = fields
    .filter(({ dataset: { field: known = "" } }) => isWithin(field, known))
    .sort((a, b) => (b.dataset["field"]?.length ?? 0) - (a.dataset["field"]?.length ?? 0))[0];
  if (nearest === undefined) return;
  nearest.closest("details")?.setAttribute("open", "");
  nearest.focus();
  nearest.scrollIntoView({ block: "center" });
}
