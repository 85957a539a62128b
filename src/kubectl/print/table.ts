import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";

/** A table as the API server sends it, of either version of its API. */
export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface TableColumn {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: ReadonlyJsonMap;
}

/** The table that an object is; undefined for all other objects. */
export function asTable(object: ReadonlyJsonMap): Table | undefined {
  const { kind, apiVersion, columnDefinitions, rows } = object;
  if (kind !== "Table") return undefined;
  if (apiVersion !== "meta.k8s.io/v1" && apiVersion !== "meta.k8s.io/v1beta1") return undefined;
  return {
    columnDefinitions: Array.isArray(columnDefinitions) ? columnDefinitions : [],
    rows: Array.isArray(rows) ? rows.filter(isMap).map(rowOf) : [],
  };
}

function rowOf({ cells, object }: ReadonlyJsonMap): TableRow {
  const list: readonly unknown[] = Array.isArray(cells) ? cells : [];
  return isMap(object) ? { cells: list, object } : { cells: list };
}
