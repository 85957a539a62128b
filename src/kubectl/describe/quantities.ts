import { canonicalQuantity } from "../../schema/values/quantity.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";
import type { Description } from "./description.ts";

type Amounts = Readonly<Record<string, string | number>> | undefined;

/** An amount as it is written; zero if there is none. */
export const quantityText = (amount: string | number | null | undefined): string =>
  amount === undefined || amount === null ? "0" : canonicalQuantity(`${amount}`);

/** The amount of a resource in a list. */
export const amountOf = (amounts: Amounts, name: string): string | number | undefined =>
  amounts && Object.hasOwn(amounts, name) ? amounts[name] : undefined;

/** The amounts of a list in the order of their names. */
export function amountLines(d: Description, amounts: Amounts, level: number): void {
  for (const name of sortedKeys(amounts ?? {})) d.field(name, quantityText(amounts?.[name]), level);
}
