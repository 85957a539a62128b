import type { Flag, Flags } from "../../cli/flag.ts";
import { nearest } from "../../cli/nearest.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { readGiven } from "../../platform/given-files.ts";
import { isMap, isNull } from "../../schema/json/json-value.ts";
import { quote } from "../../schema/values/quote.ts";
import { YamlError, yamlLine, yamlToJson } from "../../schema/yaml/yaml.ts";

export const configKind = "ApiServerConfiguration";
export const configVersion = "wherry.dev/v1alpha1";

/** The values of flags in a file, by name. */
export type FileValues = ReadonlyMap<string, unknown>;

/** Reads flags from a file; throws a UsageError with all problems and their lines. */
export async function readConfigFile(path: string, flags: Flags): Promise<FileValues> {
  const text = await readGiven({ flag: "config", path });
  return parseConfigFile(text, { path, flags });
}

/** Reads flags from the text of a file. */
export function parseConfigFile(
  text: string,
  { path, flags }: { readonly path: string; readonly flags: Flags },
): FileValues {
  const document = parse(text, path);
  const problems: string[] = [];
  const report = (keys: readonly string[], problem: string) =>
    problems.push(`${path}:${yamlLine(text, keys) ?? 1}: ${problem}`);
  if (document.kind !== configKind || document.apiVersion !== configVersion)
    report(
      Object.hasOwn(document, "kind") ? ["kind"] : [],
      `this is not a configuration: it must have kind: ${configKind} and apiVersion: ${configVersion}`,
    );
  for (const key of Object.keys(document))
    if (!members.includes(key)) report([key], unknown("key", key, members));
  const given = document.flags ?? {};
  if (!isMap(given)) report(["flags"], "flags must be a map from names of flags to their values");
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(isMap(given) ? given : {}))
    try {
      const { name, flag } = flagOf(key, flags);
      if (values.has(name)) throw new Error(`flag ${name} is given twice`);
      values.set(name, readValue(name, flag, value));
    } catch (error) {
      report(["flags", key], (error as Error).message);
    }
  if (problems.length > 0) throw new UsageError(problems);
  return values;
}

function flagOf(key: string, flags: Flags): { readonly name: string; readonly flag: Flag } {
  const name = key.replaceAll("_", "-");
  const flag = Object.hasOwn(flags, name) && !notInFiles.includes(name) ? flags[name] : undefined;
  if (flag === undefined) throw new Error(unknown("flag", key, Object.keys(flags)));
  return { name, flag };
}

const members = ["apiVersion", "kind", "flags"];
/** Flags that are only for the command line. */
const notInFiles = ["config", "help", "version"];

function parse(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = yamlToJson(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UsageError(`${path} cannot be read as YAML: ${error.message}`);
  }
  if (!isMap(value)) throw new UsageError(`${path} does not hold a configuration`);
  return value;
}

function unknown(what: string, name: string, candidates: readonly string[]): string {
  const near = nearest(
    name.replaceAll("_", "-"),
    candidates.filter((candidate) => !notInFiles.includes(candidate)),
  );
  return `unknown ${what} ${quote(name)}${near === undefined ? "" : `: did you mean ${near}?`}`;
}

/** Reads a scalar as one occurrence of the flag, and a list as one for each item. */
function readValue(name: string, flag: Flag, value: unknown): unknown {
  const takesMany = Array.isArray(flag.default) || flag.default instanceof Map;
  if (Array.isArray(value) && !takesMany)
    throw new Error(`flag ${name} takes one value, not a list`);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  let result: unknown = Array.isArray(value) && value.length === 0 ? emptied(flag) : undefined;
  for (const item of items) {
    if (isNull(item)) throw new Error(`flag ${name} has no value: add one, or remove the flag`);
    if (typeof item === "object")
      throw new Error(`flag ${name} must be a scalar or a list of scalars`);
    result = read(name, flag, { text: String(item), before: result });
  }
  return result;
}

const emptied = (flag: Flag): unknown => (flag.default instanceof Map ? new Map() : []);

function read(
  name: string,
  flag: Flag,
  { text, before }: { readonly text: string; readonly before: unknown },
): unknown {
  try {
    return flag.read(text, before);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`invalid argument ${quote(text)} for ${quote(`--${name}`)} flag: ${reason}`);
  }
}
