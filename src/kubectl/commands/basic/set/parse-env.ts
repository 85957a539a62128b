import { isEnvVarName } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { EnvVariable } from "./pod-spec.ts";

/** Splits arguments into resources, which come first, and changes: `KEY=value` or `KEY-`. */
export function resourcesAndEnv(args: readonly string[]): {
  readonly resources: readonly string[];
  readonly changes: readonly string[];
} {
  const isChange = (arg: string): boolean => /^(?:.+)=/s.test(arg) || arg.endsWith("-");
  const first = args.findIndex(isChange);
  if (first < 0) return { resources: args, changes: [] };
  const changes = args.slice(first);
  if (!changes.every(isChange))
    throw new Error(
      `all resources must be specified before environment changes: ${args.join(" ")}`,
    );
  return { resources: args.slice(0, first), changes };
}

/** Variables to set and to remove. */
export interface EnvChanges {
  readonly set: readonly EnvVariable[];
  readonly remove: readonly string[];
  /** Whether variables were read from standard input. */
  readonly usesStdin: boolean;
}

/** Reads `KEY=value`, `KEY-`, and `-`, which stands for the lines of standard input. */
export async function parseEnv(
  specs: readonly string[],
  readStdin: () => Promise<string>,
): Promise<EnvChanges> {
  const set: EnvVariable[] = [];
  const named = new Set<string>();
  const remove: string[] = [];
  let usesStdin = false;
  for (const spec of specs) {
    if (spec === "-") {
      set.push(...linesOf(usesStdin ? "" : await readStdin()));
      usesStdin = true;
    } else if (spec.includes("=")) {
      const variable = variableOf(spec);
      const faults = isEnvVarName(variable.name);
      if (faults.length > 0)
        throw new Error(`${quote(variable.name)} is not a valid key name: ${faults.join(";")}`);
      named.add(variable.name);
      set.push(variable);
    } else if (spec.endsWith("-")) remove.push(spec.slice(0, -1));
    else throw new Error(`unknown environment variable: ${spec}`);
  }
  if (remove.some((name) => named.has(name)))
    throw new Error(
      "can not both modify and remove the same environment variable in the same command",
    );
  return { set, remove, usesStdin };
}

function variableOf(spec: string): EnvVariable {
  const at = spec.indexOf("=");
  return { name: spec.slice(0, at), value: spec.slice(at + 1) };
}

/** Lines without an equals sign are left out, as is all after a hash sign. */
function linesOf(text: string): readonly EnvVariable[] {
  return text
    .split("\n")
    .map((line) => line.replace(/\r$/, "").replace(/#.*$/s, ""))
    .filter((line) => line.includes("="))
    .map(variableOf);
}

/** The variables of a container after changes; a variable that is set keeps its place. */
export function changedEnv(
  existing: readonly EnvVariable[],
  { set, remove }: Pick<EnvChanges, "set" | "remove">,
): readonly EnvVariable[] {
  const covered = new Set(remove);
  const after: EnvVariable[] = [];
  for (const variable of existing) {
    if (covered.has(variable.name)) continue;
    const newer = set.find(({ name }) => name === variable.name);
    if (newer) covered.add(newer.name);
    after.push(newer ?? variable);
  }
  for (const variable of set) {
    if (covered.has(variable.name)) continue;
    covered.add(variable.name);
    after.push(variable);
  }
  return after;
}
