import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../cli/flag.ts";
import { parseLabelSelector } from "../../../schema/selectors/label-selector.ts";
import { quote } from "../../../schema/values/quote.ts";
import { ErrorList } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { helper, listError } from "../../resource/helper.ts";
import { versionedResource } from "../../resource/resource-text.ts";
import { type DryRun, dryRunFlags } from "../shared/dry-run.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { dryRunSuffix } from "../shared/object-output.ts";
import { chunkSizeFlags, labelSelectorFlags } from "../shared/selector-flags.ts";
import { findNodes } from "./drain/find-nodes.ts";
import {
  type DaemonSetError,
  daemonSetOf,
  decideAboutPod,
  drainErrors,
  drainWarnings,
  type PodDecision,
} from "./drain/pods-to-delete.ts";
import { removePods } from "./drain/remove-pods.ts";
import { setSchedulable } from "./drain/set-schedulable.ts";

const flags = {
  force: boolFlag({ usage: "Also remove pods that do not declare a controller." }),
  "ignore-daemonsets": boolFlag({ usage: "Leave pods of daemon sets where they are." }),
  "delete-emptydir-data": boolFlag({
    usage: "Also remove pods with emptyDir volumes, whose data is lost.",
  }),
  "grace-period": intFlag({
    default: -1,
    usage:
      "Seconds that each pod has to terminate gracefully. If negative, the pod itself says how many.",
  }),
  timeout: durationFlag({ usage: "How long to wait before giving up; zero means without end" }),
  "pod-selector": stringFlag({ usage: "Label selector of the pods that are removed" }),
  "disable-eviction": boolFlag({
    usage:
      "Delete pods even if the server supports evictions. Disruption budgets are not checked then: use with caution.",
  }),
  "skip-wait-for-delete-timeout": intFlag({
    usage:
      "Do not wait for pods that were deleted more than this many seconds ago. Must be greater than 0 to have an effect.",
  }),
  ...chunkSizeFlags,
  ...dryRunFlags,
  ...labelSelectorFlags,
};

export const drainCommand = kubectlCommand({
  name: "drain",
  usage: "NODE",
  short: "Drain node in preparation for maintenance",
  long: "Prepare a node for maintenance: mark it as unschedulable, and remove its pods.\n\nPods are evicted if the server supports that, which respects disruption budgets, and deleted otherwise. Mirror pods stay. Pods of daemon sets stay, too, and need --ignore-daemonsets. Pods without a controller need --force, pods with local data --delete-emptydir-data.\n\nThe command waits until all pods have terminated. Afterwards, kubectl uncordon puts the node back into service.",
  examples: `# Drain the node foo, with its pods that no controller manages
kubectl drain foo --force

# Give every pod 15 minutes to terminate
kubectl drain foo --grace-period=900`,
  flags,
  async run(context) {
    const { io, flags } = context;
    checkPodSelector(flags["pod-selector"]);
    const { nodes, dryRun } = await findNodes(context, "drain NODE");
    await setSchedulable(context, nodes, { verb: "cordon", dryRun });
    const errors: Error[] = [];
    const failed: string[] = [];
    for (const { name } of nodes) {
      try {
        await drainNode(context, name, dryRun);
        io.stdout.write(`node/${name} drained${dryRunSuffix[dryRun]}\n`);
      } catch (error) {
        context.signal.throwIfAborted();
        const { message } = error as Error;
        io.stderr.write(
          `error: unable to drain node ${quote(name)} due to error: ${message}, continuing command...\n`,
        );
        errors.push(error as Error);
        failed.push(name);
      }
    }
    if (failed.length > 0) {
      io.stderr.write("There are pending nodes to be drained:\n");
      for (const name of failed) io.stderr.write(` ${name}\n`);
    }
    if (errors.length > 0) throw new ErrorList(errors);
    return undefined;
  },
});

type DrainContext = CommandContext<typeof flags>;

function checkPodSelector(selector: string): void {
  if (selector === "") return;
  try {
    parseLabelSelector(selector);
  } catch (cause) {
    throw new Error("--pod-selector=<pod_selector> must be a valid label selector", { cause });
  }
}

async function drainNode(context: DrainContext, node: string, dryRun: DryRun): Promise<void> {
  const { flags, io } = context;
  const decisions = await podsOnNode(context, node);
  const problems = drainErrors(decisions);
  if (problems.length > 0) throw new ErrorList(problems);
  const warnings = drainWarnings(decisions);
  if (warnings !== "") io.stderr.write(`Warning: ${warnings}\n`);
  const pods = toRemove(decisions);
  if (dryRun === "client") {
    for (const { metadata } of pods)
      io.stdout.write(`evicting pod ${metadata.namespace}/${metadata.name} (dry run)\n`);
    return;
  }
  const { v = 0 } = context.flags as { readonly v?: number };
  try {
    await removePods(context, pods, {
      gracePeriod: flags["grace-period"],
      timeoutMs: flags.timeout,
      disablesEviction: flags["disable-eviction"],
      skipsDeletedAfterSeconds: flags["skip-wait-for-delete-timeout"],
      dryRun,
      isVerbose: v >= 2,
    });
  } catch (error) {
    context.signal.throwIfAborted();
    await printPending(context, node, error as Error);
    throw error;
  }
}

const toRemove = (decisions: readonly PodDecision[]): readonly Pod[] =>
  decisions.flatMap(({ pod, deletes }) => (deletes ? [pod] : []));

/** Says which pods are left after an error. */
async function printPending(context: DrainContext, node: string, error: Error): Promise<void> {
  const { io } = context;
  const decisions = await podsOnNode(context, node).catch((cause: Error) => {
    io.stderr.write(
      `Following errors occurred while getting the list of pods to delete:\n${cause.message}`,
    );
    return [];
  });
  const pods = toRemove(decisions);
  if (pods.length > 0) {
    io.stderr.write(
      `There are pending pods in node ${quote(node)} when an error occurred: ${error.message}\n`,
    );
    for (const { metadata } of pods) io.stderr.write(`pod/${metadata.name}\n`);
  }
  const problems = drainErrors(decisions);
  if (problems.length > 0)
    io.stderr.write(
      `Following errors occurred while getting the list of pods to delete:\n${new ErrorList(problems).message}`,
    );
}

/** Requests the pods on a node, and decides about each. */
async function podsOnNode(context: DrainContext, node: string): Promise<readonly PodDecision[]> {
  const { factory, flags, signal } = context;
  const client = await factory.client();
  const requests = helper(client, knownKinds.pod, { signal });
  const selectors = {
    labelSelector: flags["pod-selector"] || undefined,
    fieldSelector: `spec.nodeName=${node}`,
  };
  const pods: Pod[] = [];
  let token: string | undefined;
  do {
    const parameters = { ...selectors, limit: flags["chunk-size"], continue: token };
    const list = await requests.list("", parameters).catch((error: unknown) => {
      throw listError(error, versionedResource(knownKinds.pod), selectors);
    });
    pods.push(...((list.items ?? []) as readonly Pod[]));
    token = (list.metadata as { readonly continue?: string }).continue || undefined;
  } while (token !== undefined);

  const rules = {
    force: flags.force,
    ignoresDaemonSets: flags["ignore-daemonsets"],
    deletesLocalData: flags["delete-emptydir-data"],
    skipsDeletedAfterSeconds: flags["skip-wait-for-delete-timeout"],
    now: factory.clock.now(),
  };
  const decisions: PodDecision[] = [];
  for (const pod of pods)
    decisions.push(decideAboutPod(pod, rules, await daemonSetError(context, pod)));
  return decisions;
}

async function daemonSetError(
  { factory, signal }: DrainContext,
  pod: Pod,
): Promise<DaemonSetError | undefined> {
  const name = daemonSetOf(pod);
  if (name === undefined) return undefined;
  const { namespace = "" } = pod.metadata;
  const requests = helper(await factory.client(), knownKinds.daemonSet, { signal });
  return requests.get({ namespace, name }).then(
    () => undefined,
    (error: Error) => ({
      message: error.message,
      isNotFound: StatusError.is(error, "NotFound"),
    }),
  );
}
