import { isValidLabelValue } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { joinedErrors } from "../../program/command-error.ts";

/** Labels or annotations to set and to remove. */
export interface MetadataChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Reads `key=value` and `key-`. */
export function parseLabelChanges(pairs: readonly string[]): MetadataChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    if (!pair.includes("=")) {
      remove.push(pair.slice(0, -1));
      continue;
    }
    const [key = "", value = "", ...more] = pair.split("=");
    if (more.length > 0) throw new Error(`invalid label spec: ${pair}`);
    const faults = isValidLabelValue(value);
    if (faults.length > 0)
      throw new Error(`invalid label value: ${quote(pair)}: ${faults.join(";")}`);
    set.set(key, value);
  }
  if (remove.some((key) => set.has(key)))
    throw new Error("can not both modify and remove a label in the same command");
  return { set, remove };
}

export interface LabelResult {
  readonly labels: Labels;
  readonly isChanged: boolean;
  /** What was done, as it is printed. */
  readonly operation: string;
}

/** Changes labels; throws for those that exist with another value unless they may be overwritten. */
export function changeLabels(
  before: Labels,
  { set, remove }: MetadataChanges,
  overwrite: boolean,
): LabelResult {
  if (!overwrite) {
    const errors = [...set].flatMap(([key, value]) => {
      const current = before[key];
      return current === undefined || current === value
        ? []
        : [new Error(`'${key}' already has a value (${current}), and --overwrite is false`)];
    });
    const error = joinedErrors(errors);
    if (error) throw error;
  }
  const added = [...set].filter(([key, value]) => before[key] !== value);
  const removed = remove.filter((key) => before[key] !== undefined);
  const labels = { ...before, ...Object.fromEntries(set) };
  for (const key of removed) delete labels[key];
  const isChanged = added.length > 0 || removed.length > 0;
  return { labels, isChanged, operation: operationOf(added.length > 0, removed.length > 0) };
}

function operationOf(isAdded: boolean, isRemoved: boolean): string {
  if (isAdded) return isRemoved ? "modified" : "labeled";
  return isRemoved ? "unlabeled" : "not labeled";
}
