import { boolFlag, stringArrayFlag, stringFlag, type Values } from "../../../../cli/flag.ts";
import { deletionFlags } from "../../shared/deletion-flags.ts";
import { dryRunFlags } from "../../shared/dry-run.ts";
import { fieldManagerFlags } from "../../shared/field-manager.ts";
import { validateFlags } from "../../shared/field-validation.ts";
import { filenameFlags } from "../../shared/filename-flags.ts";
import { outputFlags } from "../../shared/object-output.ts";
import { recordFlags } from "../../shared/record.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";

/** The manager of the fields that client-side apply writes. */
const clientSideManager = "kubectl-client-side-apply";

/** Where an apply is computed. */
export const serverSideFlags = {
  "server-side": boolFlag({ usage: "If true, apply runs in the server instead of the client." }),
  "force-conflicts": boolFlag({
    usage: "If true, server-side apply takes over the fields that other managers own.",
  }),
};

/** Which kinds are pruned. */
export const pruneListFlags = {
  "prune-allowlist": stringArrayFlag({
    usage: "Replaces the default list of kinds that --prune considers, as <group/version/kind>",
  }),
};

export const applyFlags = {
  ...filenameFlags("that contain the configurations to apply"),
  ...deletionFlags,
  ...recordFlags,
  ...outputFlags,
  ...validateFlags,
  ...dryRunFlags,
  ...serverSideFlags,
  ...fieldManagerFlags(clientSideManager),
  ...labelSelectorFlags,
  ...pruneListFlags,
  all: boolFlag({
    usage: "Select all resources in the namespace of the specified resource types.",
  }),
  prune: boolFlag({
    usage:
      "Delete objects that were applied before and do not appear in the given configurations. Needs either -l or --all, or --applyset where that is enabled.",
  }),
  applyset: {
    ...stringFlag({
      usage:
        "[alpha] The name of the ApplySet that tracks which objects belong together; members that are no longer in the configurations are deleted by --prune. Format: [RESOURCE][.GROUP]/NAME. Without a resource it is a Secret.",
    }),
    hidden: true,
  },
  overwrite: boolFlag({
    default: true,
    usage:
      "Automatically resolve conflicts between the modified and live configuration by using values from the modified configuration",
  }),
  "openapi-patch": boolFlag({
    default: true,
    usage:
      "If true, the OpenAPI documents of the server say how objects are merged, where they know the kind. Otherwise the declarations of this program do.",
  }),
  subresource: stringFlag({
    usage:
      "If specified, apply will operate on the subresource of the requested object. Only allowed when using --server-side.",
  }),
};

export type ApplyValues = Values<typeof applyFlags>;

/** Throws for flags that contradict each other. */
export function checkApplyFlags(flags: ApplyValues, dryRun: "none" | "client" | "server"): void {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const isServerSide = flags["server-side"];
  if (flags["force-conflicts"] && !isServerSide)
    fail("--force-conflicts only works with --server-side");
  if (dryRun === "client" && isServerSide)
    fail(
      "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
    );
  if (isServerSide && flags.force) fail("--force cannot be used with --server-side");
  if (dryRun === "server" && flags.force) fail("--dry-run=server cannot be used with --force");
  if (flags.all && flags.selector !== "") fail("cannot set --all and --selector at the same time");
}

/** The same for pruning, which is checked after the set to which objects belong. */
export function checkPruneFlags(flags: ApplyValues): void {
  const problem = flags.prune ? pruneProblem(flags) : undefined;
  if (problem !== undefined) throw new Error(problem);
  if (flags.subresource !== "" && !flags["server-side"])
    throw new Error("--subresource can only be specified for --server-side");
}

function pruneProblem(flags: ApplyValues): string | undefined {
  if (flags.force) return "--force cannot be used with --prune";
  if (flags.applyset !== "") {
    if (flags.all) return "--all is incompatible with --applyset";
    if (flags.selector !== "") return "--selector is incompatible with --applyset";
    const isListed = flags["prune-allowlist"].length > 0;
    return isListed ? "--prune-allowlist is incompatible with --applyset" : undefined;
  }
  if (!flags.all && flags.selector === "")
    return "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector";
  return flags["server-side"]
    ? "--prune is in alpha and doesn't currently work on objects created by server-side apply"
    : undefined;
}
