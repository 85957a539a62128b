import { parseQuantity, quantityMilliValue, quantityValue } from "../../schema/values/quantity.ts";

type Amounts = Readonly<Record<string, string>> | undefined;

/** An amount in whole units; 0 if there is none. */
export function bytesOf(amounts: Amounts, name: string): number {
  const amount = amounts?.[name];
  return amount === undefined ? 0 : quantityValue(parseQuantity(amount));
}

/** The CPU of a list in thousandths of cores; 0 if there is none. */
export const milliCpuOf = (amounts: Amounts): number =>
  amounts?.cpu === undefined ? 0 : quantityMilliValue(parseQuantity(amounts.cpu));
