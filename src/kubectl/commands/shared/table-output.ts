import type { Values } from "../../../cli/flag.ts";
import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import { tablePrinter, type tablePrintFlags } from "../../print/print-flags.ts";
import type { Printer } from "../../print/printer.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { fileReader } from "./object-output.ts";

type TableFlags = Partial<Values<typeof tablePrintFlags>> & { readonly output: string };

export interface TableOutputOptions {
  readonly withNamespace?: boolean;
  /** The kind that stands before names; `--show-kind` shows it, too. */
  readonly kind?: Pick<DiscoveredKind, "kind" | "group"> | undefined;
  readonly withKind?: boolean;
}

/** Whether the output is made for people: a table, wide or not. */
export const printsTable = ({ output, template = "" }: TableFlags): boolean =>
  (output === "" && template === "") || output === "wide";

/** The printer of a command that prints tables, as its flags say. */
export function tableOutput(
  context: Pick<CommandContext, "flags" | "env" | "cwd" | "factory">,
  { withNamespace = false, kind, withKind = false }: TableOutputOptions = {},
): Printer {
  const { env, cwd, factory } = context;
  const flags = context.flags as TableFlags;
  const showsKind = withKind || flags["show-kind"] === true;
  return tablePrinter({
    output: flags.output,
    template: flags.template ?? "",
    allowMissingTemplateKeys: flags["allow-missing-template-keys"] ?? true,
    showManagedFields: flags["show-managed-fields"] ?? false,
    kyaml: env.KUBECTL_KYAML?.toLowerCase() !== "false",
    readFile: fileReader(cwd),
    noHeaders: flags["no-headers"] ?? false,
    withNamespace,
    showLabels: flags["show-labels"] ?? false,
    columnLabels: flags["label-columns"] ?? [],
    ...(kind && showsKind && { kind: { kind: kind.kind, group: kind.group } }),
    now: () => factory.clock.now(),
  });
}
