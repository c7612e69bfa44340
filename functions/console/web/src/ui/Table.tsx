import type { ReactNode } from "react";

export interface Column<Row> {
  /** The heading. A column whose heading is only for screen readers is `silent`. */
  title: string;
  silent?: boolean;
  /** Numbers are aligned at their end. */
  numeric?: boolean;
  /** On a card, the value has a line of its own. */
  wide?: boolean;
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/**
 * A table. On narrow screens each row becomes a card; the first column is its heading. The roles are written out, because
 * browsers forget those of tables that are drawn as anything else.
 */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table className="table" role="table">
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.title} scope="col" role="columnheader" className={column.numeric ? "numeric" : undefined}>
              {column.silent ? <span className="sr-only">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map((column, index) => {
              const Cell = index === 0 ? "th" : "td";
              return (
                <Cell
                  key={column.title}
                  scope={index === 0 ? "row" : undefined}
                  role={index === 0 ? "rowheader" : "cell"}
                  data-title={column.silent ? undefined : column.title}
                  className={[column.numeric && "numeric", column.silent && "silent", column.wide && "wide"].filter(Boolean).join(" ") || undefined}
                >
                  {column.cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
