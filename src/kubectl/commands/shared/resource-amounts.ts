import { canonicalQuantity } from "../../../schema/values/quantity.ts";

/** Reads amounts of resources, `cpu=1,memory=2Gi`; undefined for an empty text. */
export function resourceAmounts(text: string): Readonly<Record<string, string>> | undefined {
  if (text === "") return undefined;
  return Object.fromEntries(
    text.split(",").map((statement) => {
      const [resource = "", amount, ...more] = statement.split("=");
      if (amount === undefined || more.length > 0)
        throw new Error(`Invalid argument syntax ${statement}, expected <resource>=<value>`);
      return [resource, canonicalQuantity(amount)];
    }),
  );
}
