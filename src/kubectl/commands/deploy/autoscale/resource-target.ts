import { goFloat } from "../../../../schema/values/go-print.ts";
import { canonicalQuantity } from "../../../../schema/values/quantity.ts";

/** What an autoscaler aims at: a share of what pods request, or an amount. */
export type ResourceTarget =
  | { readonly type: "Utilization"; readonly averageUtilization: number }
  | { readonly type: "AverageValue"; readonly averageValue: string };

const units = { cpu: "m", memory: "Mi" } as const;

/** Reads `70%`, `500m`, or a number without a unit. */
export function resourceTarget(resource: keyof typeof units, text: string): ResourceTarget {
  const input = text.trim();
  if (input === "") throw new Error("empty input");
  if (input.endsWith("%")) {
    const percent = input.slice(0, -1);
    const value = /^[-+]?\d+$/.test(percent) ? Number(percent) : Number.NaN;
    if (!(value >= 0 && value < 2 ** 31)) throw new Error(`invalid percentage value: ${percent}`);
    return { type: "Utilization", averageUtilization: value };
  }
  const number = floatText(input);
  if (number !== undefined)
    return { type: "AverageValue", averageValue: canonicalQuantity(number + units[resource]) };
  try {
    return { type: "AverageValue", averageValue: canonicalQuantity(input) };
  } catch (error) {
    throw new Error(`invalid resource ${resource} value: ${input}`, { cause: error });
  }
}

/** A number as Go reads and prints it; undefined for what is none. */
function floatText(text: string): string | undefined {
  if (/^[-+]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? "-Inf" : "+Inf";
  if (/^nan$/i.test(text)) return "NaN";
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? goFloat(value) : undefined;
}
