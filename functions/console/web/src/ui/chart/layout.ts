import { useLayoutEffect, useRef, useState } from "react";

/** The room for the name of a day. */
const LABEL_WIDTH = 76;

/** A line through the values. It is interrupted where there are none. */
export function linePath(values: readonly (number | null)[], xOf: (index: number) => number, yOf: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return "";
      const before = values[index - 1];
      return `${before === undefined || before === null ? "M" : "L"}${xOf(index).toFixed(1)} ${yOf(value).toFixed(1)}`;
    })
    .join("");
}

/** The days that have a label: the first, the last, and as many between them as there is room for. */
export function findLabels(count: number, width: number): number[] {
  if (count <= 1) return count === 1 ? [0] : [];
  const steps = Math.max(1, Math.min(count - 1, Math.floor(width / LABEL_WIDTH) - 1));
  return Array.from({ length: steps + 1 }, (_, step) => Math.round((step * (count - 1)) / steps));
}

/** The width of an element, so that texts in a picture keep their size. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}
