import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n";
import { SpanRow, type TraceView } from "./SpanRow";
import { keyOf, type Row } from "./timeline";

/** Rows are drawn in blocks of this many. Those that are far from what is visible leave an empty space. */
const BLOCK = 50;
const NEAR = "900px 0px";
/** The height of a row on a wide screen, until it has been measured. */
const ROW = 47;

export function Rows({ rows, view }: { rows: readonly Row[]; view: TraceView }) {
  if (rows.length <= 2 * BLOCK) return <ul><Steps rows={rows} view={view} /></ul>;
  const blocks = Math.ceil(rows.length / BLOCK);
  return Array.from({ length: blocks }, (_, index) => (
    <Block key={index} rows={rows.slice(index * BLOCK, (index + 1) * BLOCK)} first={index * BLOCK} view={view} />
  ));
}

function Block({ rows, first, view }: { rows: readonly Row[]; first: number; view: TraceView }) {
  const { t, format } = useTexts();
  const ref = useRef<HTMLUListElement>(null);
  const height = useRef(0);
  const [isNear, setIsNear] = useState(first < 2 * BLOCK);
  useEffect(() => {
    const list = ref.current;
    if (list === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return;
        if (!entry.isIntersecting && list.childElementCount > 0) {
          // What has the focus stays.
          if (list.contains(document.activeElement)) return;
          height.current = list.offsetHeight;
        }
        setIsNear(entry.isIntersecting);
      },
      { rootMargin: NEAR },
    );
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  return (
    <ul
      ref={ref}
      aria-hidden={isNear ? undefined : true}
      aria-label={t.run.rows(format.number(first + 1), format.number(first + rows.length))}
      style={isNear ? undefined : { height: height.current || rows.length * ROW }}
    >
      {isNear && <Steps rows={rows} view={view} />}
    </ul>
  );
}

function Steps({ rows, view }: { rows: readonly Row[]; view: TraceView }) {
  return rows.map(({ span, depth }, index) => <SpanRow key={`${keyOf(span)}#${index}`} span={span} depth={depth} view={view} />);
}
