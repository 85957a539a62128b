import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { fileFault } from "../../../kubeconfig/file-fault.ts";
import { actionPrinter, actionPrintFlags } from "../../print/print-flags.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import type { DryRun } from "./dry-run.ts";

/** The flags of commands that print the objects they work on. */
export const outputFlags = actionPrintFlags();

export interface OutputOptions {
  /** What was done, in the past tense, for the output without a format: `pod/web created`. */
  readonly operation?: string;
  readonly dryRun?: DryRun;
  /** Whether JSON keeps the order of members, for objects that upstream knows as structs. */
  readonly keepsOrder?: boolean;
}

/** Prints one object; see `objectPrinter`. */
export type PrintObject = (object: DynamicObject) => void;

/** The printer that the output flags name; without a format it says what was done. */
export function objectPrinter(
  context: Pick<CommandContext, "flags" | "given" | "io" | "env" | "cwd">,
  { operation = "", dryRun = "none", keepsOrder = false }: OutputOptions = {},
): PrintObject {
  const { io, env, cwd, given } = context;
  const flags = context.flags as {
    readonly output: string;
    readonly template?: string;
    readonly "allow-missing-template-keys"?: boolean;
    readonly "show-managed-fields"?: boolean;
  };
  const printer = actionPrinter({
    output: flags.output,
    template: flags.template ?? "",
    outputGiven: given.has("output"),
    allowMissingTemplateKeys: flags["allow-missing-template-keys"] ?? true,
    showManagedFields: flags["show-managed-fields"] ?? false,
    kyaml: env.KUBECTL_KYAML?.toLowerCase() !== "false",
    operation: `${operation}${dryRunSuffix[dryRun]}`,
    keepsOrder,
    readFile: fileReader(cwd),
  });
  return (object) => printer.print(object, io.stdout);
}

/** What follows the operation in a message. */
export const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};

/** Reads files of templates; errors are in Go's words. */
export const fileReader =
  (cwd: string) =>
  (path: string): string => {
    try {
      return readFileSync(resolve(cwd, path), "utf8");
    } catch (cause) {
      throw new Error(fileFault("open", path, cause), { cause });
    }
  };
