import type { Output } from "../../cli/command.ts";
import { isMap, type ReadonlyJsonMap, sameJson } from "../../schema/json/json-value.ts";
import { goString } from "../../schema/values/go-print.ts";
import { humanDuration, millisOf, parseTime } from "../../schema/values/time.ts";
import {
  decorateTable,
  formatLabels,
  kindPrefix,
  labelHeaders,
  labelsOf,
} from "./decorate-table.ts";
import { itemsOf, type Printer, WatchEvent } from "./printer.ts";
import { TabWriter } from "./tab-writer.ts";
import { asTable, type Table, type TableColumn } from "./table.ts";
import { terminalText } from "./terminal-text.ts";

export interface TableOptions {
  readonly noHeaders?: boolean;
  /** Whether columns are printed that are for wide output only. */
  readonly wide?: boolean;
  readonly withNamespace?: boolean;
  readonly showLabels?: boolean;
  /** Labels that get a column of their own. */
  readonly columnLabels?: readonly string[];
  /** The kind and the group that stand before names, `pod` or `deployment.apps`. */
  readonly kind?: { readonly kind: string; readonly group: string };
  /** Milliseconds since 1970, for the age of objects that come without a table. */
  now(): number;
}

/** Prints tables as the API server sends them; of other objects, names and ages. */
export class TablePrinter implements Printer {
  readonly #options: TableOptions;
  #lastColumns: readonly TableColumn[] = [];
  #printedHeaders = false;
  #printedObjects = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (!(out instanceof TabWriter)) {
      const writer = new TabWriter(out);
      this.print(printed, writer);
      writer.flush();
      return;
    }
    const event = printed instanceof WatchEvent ? printed.type : undefined;
    const object = printed instanceof WatchEvent ? printed.object : printed;
    const table = asTable(object);
    out.write(table ? this.#table(table, event) : this.#objects(object, event));
  }

  #table(table: Table, event: string | undefined): string {
    const { columnDefinitions, rows } = table;
    const isSame = columnDefinitions.length === 0 || sameJson(columnDefinitions, this.#lastColumns);
    const noHeaders = this.#options.noHeaders === true || (this.#printedHeaders && isSame);
    if (!isSame) {
      this.#lastColumns = columnDefinitions;
      this.#printedHeaders = false;
    }
    if (rows.length > 0) this.#printedHeaders = true;
    const columns = columnDefinitions.length === 0 ? this.#lastColumns : columnDefinitions;
    const decorated = decorateTable({ columnDefinitions: columns, rows }, this.#options);
    return tableText(event === undefined ? decorated : withEvent(decorated, event), {
      noHeaders,
      wide: this.#options.wide === true,
    });
  }

  /** Objects without a table: a server that knows no tables, or a part of an object. */
  #objects(object: ReadonlyJsonMap, event: string | undefined): string {
    const { noHeaders, withNamespace, columnLabels = [], showLabels } = this.#options;
    const headers = [
      ...(event === undefined ? [] : ["EVENT"]),
      ...(withNamespace ? ["NAMESPACE"] : []),
      "NAME",
      "AGE",
      ...labelHeaders(columnLabels),
      ...(showLabels ? ["LABELS"] : []),
    ];
    const head = noHeaders || this.#printedObjects ? "" : `${headers.join("\t")}\n`;
    this.#printedObjects = true;
    return head + (itemsOf(object) ?? [object]).map((item) => this.#row(item, event)).join("");
  }

  #row(object: ReadonlyJsonMap, event: string | undefined): string {
    const { withNamespace, columnLabels = [], showLabels, kind, now } = this.#options;
    const { name, namespace, creationTimestamp } = isMap(object.metadata) ? object.metadata : {};
    const labels = labelsOf(object);
    const cells = [
      ...(event === undefined ? [] : [paddedEvent(event)]),
      ...(withNamespace ? [goString(namespace ?? "")] : []),
      `${kindPrefix(kind)}${goString(name ?? "")}`,
      age(creationTimestamp, now()),
      ...columnLabels.map((label) => labels.get(label) ?? ""),
      ...(showLabels ? [formatLabels(labels)] : []),
    ];
    return `${cells.join("\t")}\n`;
  }
}

function age(created: unknown, now: number): string {
  if (typeof created !== "string" || created === "") return "<unknown>";
  return humanDuration(now - millisOf(parseTime(created)));
}

function withEvent({ columnDefinitions, rows }: Table, event: string): Table {
  return {
    columnDefinitions: [{ name: "Event", type: "string" }, ...columnDefinitions],
    rows: rows.map((row) => ({ ...row, cells: [paddedEvent(event), ...row.cells] })),
  };
}

/** Types of events are as wide as the longest, so that the columns stay where they are. */
const paddedEvent = (event: string): string =>
  ["ADDED", "MODIFIED", "DELETED", "ERROR"].includes(event) ? event.padEnd(8) : event;

function tableText(
  { columnDefinitions, rows }: Table,
  { noHeaders, wide }: { readonly noHeaders: boolean; readonly wide: boolean },
): string {
  if (!noHeaders && rows.length === 0) return "";
  const isShown = (column: TableColumn | undefined) =>
    column !== undefined && (wide || (column.priority ?? 0) === 0);
  const lines = rows.map(({ cells }) =>
    cells.filter((_, i) => isShown(columnDefinitions[i])).map(cellText),
  );
  if (!noHeaders)
    lines.unshift(columnDefinitions.filter(isShown).map(({ name }) => name.toUpperCase()));
  return lines.map((cells) => `${cells.join("\t")}\n`).join("");
}

/** A cell in one line: what follows a line break is left out. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return terminalText(goString(value));
  const end = value.search(/[\f\n\r]/);
  return end < 0 ? terminalText(value) : `${terminalText(value.slice(0, end))}...`;
}
