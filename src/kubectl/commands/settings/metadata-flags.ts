import { boolFlag, stringFlag, type Values } from "../../../cli/flag.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import type { Result } from "../../resource/result.ts";
import { dryRunFlags } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { allNamespacesFlags } from "../shared/namespace-flags.ts";
import { outputFlags } from "../shared/object-output.ts";
import { recordFlags } from "../shared/record.ts";
import { fieldSelectorFlags, labelSelectorFlags } from "../shared/selector-flags.ts";

/** The flags of commands that change labels or annotations. */
export const metadataFlags = (things: "labels" | "annotations", command: string) => ({
  ...recordFlags,
  ...outputFlags,
  overwrite: boolFlag({
    usage: `If true, allow ${things} to be overwritten, otherwise reject updates that overwrite existing ${things}.`,
  }),
  list: boolFlag({ usage: `If true, display the ${things} for a given resource.` }),
  local: boolFlag({
    usage: "If true, no server is called; objects come from files.",
  }),
  ...fieldSelectorFlags,
  all: boolFlag({
    usage: "Select all resources, in the namespace of the specified resource types",
  }),
  ...allNamespacesFlags,
  "resource-version": stringFlag({
    usage:
      "If non-empty, the update will only succeed if this is the current resource-version of the object. Only valid for a single resource.",
  }),
  ...filenameFlags(`identifying the resource to update the ${things}`),
  ...dryRunFlags,
  ...fieldManagerFlags(`kubectl-${command}`),
  ...labelSelectorFlags,
});

export type MetadataValues = Values<ReturnType<typeof metadataFlags>>;

/** Splits arguments into resources, which come first, and changes: `key=value` or `key-`. */
export function resourcesAndPairs(
  args: readonly string[],
  what: string,
): { readonly resources: readonly string[]; readonly pairs: readonly string[] } {
  const isPair = (arg: string): boolean =>
    (arg.includes("=") && !arg.startsWith("=")) || (arg.endsWith("-") && arg !== "-");
  const first = args.findIndex(isPair);
  if (first < 0) return { resources: args, pairs: [] };
  const pairs = args.slice(first);
  const late = pairs.find((arg) => !isPair(arg));
  if (late !== undefined)
    throw new Error(`all resources must be specified before ${what} changes: ${late}`);
  return { resources: args.slice(0, first), pairs };
}

/** Throws for flags that contradict each other; `example` is the name of a file in messages. */
export function checkMetadataFlags(
  flags: MetadataValues,
  {
    resources,
    dryRun,
    example,
  }: { readonly resources: readonly string[]; readonly dryRun: string; readonly example: string },
): void {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const hasFiles = flags.filename.length > 0 || flags.kustomize !== "";
  if (flags.all && flags.selector !== "") fail("cannot set --all and --selector at the same time");
  if (flags.all && flags["field-selector"] !== "")
    fail("cannot set --all and --field-selector at the same time");
  if (!flags.local) {
    if (resources.length === 0 && !hasFiles)
      fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    return;
  }
  if (dryRun === "server")
    fail("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  if (resources.length > 0)
    fail(
      `can only use local files by -f ${example}.yaml or --filename=${example}.json when --local=true is set`,
    );
  if (!hasFiles)
    fail(`one or more files must be specified as -f ${example}.yaml or --filename=${example}.json`);
}

/** Finds the objects whose labels or annotations are changed. */
export async function findMetadata(
  context: CommandContext,
  flags: MetadataValues,
  resources: readonly string[],
): Promise<Result> {
  const found = await findResources(context, {
    ...filenameQuery(flags),
    continuesOnError: true,
    flattens: true,
    isLocal: flags.local,
    ...(!flags.local && {
      args: resources,
      allowsTypeAlone: flags.all,
      labelSelector: flags.selector,
      fieldSelector: flags["field-selector"],
      isAllNamespaces: flags["all-namespaces"],
      isLatest: true,
    }),
  });
  if (!found.isSingleItem && flags["resource-version"] !== "")
    throw new Error("--resource-version may only be used with a single resource");
  return found;
}
