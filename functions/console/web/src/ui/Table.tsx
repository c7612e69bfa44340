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

/** A table. On narrow screens each row becomes a card; the first column is its heading. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table className="table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" className={column.numeric ? "numeric" : undefined}>
              {column.silent ? <span className="sr-only">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column, index) => {
              const Cell = index === 0 ? "th" : "td";
              return (
                <Cell
                  key={column.title}
                  scope={index === 0 ? "row" : undefined}
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
