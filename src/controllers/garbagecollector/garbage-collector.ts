import { DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import type {
  Runnable,
  RunnableContext,
} from "../../controller-runtime/manager/manager-options.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ControllerParts, DebugAnswer } from "../controller-module.ts";
import { controllerQueue } from "../controller-queue.ts";
import { type WorkOutcome, workOff } from "../work-off.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { type Attempt, attemptToDelete } from "./attempt-to-delete.ts";
import { attemptToOrphan } from "./attempt-to-orphan.ts";
import { DependencyGraph, type GraphEffect } from "./dependency-graph.ts";
import type { GraphNode } from "./graph-node.ts";
import { graphText } from "./graph-text.ts";
import { createObjectCalls, UnknownKind } from "./object-calls.ts";
import { referenceText } from "./object-reference.ts";
import { createResourceMonitors, type ResourceMonitors } from "./resource-monitors.ts";
import { followServedApis, type ServedApisOptions } from "./served-apis.ts";

const name = "garbage-collector-controller";

/** How long is waited at the start for all that is followed; what is broken must not stop the rest. */
const patienceMs = 30_000;

/** Deletes what belongs to nobody any more: the collector, and what shows its graph. */
export function garbageCollector(
  concurrency: number,
): Required<Pick<ControllerParts, "runnables" | "debug">> {
  const graph = new DependencyGraph();
  const runnable: Runnable = {
    name,
    account: "generic-garbage-collector",
    run: (signal, ctx) => collect({ graph, concurrency, ctx }, signal),
  };
  return { runnables: [runnable], debug: (path, query) => debugAnswer(graph, path, query) };
}

interface Collection {
  readonly graph: DependencyGraph;
  readonly concurrency: number;
  readonly ctx: RunnableContext;
}

async function collect(
  { graph, concurrency, ctx }: Collection,
  signal: AbortSignal,
): Promise<void> {
  const { clock, informers, log } = ctx;
  const { attempt, toDelete, toOrphan } = workOn(graph, ctx);
  const monitors = createResourceMonitors({ informers, clock, tell: attempt.tell });
  const { hasBegun, ended } = follow(monitors, { attempt, ctx, signal });
  const stop = (): void => {
    toDelete.shutDown();
    toOrphan.shutDown();
  };
  onAbort(signal, stop);
  try {
    await withDeadline({ clock, ms: patienceMs, signal }, async () => {
      await hasBegun;
      await monitors.synced();
    }).catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof DeadlineExceeded)) throw error;
      log.warn("not all resource monitors could be synced, proceeding anyways");
    });
    const work = (queue: NodeQueue, how: (node: GraphNode) => Promise<WorkOutcome>) =>
      workOff(queue, {
        workers: concurrency,
        work: how,
        onFault: (node, error) => tell(node, error, log),
      });
    await Promise.all([
      ended,
      work(toDelete, (node) => attemptToDelete(node, attempt)),
      work(toOrphan, (node) => attemptToOrphan(node, attempt)),
    ]);
  } finally {
    stop();
    monitors.close();
  }
}

/** What the graph is told, and the queues in which there is then to do. */
function workOn(graph: DependencyGraph, ctx: RunnableContext) {
  const { client, clock, random, log } = ctx;
  const toDelete = controllerQueue<GraphNode>(ctx, "garbage_collector_attempt_to_delete");
  const toOrphan = controllerQueue<GraphNode>(ctx, "garbage_collector_attempt_to_orphan");
  const absentOwners = new AbsentOwners();
  const events = ctx.events(name);
  const carryOut = (effect: GraphEffect): void => {
    if (effect.type === "remember") absentOwners.add(effect.absent);
    else if (effect.type === "warn") events.record(...ownerWarning(effect));
    else if (effect.type === "orphan") toOrphan.add(effect.node);
    else if (effect.type === "deleteLater") toDelete.addRateLimited(effect.node);
    else toDelete.add(effect.node);
  };
  const attempt: Attempt = {
    graph,
    absentOwners,
    calls: createObjectCalls({ client, clock, random }),
    tell: (event) => graph.apply(event).forEach(carryOut),
    enqueue: (node) => toDelete.add(node),
    log,
  };
  return { attempt, toDelete, toOrphan };
}

/** Has the monitors follow what is served, from the first word on that until the signal aborts. */
function follow(
  monitors: ResourceMonitors,
  { attempt, ctx, signal }: { attempt: Attempt; ctx: RunnableContext; signal: AbortSignal },
) {
  const { clock, informers, log, metrics } = ctx;
  const syncErrors = metrics.counter(syncErrorsTotal).of();
  let begin = (): void => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const options: ServedApisOptions = {
    discovery: attempt.calls.discovery,
    informers,
    clock,
    onApis(apis) {
      if (apis.resources.length === 0) throw new Error("no resources reported by discovery");
      const answer = monitors.follow(apis);
      begin();
      return answer;
    },
    onFault(error) {
      syncErrors.add(1);
      log.warn("not all that is served could be discovered", { error });
    },
  };
  return { hasBegun, ended: followServedApis(options, signal) };
}

type NodeQueue = RateLimitingQueue<GraphNode>;

/** Says that a node could not be dealt with; of a kind that is not known yet that is no wonder. */
function tell(node: GraphNode, error: unknown, log: RunnableContext["log"]): void {
  const item = referenceText(node);
  if (error instanceof UnknownKind) log.debug("error syncing item", { item, error });
  else log.error("error syncing item", error, { item });
}

/** What is told of a dependent whose owner is in another namespace. */
function ownerWarning({ node, owner }: GraphEffect & { type: "warn" }) {
  const { apiVersion, kind, namespace, name: named, uid } = node;
  const metadata = { name: named, uid, ...(namespace && { namespace }) };
  const note = `ownerRef ${referenceText(owner)} does not exist in namespace ${quote(namespace)}`;
  const event = { type: "Warning", reason: "OwnerRefInvalidNamespace", note } as const;
  return [{ apiVersion, kind, metadata }, event] as const;
}

function debugAnswer(graph: DependencyGraph, path: string, query: URLSearchParams): DebugAnswer {
  if (path.replace(/^\//, "") !== "graph")
    return { status: 404, contentType: "text/plain; charset=utf-8", body: "\n" };
  const body = graphText(graph, query.getAll("uid"));
  return { status: 200, contentType: "text/vnd.graphviz", body };
}

const syncErrorsTotal = {
  name: "garbagecollector_controller_resources_sync_error_total",
  help: "Number of garbage collector resources sync errors",
  stability: "ALPHA",
} as const;
