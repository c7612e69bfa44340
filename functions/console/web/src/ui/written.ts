/** Fields of text. What is typed into a search, a filter or a choice is not work that could be lost. */
const FIELDS =
  "textarea, [contenteditable=true], input:not([type=search], [type=checkbox], [type=radio], [type=file], [type=range], [type=color], [role=combobox])";
const EXCEPT = ".filters, .menu";

/** What was in a field when the person first came to it. */
const before = new WeakMap<Element, string>();

const textOf = (field: Element) =>
  field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : (field.textContent ?? "");

document.addEventListener("focusin", ({ target }) => {
  if (target instanceof Element && target.matches(FIELDS) && !before.has(target)) before.set(target, textOf(target));
});

/** Whether a part of the page has text that the person has written and not yet sent. */
export function holdsWritten(part: ParentNode): boolean {
  return [...part.querySelectorAll(FIELDS)].some((field) => {
    const text = textOf(field);
    return before.has(field) && before.get(field) !== text && text.trim() !== "" && field.closest(EXCEPT) === null;
  });
}
