/** Focuses the control of a field, or that of the nearest field around it. */
export function focusField(body: HTMLElement | null, field: string) {
  const fields = [...(body?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
  const nearest = fields
    .filter(({ dataset: { field: known = "" } }) => field === known || (field.startsWith(known) && /[.[]/.test(field.charAt(known.length))))
    .sort((a, b) => (b.dataset["field"]?.length ?? 0) - (a.dataset["field"]?.length ?? 0))[0];
  if (nearest === undefined) return;
  nearest.closest("details")?.setAttribute("open", "");
  nearest.focus();
  nearest.scrollIntoView({ block: "center" });
}
