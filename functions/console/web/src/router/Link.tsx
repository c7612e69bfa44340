import type { AnchorHTMLAttributes } from "react";
import { hrefOf, type Target } from "./routes";

type LinkProps = Target & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">;

export function Link({ to, params, query, ...rest }: LinkProps) {
  return <a {...rest} href={hrefOf({ to, params, query } as Target)} />;
}
