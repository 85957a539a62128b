import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { createMergePatch } from "../../../schema/patch/merge-patch.ts";
import { jsonText } from "../../print/json-text.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { type Info, kindOf } from "../../resource/info.ts";
import { InfosError, type Result } from "../../resource/result.ts";
import { dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { scaleObject } from "./scale/scale-object.ts";

const flags = {
  ...recordFlags,
  ...outputFlags,
  all: boolFlag({
    usage: "Select all resources of the named types, in the namespace if they have one.",
  }),
  "resource-version": stringFlag({
    usage: "Only scale if the resource has this version.",
  }),
  "current-replicas": intFlag({
    default: -1,
    usage: "Only scale if the resource has this size. -1 (default) for any size.",
  }),
  replicas: intFlag({ usage: "The new desired number of replicas. Required." }),
  timeout: durationFlag({
    usage:
      "The length of time to wait until the replicas are there, zero means don't wait. Other values have a unit (e.g. 1s, 2m, 3h).",
  }),
  ...filenameFlags("identifying the resource to set a new size"),
  ...dryRunFlags,
  ...labelSelectorFlags,
};

export const scaleCommand = kubectlCommand({
  name: "scale",
  usage:
    "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
  short: "Set a new size for a deployment, replica set, or replication controller",
  long: `Set a new size for a deployment, replica set, replication controller, or stateful set.

With --current-replicas or --resource-version, the size is only changed if the resource is as they say at that moment.`,
  examples: `# Scale the replica set foo to 3
kubectl scale --replicas=3 rs/foo

# Scale what a file names to 3
kubectl scale --replicas=3 -f foo.yaml

# If the deployment mysql has the size 2, scale it to 3
kubectl scale --current-replicas=2 --replicas=3 deployment/mysql

# Scale several replication controllers
kubectl scale --replicas=5 rc/example1 rc/example2 rc/example3

# Scale the stateful set web to 3
kubectl scale --replicas=3 statefulset/web`,
  flags,
  requiredFlags: ["replicas"],
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    const print = objectPrinter(context, { operation: "scaled", dryRun });
    checkFlags(flags);
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      allowsTypeAlone: flags.all,
      labelSelector: flags.selector,
      flattens: true,
      continuesOnError: true,
    });
    const { infos, error } = await foundInfos(found);
    const version = flags["resource-version"];
    if (version !== "" && infos.length > 1)
      throw new Error("cannot use --resource-version with multiple resources");
    if (infos.length === 0) throw error ?? new Error("no objects passed to scale");
    for (const info of infos) {
      let size = flags.replicas;
      if (dryRun !== "client") {
        size = await scaleObject(context, info, {
          replicas: flags.replicas,
          currentReplicas: flags["current-replicas"],
          resourceVersion: version,
          isDryRun: dryRun === "server",
          waitMs: dryRun === "none" ? flags.timeout : 0,
        });
      }
      const object = withReplicas(info.object as DynamicObject, size);
      const shown = recorded(context, object);
      if (dryRun !== "client" && shown !== object) await record(context, info, [object, shown]);
      print(object);
    }
    if (error) throw error;
    return undefined;
  },
});

type ScaleContext = CommandContext<typeof flags>;

function checkFlags(flags: ScaleContext["flags"]): void {
  if (flags.replicas < 0)
    throw new Error(
      "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
    );
  if (flags["current-replicas"] < -1)
    throw new Error("The --current-replicas must specify an integer of -1 or greater");
}

/** What was found, and what was not: the command goes on, and fails at the end. */
async function foundInfos(
  found: Result,
): Promise<{ readonly infos: readonly Info[]; readonly error?: Error }> {
  try {
    return { infos: await found.infos() };
  } catch (error) {
    if (error instanceof InfosError) return { infos: error.infos, error: error.reason };
    return { infos: [], error: error as Error };
  }
}

/** The object with a number of replicas, where its kind is known to have it in `spec`. */
function withReplicas(object: DynamicObject, replicas: number): DynamicObject {
  const { apiVersion, spec } = object;
  if (apiVersion.includes("/") && !apiVersion.startsWith("apps/")) return object;
  return { ...object, spec: { ...(spec as object | undefined), replicas } };
}

/** Adds the command line to the annotations, which is no reason to fail. */
async function record(
  { factory, signal }: ScaleContext,
  info: Info,
  [before, after]: readonly [DynamicObject, DynamicObject],
): Promise<void> {
  const requests = helper(await factory.client(), kindOf(info), { signal });
  const body = jsonText(createMergePatch(before, after));
  await requests.patch(info, { type: "merge", body }).catch(() => signal.throwIfAborted());
}
