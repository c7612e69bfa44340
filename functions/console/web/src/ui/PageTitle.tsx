import { type ReactNode, useEffect, useRef } from "react";
import { takeFocus } from "../router/history";

interface PageTitleProps {
  title: string;
  /** The title of the document, if the heading alone says too little. */
  documentTitle?: string;
  above?: ReactNode;
  children?: ReactNode;
}

/** The heading of a screen, and its actions. After a navigation it has the focus. */
export function PageTitle({ title, documentTitle, above, children }: PageTitleProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${documentTitle ?? title} · Atelier`;
  }, [title, documentTitle]);
  useEffect(() => {
    if (takeFocus()) ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="page-title">
      {above}
      <div className="page-title-line">
        <h1 ref={ref} tabIndex={-1}>{title}</h1>
        {children && <div className="actions">{children}</div>}
      </div>
    </div>
  );
}
