import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { goJson } from "../../../schema/json/go-json.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { sortedObject } from "../../sorted-object.ts";
import type { DryRun } from "./dry-run.ts";

/** The flags of commands that print objects. */
export const outputFlags = {
  output: stringFlag({
    short: "o",
    usage:
      "Output format. One of: (json, yaml, kyaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file).",
  }),
  template: stringFlag({
    usage:
      "Template string or path to template file to use when -o=go-template, -o=go-template-file.",
  }),
  "allow-missing-template-keys": boolFlag({
    default: true,
    usage: "If true, ignore any errors in templates when a field or map key is missing.",
  }),
  "show-managed-fields": boolFlag({
    usage: "If true, keep the managedFields when printing objects in JSON or YAML format.",
  }),
};

export interface OutputOptions {
  /** What was done, in the past tense, for the output without a format: `pod/web created`. */
  readonly operation?: string;
  readonly dryRun?: DryRun;
  /** Whether JSON keeps the order of keys, as for objects that the command has made itself. */
  readonly keepsOrder?: boolean;
}

/** Prints one object; see `objectPrinter`. */
export type PrintObject = (object: DynamicObject) => void;

/** The printer that the output flags name; without a format it says what was done. */
export function objectPrinter(
  context: Pick<CommandContext, "flags" | "io">,
  { operation = "", dryRun = "none", keepsOrder = false }: OutputOptions = {},
): PrintObject {
  const { stdout } = context.io;
  const format = String((context.flags as Readonly<Record<string, unknown>>).output ?? "");
  const suffix =
    dryRun === "client" ? " (dry run)" : dryRun === "server" ? " (server dry run)" : "";
  let count = 0;
  return (object) => {
    const shown = keepsOrder ? object : sortedObject(object);
    const { kind, apiVersion, metadata } = object;
    const [, group = ""] = /^(.*)\//.exec(apiVersion) ?? [];
    const type = `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`;
    if (format === "json") stdout.write(`${goJson(shown, 4)}\n`);
    else if (format === "yaml") stdout.write(`${count++ > 0 ? "---\n" : ""}${toYaml(shown)}`);
    else if (format === "name") stdout.write(`${type}/${metadata.name}\n`);
    else stdout.write(`${type}/${metadata.name} ${operation}${suffix}\n`);
  };
}
