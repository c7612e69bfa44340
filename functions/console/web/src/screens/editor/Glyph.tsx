import type { Category } from "./model/types";

const paths: Record<Category, string> = {
  trigger: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
  ai: "M7 2.5 8.3 6.7 12.5 8 8.3 9.3 7 13.5 5.7 9.3 1.5 8l4.2-1.3zM12.5 1.5v3M14 3h-3",
  integration: "M5 5.5h6.5a2 2 0 0 1 2 2M8 2.5l-3 3 3 3M11 10.5H4.5a2 2 0 0 1-2-2M8 13.5l3-3-3-3",
  logic: "M3 8h3.5L10 3.5h3M6.5 8 10 12.5h3",
  data: "M6 2.5c-2 0-2 1-2 2.5s0 3-2 3c2 0 2 1.5 2 3s0 2.5 2 2.5M10 2.5c2 0 2 1 2 2.5s0 3 2 3c-2 0-2 1.5-2 3s0 2.5-2 2.5",
  people: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4",
  output: "M9.5 4.5 13 8l-3.5 3.5M13 8H6M6.5 2.5h-3v11h3",
};

export function PinIcon() {
  return <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5.5 2.5h5M6.5 2.5v4L4 9.5h8L9.5 6.5v-4M8 9.5V14" /></svg>;
}

/** The picture of a category of node types. */
export function Glyph({ category }: { category: Category | undefined }) {
  return (
    <span className="glyph" data-category={category}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d={category === undefined ? "M4 4l8 8M12 4l-8 8" : paths[category]} /></svg>
    </span>
  );
}
