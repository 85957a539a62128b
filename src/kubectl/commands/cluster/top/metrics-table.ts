import {
  isZeroQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
} from "../../../../schema/values/quantity.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import type { Io } from "../../../program/io.ts";

/** The resources that are shown. */
export const measured = (showsSwap: boolean): readonly string[] =>
  showsSwap ? ["cpu", "memory", "swap"] : ["cpu", "memory"];

const unknown = "<unknown>";

/** A cell of a node or a pod: how much of a resource is used. */
export function usageCell(resource: string, amount: Quantity): string {
  if (resource === "cpu") return `${quantityMilliValue(amount)}m`;
  return `${Math.trunc(quantityValue(amount) / (1024 * 1024))}Mi`;
}

/** How much that is of what there is; nothing where that is not known. */
export function shareCell(amount: Quantity, available: Quantity | undefined): readonly string[] {
  if (available === undefined) return [];
  const share = isZeroQuantity(available)
    ? 0
    : (quantityMilliValue(amount) / quantityMilliValue(available)) * 100;
  return [`${Math.trunc(share)}%`];
}

/** The cells of resources that are not known. */
export const unknownCells = (count: number): readonly string[] =>
  Array.from({ length: count * 2 }, () => unknown);

/** The order of two amounts or names: more comes first, names by their letters. */
export function compareMetrics(
  a: { readonly amount: (resource: string) => Quantity; readonly name: string },
  b: { readonly amount: (resource: string) => Quantity; readonly name: string },
  sortBy: string,
): number {
  if (sortBy === "") return compareText(a.name, b.name);
  const value = sortBy === "cpu" ? quantityMilliValue : quantityValue;
  return value(b.amount(sortBy)) - value(a.amount(sortBy));
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Prints rows with aligned columns; each cell ends with a tab. */
export function printRows(rows: readonly (readonly string[])[], { stdout }: Io): void {
  const writer = new TabWriter(stdout);
  for (const row of rows) writer.write(`${row.map((cell) => `${cell}\t`).join("")}\n`);
  writer.flush();
}
