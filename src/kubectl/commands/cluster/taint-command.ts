import { boolFlag, type Values } from "../../../cli/flag.ts";
import { NoMatchError } from "../../../client/discovery/mapping-errors.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { applyStrategicMergePatch } from "../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { createTwoWayMergePatch } from "../../../schema/strategic-merge/create-merge-patch.ts";
import { ExitError, usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { kindOf } from "../../resource/info.ts";
import { typedObject, typedShape } from "../../resource/typed-object.ts";
import { dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../shared/field-validation.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { changeTaints, type Taint, type TaintChanges } from "./taint/change-taints.ts";
import { parseTaints } from "./taint/parse-taints.ts";

const flags = {
  ...outputFlags,
  ...dryRunFlags,
  ...validateFlags,
  ...labelSelectorFlags,
  overwrite: boolFlag({
    usage:
      "If true, allow taints to be overwritten, otherwise reject taint updates that overwrite existing taints.",
  }),
  all: boolFlag({ usage: "Select all nodes in the cluster" }),
  ...fieldManagerFlags("kubectl-taint"),
};

export const taintCommand = kubectlCommand({
  name: "taint",
  usage: "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
  short: "Update the taints on one or more nodes",
  long: `Update the taints of nodes, which keep pods away that do not tolerate them.

A taint has a key, a value and an effect: key=value:effect. Keys begin with a letter or number, and may contain letters, numbers, hyphens, dots and underscores, up to 253 characters; before them may stand a DNS subdomain and a slash, as in example.com/my-app. A value is optional, and made of the same characters, up to 63. The effect is NoSchedule, PreferNoSchedule or NoExecute.

Only nodes have taints.`,
  examples: `# Taint the node foo; a taint with this key and effect gets the new value
kubectl taint nodes foo dedicated=special-user:NoSchedule

# Remove a taint by its key and effect
kubectl taint nodes foo dedicated:NoSchedule-

# Remove all taints with a key
kubectl taint nodes foo dedicated-

# Taint all nodes with a label
kubectl taint node -l myLabel=X  dedicated=foo:PreferNoSchedule

# Add a taint without a value
kubectl taint nodes foo bar:NoSchedule`,
  flags,
  async run(context) {
    const { flags, args, path, factory, signal } = context;
    await factory.namespace();
    const dryRun = dryRunOf(context);
    const validation = fieldValidation(flags);
    const { resources, taints } = resourcesAndTaints(args);
    const changes = parsedChanges(taints, path);
    await checkRequest(context, resources, changes);
    const names = flags.all || flags.selector !== "" ? [] : resources.slice(1);
    const found = await findResources(context, {
      isTyped: true,
      continuesOnError: true,
      flattens: true,
      ...(names.length > 0
        ? { named: names.map((name) => ({ type: "node", name })) }
        : { args: ["node"], isAll: flags.all, labelSelector: flags.selector }),
    });
    await found.visit(async (info, error) => {
      if (error) throw error;
      const before = info.object;
      if (!before) return;
      const spec = (before.spec ?? {}) as { readonly taints?: readonly Taint[] };
      const changed = changeTaints(before.metadata.name ?? "", spec.taints ?? [], {
        ...changes,
        overwrite: flags.overwrite,
      });
      const after = await typedObject({ ...before, spec: { ...spec, taints: changed.taints } });
      const shape = await typedShape(after);
      const body = createTwoWayMergePatch(shape, before, after);
      const { operation } = changed;
      const isLocal = dryRun === "client";
      const print = objectPrinter(context, { operation, keepsOrder: !isLocal });
      if (isLocal) return print(applyStrategicMergePatch(shape, before, body) as DynamicObject);
      const requests = helper(await factory.client(), kindOf(info), {
        isDryRun: dryRun === "server",
        fieldManager: flags["field-manager"],
        fieldValidation: validation,
        signal,
        onWarning: (text) => factory.warn(text),
      });
      const result = await requests.patch(info, { type: "strategic", body });
      print(result);
    });
    return undefined;
  },
});

/** Splits arguments into the type and names of nodes, which come first, and taints. */
function resourcesAndTaints(args: readonly string[]): {
  readonly resources: readonly string[];
  readonly taints: readonly string[];
} {
  const isTaint = (arg: string): boolean => /[=:]|-$/.test(arg);
  const first = args.findIndex(isTaint);
  const taints = first < 0 ? [] : args.slice(first);
  const late = taints.find((arg) => !isTaint(arg));
  if (late !== undefined)
    throw new Error(`all resources must be specified before taint changes: ${late}`);
  const resources = first < 0 ? args : args.slice(0, first);
  if (resources.length === 0)
    throw new Error("one or more resources must be specified as <resource> <name>");
  if (taints.length === 0) throw new Error("at least one taint update is required");
  return { resources, taints };
}

function parsedChanges(taints: readonly string[], path: string): TaintChanges {
  try {
    return parseTaints(taints);
  } catch (error) {
    throw usageError(path, (error as Error).message);
  }
}

async function checkRequest(
  {
    flags: { all, selector },
    factory,
  }: Pick<CommandContext, "factory"> & { readonly flags: Values<typeof flags> },
  [type = "", ...names]: readonly string[],
  { add, remove }: TaintChanges,
): Promise<void> {
  const resource = type.toLowerCase();
  // As in explain, what follows a dot would be the path of a field.
  const [name = ""] = resource.split(".");
  const { kind } = await (await factory.mapper()).named(name).catch((error: Error) => {
    throw error instanceof NoMatchError ? new ExitError(1, error.message) : error;
  });
  if (kind !== "Node")
    throw new Error(`invalid resource type ${resource}, only node types are supported`);
  const both = add.flatMap(({ key, effect }) =>
    remove
      .filter((one) => one.key === key && (one.effect === "" || one.effect === effect))
      .map((one) => `${one.key}=${one.effect}`),
  );
  if (both.length > 0)
    throw new Error(
      `can not both modify and remove the following taint(s) in the same command: ${both.join(", ")}`,
    );
  if (all && selector !== "")
    throw new Error("setting 'all' parameter with a non empty selector is prohibited");
  if (!all && selector === "" && names.length === 0)
    throw new Error(
      "at least one resource name must be specified since 'all' parameter is not set",
    );
}
