import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../base/clock.ts";
import { boolFlag, durationFlag, stringArrayFlag } from "../../../cli/flag.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources, type ResourceQuery } from "../../resource/find-resources.ts";
import type { Result } from "../../resource/result.ts";
import { filenameFlags } from "../shared/filename-flags.ts";
import { allNamespacesFlags } from "../shared/namespace-flags.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { fieldSelectorFlags, labelSelectorFlags } from "../shared/selector-flags.ts";
import type { WaitingTime } from "../shared/until-deleted.ts";
import { untilMet } from "./wait/until-met.ts";
import { type WaitCondition, waitConditions } from "./wait/wait-condition.ts";

const { filename, recursive } = filenameFlags("identifying the resource.");

const flags = {
  ...outputFlags,
  filename,
  recursive: { ...recursive, default: true, shownDefault: "true" },
  ...labelSelectorFlags,
  ...fieldSelectorFlags,
  ...allNamespacesFlags,
  all: boolFlag({
    usage: "Select all resources of the named types, in the namespace if they have one.",
  }),
  local: boolFlag({ usage: "If true, the server is not asked which resources there are." }),
  timeout: durationFlag({
    default: 30_000,
    usage:
      "The length of time to wait before giving up. Zero means check once and don't wait, negative means wait for a week.",
  }),
  for: stringArrayFlag({
    usage:
      "The condition to wait on: [create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath expression}'=[JSONPath value]]. The value of a condition is true if none is given; upper and lower case do not matter. Several conditions are waited for one after the other, with create first.",
  }),
};

type WaitContext = CommandContext<typeof flags>;

export const waitCommand = kubectlCommand({
  name: "wait",
  usage:
    "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
  short: "Wait for a specific condition on one or many resources",
  long: `Wait for a specific condition on one or many resources.

The command waits until each resource has the condition in its status, or until all of them exist or are gone with --for=create and --for=delete.

For each condition that is met, a line is printed; -o changes what it is.`,
  examples: `# Wait until the pod busybox1 is ready
kubectl wait --for=condition=Ready pod/busybox1

# The value of a condition is true by default; another one stands after an equals sign
kubectl wait --for=condition=Ready=false pod/busybox1

# Wait until the pod busybox1 runs
kubectl wait --for=jsonpath='{.status.phase}'=Running pod/busybox1

# Wait until the pod busybox1 is ready, found by a path with a filter
kubectl wait --for='jsonpath={.status.conditions[?(@.type=="Ready")].status}=True' pod/busybox1

# Wait until the service loadbalancer has an address
kubectl wait --for=jsonpath='{.status.loadBalancer.ingress}' service/loadbalancer

# Wait up to 30 seconds until the secret busybox1 exists
kubectl wait --for=create secret/busybox1 --timeout=30s

# Delete the pod busybox1 in the background, and wait up to a minute until it is gone
kubectl delete pod/busybox1 --wait=false
kubectl wait --for=delete pod/busybox1 --timeout=60s

# Wait until the pod busybox1 exists, and then until it is ready
kubectl wait --for=condition=Ready --for=create pod/busybox1`,
  flags,
  async run(context) {
    const { flags, factory, args } = context;
    const print = objectPrinter(context, { operation: "condition met" });
    await factory.namespace();
    const conditions = waitConditions(flags.for);
    const timeoutMs = flags.timeout < 0 ? weekMs : flags.timeout;
    const deadline = timeoutMs === 0 ? undefined : factory.clock.now() + timeoutMs;
    const time = { timeoutMs, deadline };
    const query = waitQuery(context);
    const find = (): Promise<Result> => {
      if (flags.local && args.length > 0) throw new Error(localNeedsFiles);
      return findResources(context, query);
    };
    const waitsFor = (type: WaitCondition["type"]): boolean =>
      conditions.some((condition) => condition.type === type);
    if (waitsFor("create")) await untilCreated(context, find, time);

    const found = await find();
    if (waitsFor("delete")) found.ignoreErrors((error) => StatusError.is(error, "NotFound"));
    let count = 0;
    await found.visit(async (info, error) => {
      if (error) throw error;
      count++;
      for (const condition of conditions) {
        const object = await untilMet(context, info, { ...time, condition });
        if (object) print(object);
      }
    });
    if (count === 0 && !waitsFor("delete")) throw new Error("no matching resources found");
    return undefined;
  },
});

const weekMs = 168 * 3_600_000;

const localNeedsFiles = `you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

function waitQuery({ flags, args }: WaitContext): ResourceQuery {
  const files = {
    filenames: flags.filename,
    isRecursive: flags.recursive,
    isAllNamespaces: flags["all-namespaces"],
    flattens: true,
    continuesOnError: true,
  };
  if (flags.local) return files;
  return {
    ...files,
    args,
    allowsTypeAlone: flags.all,
    labelSelector: flags.selector,
    fieldSelector: flags["field-selector"],
    isLatest: true,
  };
}

/** Looks for the objects until there are some. */
async function untilCreated(
  { factory, signal }: WaitContext,
  find: () => Promise<Result>,
  { timeoutMs, deadline = 0 }: WaitingTime,
): Promise<void> {
  const { clock } = factory;
  for (;;) {
    if (await isSomethingFound(await find())) return;
    const left = timeoutMs === 0 ? 0 : deadline - clock.now();
    await sleep(clock, Math.max(0, Math.min(left, pollMs)), signal);
    if (left < pollMs) throw new Error("timed out waiting for the condition");
  }
}

const pollMs = 500;

async function isSomethingFound(found: Result): Promise<boolean> {
  let isFound = false;
  try {
    await found.visit(() => {
      isFound = true;
    });
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return false;
    throw error;
  }
  return isFound;
}
