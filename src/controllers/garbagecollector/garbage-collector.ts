import { DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import { controllerRateLimiter } from "../../base/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/work-queue.ts";
import { linkedSignal } from "../../controller-runtime/linked-signal.ts";
import type { Runnable, RunnableContext } from "../../controller-runtime/manager.ts";
import { quote } from "../../schema/quote.ts";
import type { ControllerParts, DebugAnswer } from "../controller-module.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { type Attempt, attemptToDelete, type Outcome } from "./attempt-to-delete.ts";
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
  stopping: AbortSignal,
): Promise<void> {
  const { clock, informers, log } = ctx;
  // Many listen to what ends a manager; this is only one more.
  const { signal, unlink } = linkedSignal(stopping);
  const { attempt, toDelete, toOrphan } = workOn(graph, ctx);
  const monitors = createResourceMonitors({ informers, clock, tell: attempt.tell });
  const { hasBegun, ended } = follow(monitors, { attempt, ctx, signal });
  const stop = (): void => {
    toDelete.shutDown();
    toOrphan.shutDown();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    await withDeadline({ clock, ms: patienceMs, signal }, async () => {
      await hasBegun;
      await monitors.synced();
    }).catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof DeadlineExceeded)) throw error;
      log.warn("not all resource monitors could be synced, proceeding anyways");
    });
    const workers = Array.from({ length: signal.aborted ? 0 : concurrency }, () => [
      work(toDelete, { log, attempt: (node) => attemptToDelete(node, attempt) }),
      work(toOrphan, { log, attempt: (node) => attemptToOrphan(node, attempt) }),
    ]);
    await Promise.all([ended, ...workers.flat()]);
  } finally {
    unlink();
    stop();
    monitors.close();
  }
}

/** What the graph is told, and the queues in which there is then to do. */
function workOn(graph: DependencyGraph, ctx: RunnableContext) {
  const { client, clock, random, log } = ctx;
  const toDelete = nodeQueue("garbage_collector_attempt_to_delete", ctx);
  const toOrphan = nodeQueue("garbage_collector_attempt_to_orphan", ctx);
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

function nodeQueue(queueName: string, { clock, metrics, ticks }: RunnableContext): NodeQueue {
  const observer = queueMetrics<GraphNode>(queueName, { metrics, ticks });
  const limiter = controllerRateLimiter<GraphNode>(clock);
  return new RateLimitingQueue(new WorkQueue(observer), { clock, limiter, observer });
}

/** Works on nodes until the queue is shut down; what fails comes again later. */
async function work(
  queue: NodeQueue,
  {
    log,
    attempt,
  }: Pick<RunnableContext, "log"> & {
    readonly attempt: (node: GraphNode) => Promise<Outcome>;
  },
): Promise<void> {
  for (let node = await queue.get(); node !== undefined; node = await queue.get()) {
    let outcome: Outcome = "again";
    try {
      if (!queue.shuttingDown) outcome = await attempt(node);
    } catch (error) {
      const item = referenceText(node);
      if (error instanceof UnknownKind) log.debug("error syncing item", { item, error });
      else if (!queue.shuttingDown) log.error("error syncing item", error, { item });
    }
    if (outcome === "done") queue.forget(node);
    else queue.addRateLimited(node);
    queue.done(node);
  }
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
