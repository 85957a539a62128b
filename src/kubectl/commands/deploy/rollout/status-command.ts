import { DeadlineExceeded, sleep, withDeadline } from "../../../../base/clock.ts";
import { boolFlag, durationFlag, intFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { TransportError } from "../../../../client/transport.ts";
import { exitIfInterrupted } from "../../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { type Helper, helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { rolloutQuery, rolloutTargetFlags } from "./rollout-query.ts";
import { type RolloutObject, rolloutStatus } from "./rollout-status.ts";
import { type WorkloadKind, workloadKind } from "./workload.ts";

const flags = {
  ...rolloutTargetFlags,
  watch: boolFlag({
    short: "w",
    default: true,
    usage: "Watch the status of the rollout until it's done.",
  }),
  revision: intFlag({
    usage: "The revision whose status is shown; by default (0) the last one.",
  }),
  timeout: durationFlag({
    usage: "How long to watch (like 1s, 2m, or 3h). Zero means without end.",
  }),
};

export const statusCommand = kubectlCommand({
  name: "status",
  usage: "(TYPE NAME | TYPE/NAME) [flags]",
  short: "Show the status of the rollout",
  long: "Show the status of a rollout, and watch it until it is done.\n\nWith --watch=false the status is shown once. If another rollout begins meanwhile, that one is watched, unless --revision says which one to watch.",
  examples: `# Watch the rollout of a deployment
kubectl rollout status deployment/nginx`,
  flags,
  async run(context) {
    const { args, flags, factory, io } = context;
    const query = rolloutQuery(flags, args);
    if (flags.revision < 0)
      throw new Error(`revision must be a positive integer: ${flags.revision}`);
    const found = await findResources(context, query);
    let isFound = false;
    await found.visit(async (info) => {
      isFound = true;
      const { group, kind } = kindOf(info);
      const workload = info.object && workloadKind(info.object);
      if (!workload) {
        const name = group === "" ? kind : `${kind}.${group}`;
        throw new Error(`no status viewer has been implemented for ${name}`);
      }
      await watchStatus(context, info, workload);
    });
    if (!isFound) {
      const { namespace } = await factory.namespace();
      io.stderr.write(`No resources found in ${namespace} namespace.\n`);
    }
    return undefined;
  },
});

type StatusContext = CommandContext<typeof flags>;

async function watchStatus(
  context: StatusContext,
  info: Info,
  workload: WorkloadKind,
): Promise<void> {
  const { flags, factory, signal } = context;
  const { clock } = factory;
  try {
    if (flags.timeout <= 0) await followObject(context, info, workload);
    else
      await withDeadline({ clock, ms: flags.timeout, signal }, (signal) =>
        followObject({ ...context, signal }, info, workload),
      );
  } catch (error) {
    exitIfInterrupted(signal);
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Error("timed out waiting for the condition", { cause: error });
  }
}

/** Prints the status at every change, until the rollout is done; a watch that ends is begun again. */
async function followObject(
  context: StatusContext,
  info: Info,
  workload: WorkloadKind,
): Promise<void> {
  const { factory, flags, io, signal } = context;
  const changes = helper(await factory.client(), kindOf(info), {
    signal,
    query: { resourceVersionMatch: "NotOlderThan", sendInitialEvents: true },
  });
  let version: string | undefined;
  for (;;) {
    try {
      for await (const object of statesOf(changes, info)) {
        if (object.metadata.resourceVersion === version) continue;
        version = object.metadata.resourceVersion;
        const { text, isDone } = rolloutStatus(workload, object as RolloutObject, flags.revision);
        io.stdout.write(text);
        if (isDone || !flags.watch) return;
      }
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
    }
    await sleep(factory.clock, retryMs, signal);
  }
}

/** The states of an object that a watch sends; throws when it is deleted. */
async function* statesOf(
  changes: Helper,
  { namespace, name }: Info,
): AsyncGenerator<DynamicObject> {
  const events = changes.watch(namespace, {
    allowWatchBookmarks: true,
    fieldSelector: `metadata.name=${name}`,
    timeoutSeconds: watchSeconds,
  });
  for await (const event of events) {
    if (event.type === "DELETED") throw new Error("object has been deleted");
    if (event.type !== "BOOKMARK") yield event.object;
  }
}

const watchSeconds = 400;
const retryMs = 1000;
