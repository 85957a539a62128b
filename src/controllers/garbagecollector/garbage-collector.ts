import { DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import {
  type QueueControllerContext,
  queueController,
} from "../../controller-runtime/reconcile/queue-controller.ts";
import { quote } from "../../schema/values/quote.ts";
import type { DebugAnswer } from "../controller-module.ts";
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

/** How long the start waits for the monitors: a resource that cannot be listed must not stop the rest. */
const syncTimeoutMs = 30_000;

export interface GarbageCollector {
  readonly runnable: Runnable;
  /** Answers requests for the dependency graph. */
  readonly debug: (path: string, query: URLSearchParams) => DebugAnswer;
}

/** Deletes objects whose owners are gone. */
export function garbageCollector({
  concurrency,
}: {
  readonly concurrency: number;
}): GarbageCollector {
  const graph = new DependencyGraph();
  const runnable = queueController({
    name,
    setUp: (ctx) => setUp(ctx, { graph, concurrency }),
  });
  return { runnable, debug: (path, query) => debugAnswer(graph, path, query) };
}

function setUp(
  ctx: QueueControllerContext,
  { graph, concurrency }: { readonly graph: DependencyGraph; readonly concurrency: number },
): void {
  const { clock, informers, log, signal } = ctx;
  const attempt = attempts(ctx, { graph, concurrency });
  const monitors = createResourceMonitors({ informers, clock, notify: attempt.notify });
  const apis = followApis(ctx, { monitors, attempt });
  ctx.background(apis.run);
  ctx.onEnd(() => monitors.close());
  ctx.onSynced(() =>
    withDeadline({ clock, ms: syncTimeoutMs, signal }, async () => {
      await apis.areKnown;
      await monitors.synced();
    }).catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof DeadlineExceeded)) throw error;
      log.warn("not all resource monitors could be synced, proceeding anyways");
    }),
  );
}

/** The two queues, and what their workers share. */
function attempts(
  ctx: QueueControllerContext,
  { graph, concurrency }: { readonly graph: DependencyGraph; readonly concurrency: number },
): Attempt {
  const { client, clock, random, log } = ctx;
  const shared = {
    workers: concurrency,
    failure: "error syncing item",
    logFields: (node: GraphNode) => ({ item: referenceText(node) }),
    // The kind of an object may be served before discovery shows it.
    isQuiet: (error: unknown) => error instanceof UnknownKind,
  };
  const toDelete = ctx.queue<GraphNode>({
    ...shared,
    name: "garbage_collector_attempt_to_delete",
    work: (node) => attemptToDelete(node, attempt),
  });
  const toOrphan = ctx.queue<GraphNode>({
    ...shared,
    name: "garbage_collector_attempt_to_orphan",
    work: (node) => attemptToOrphan(node, attempt),
  });
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
    notify: (event) => graph.apply(event).forEach(carryOut),
    enqueue: (node) => toDelete.add(node),
    log,
  };
  return attempt;
}

/** Keeps the monitors on all resources that are served, for as long as it runs. */
function followApis(
  { clock, informers, log, metrics, signal }: QueueControllerContext,
  { monitors, attempt }: { readonly monitors: ResourceMonitors; readonly attempt: Attempt },
) {
  const syncErrors = metrics.counter(syncErrorsTotal).of();
  let setKnown = (): void => {};
  const areKnown = new Promise<void>((resolve) => {
    setKnown = resolve;
  });
  const options: ServedApisOptions = {
    discovery: attempt.calls.discovery,
    informers,
    clock,
    onApis(apis) {
      if (apis.resources.length === 0) throw new Error("no resources reported by discovery");
      const result = monitors.follow(apis);
      setKnown();
      return result;
    },
    onFault(error) {
      syncErrors.add(1);
      log.warn("discovery of the served resources is incomplete", { error });
    },
  };
  return { areKnown, run: () => followServedApis(options, signal) };
}

/** The event for a dependent whose owner is in another namespace. */
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
