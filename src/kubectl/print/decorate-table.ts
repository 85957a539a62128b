import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { goString, goText } from "../../schema/values/go-print.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { Table, TableColumn, TableRow } from "./table.ts";
import type { TableOptions } from "./table-printer.ts";

type Decorations = Omit<TableOptions, "now">;

/** Adds columns for the namespace and for labels, and the kind before names. */
export function decorateTable(table: Table, options: Decorations): Table {
  const columnDefinitions = decoratedColumns(table.columnDefinitions, options);
  const nameColumn = options.kind?.kind
    ? table.columnDefinitions.findIndex(
        ({ format, type }) => format === "name" && type === "string",
      )
    : -1;
  const rows = table.rows.map((row) => {
    const prefix = kindPrefix(options.kind);
    const cells = row.cells.map((cell, i) =>
      i === nameColumn ? `${prefix}${goText(cell)}` : cell,
    );
    return decoratedRow({ ...row, cells }, columnDefinitions.length, options);
  });
  return { columnDefinitions, rows };
}

/** `pod/` or `deployment.apps/`; empty without a kind. */
export function kindPrefix(kind: TableOptions["kind"]): string {
  if (!kind?.kind) return "";
  return `${(kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`).toLowerCase()}/`;
}

/** The headers of columns of labels: their names without what is before the slash. */
export const labelHeaders = (labels: readonly string[]): string[] =>
  labels.map((label) => label.slice(label.lastIndexOf("/") + 1).toUpperCase());

export function labelsOf(object: ReadonlyJsonMap): ReadonlyMap<string, string> {
  const { labels } = isMap(object.metadata) ? object.metadata : {};
  const members = isMap(labels) ? Object.entries(labels) : [];
  return new Map(members.map(([name, value]) => [name, goString(value)]));
}

export function formatLabels(labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return "<none>";
  return [...labels]
    .map(([name, value]) => `${name}=${value}`)
    .sort(compareUtf8)
    .join(",");
}

function decoratedColumns(
  columns: readonly TableColumn[],
  { withNamespace, columnLabels = [], showLabels }: Decorations,
): readonly TableColumn[] {
  return [
    ...(withNamespace ? [{ name: "Namespace", type: "string" }] : []),
    ...columns,
    ...labelHeaders(columnLabels).map((name) => ({ name, type: "string" })),
    ...(showLabels ? [{ name: "Labels", type: "string" }] : []),
  ];
}

function decoratedRow(
  { cells, object }: TableRow,
  width: number,
  { withNamespace, columnLabels = [], showLabels }: Decorations,
): TableRow {
  if (!object) {
    const given = withNamespace ? [null, ...cells] : cells;
    if (!withNamespace && columnLabels.length === 0 && !showLabels) return { cells: given };
    // Upstream counts up while the row grows, and so adds half of the cells that are missing.
    const missing = Math.max(0, Math.ceil((width - given.length) / 2));
    return { cells: [...given, ...new Array<null>(missing).fill(null)] };
  }
  const { namespace } = isMap(object.metadata) ? object.metadata : {};
  const labels = labelsOf(object);
  return {
    object,
    cells: [
      ...(withNamespace ? [goString(namespace ?? "")] : []),
      ...cells,
      ...columnLabels.map((label) => labels.get(label) ?? ""),
      ...(showLabels ? [formatLabels(labels)] : []),
    ],
  };
}
