import { Namespace } from "../../api/core/v1/namespace.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import {
  type ApiResource,
  incomplete,
  preferredResources,
  type ServerApis,
} from "../../client/discovery/server-apis.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { type ContentLeft, deleteContent } from "./delete-content.ts";
import { type DeletionReport, deletionConditions } from "./deletion-conditions.ts";

export interface NamespaceDeletion {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly log: Log;
}

/** The progress of the deletion of a namespace. */
export interface DeletionResult {
  /** After how many seconds the remaining content may be gone; undefined if nothing is left to do. */
  readonly remainingSeconds?: number | undefined;
}

/** The finalizer that stands for the content of a namespace. */
const finalizer = "kubernetes";

/** Deletes the content of a namespace that is being deleted, then its finalizer; throws to be retried. */
export async function deleteNamespace(
  name: string,
  ctx: NamespaceDeletion,
): Promise<DeletionResult> {
  try {
    const found = await ctx.client.get(Namespace, { name });
    if (!found.metadata.deletionTimestamp) return {};
    const marked = await changed(found, ctx, markTerminating);
    // The finalizers of others may remain: this controller has finished.
    if (!(marked.spec.finalizers ?? []).includes(finalizer)) return {};
    const { namespace, estimate, faults } = await deleteAll(marked, ctx);
    if (faults.length > 0) throw new Error(aggregateMessage(faults));
    if (estimate > 0) return { remainingSeconds: estimate };
    await changed(namespace, ctx, finalize);
    return {};
  } catch (error) {
    if (isGone(error)) return {};
    throw error;
  }
}

/** Whether the namespace is gone: then nothing is left to do. */
const isGone = (error: unknown): boolean =>
  StatusError.is(error, "NotFound") && error.details?.kind === Namespace.plural;

/** Writes a namespace, with retries on conflict; never another namespace of the same name. */
async function changed(
  namespace: Namespace,
  { client }: NamespaceDeletion,
  change: (client: Client, namespace: Namespace) => Promise<Namespace>,
): Promise<Namespace> {
  for (let current = namespace; ; ) {
    try {
      return await change(client, current);
    } catch (error) {
      if (!StatusError.is(error, "Conflict")) throw error;
    }
    current = await client.get(Namespace, { name: namespace.metadata.name ?? "" });
    if (current.metadata.uid !== namespace.metadata.uid)
      throw new Error("namespace uid has changed across retries");
  }
}

async function markTerminating(client: Client, namespace: Namespace): Promise<Namespace> {
  const { metadata, status } = namespace;
  if (!metadata.deletionTimestamp || status.phase === "Terminating") return namespace;
  const marked = { ...namespace, status: { ...status, phase: "Terminating" as const } };
  return client.update(Namespace, marked, { subresource: "status" });
}

function finalize(client: Client, { metadata, spec }: Namespace): Promise<Namespace> {
  const left = new Set((spec.finalizers ?? []).filter((one) => one !== finalizer));
  const finalized = { metadata, spec: { ...spec, finalizers: [...left].sort() } };
  return client.update(Namespace, finalized, { subresource: "finalize" });
}

interface DeletedContent {
  /** The namespace after its conditions were written. */
  readonly namespace: Namespace;
  readonly estimate: number;
  readonly faults: readonly string[];
}

async function deleteAll(namespace: Namespace, ctx: NamespaceDeletion): Promise<DeletedContent> {
  const { client, clock } = ctx;
  const { name = "", deletionTimestamp } = namespace.metadata;
  const deletedForMs = clock.now() - (timeOf(deletionTimestamp) ?? 0);
  const { resources, discovery, groupVersions } = await served(ctx.discovery);
  const faults = [discovery?.error, groupVersions].filter((fault) => fault !== undefined);
  const left = new Map<ApiResource, ContentLeft>();
  const empty = async (resource: ApiResource): Promise<ContentLeft> => {
    const content = await deleteContent(resource, { client, namespace: name, deletedForMs });
    left.set(resource, content);
    return content;
  };
  const pods = resources.find(isPods);
  const podsLeft = pods && (await empty(pods));
  if (podsLeft?.fault)
    faults.push(`failed to delete pods for namespace: ${name}, err: ${podsLeft.fault}`);
  // Pods may need the other objects to shut down, so these are deleted after the pods are gone.
  const arePodsLeft = podsLeft !== undefined && podsLeft.count > 0;
  if (!arePodsLeft)
    for (const resource of resources.filter((one) => one !== pods)) {
      const { fault } = await empty(resource);
      if (fault) faults.push(fault);
    }
  const report: DeletionReport = {
    discovery: discovery?.condition,
    groupVersions,
    content: [...left.values()].flatMap(({ fault }) => fault ?? []),
    ...(arePodsLeft ? { remaining: new Map(), finalizers: new Map() } : totals(left)),
  };
  return {
    namespace: await withConditions(namespace, report, ctx),
    estimate: Math.max(0, ...Array.from(left.values(), ({ estimate }) => estimate)),
    faults,
  };
}

const isPods = ({ group, version, plural }: ApiResource): boolean =>
  group === "" && version === "v1" && plural === "pods";

/** The resources in namespaces that can be deleted, and errors of discovery. */
async function served(discovery: Discovery): Promise<{
  readonly resources: readonly ApiResource[];
  readonly discovery?: { readonly error: string; readonly condition: string } | undefined;
  readonly groupVersions?: string | undefined;
}> {
  let apis: ServerApis;
  try {
    apis = await discovery.apis({ newerThan: discovery.known });
  } catch (error) {
    const text = errorMessage(error);
    return { resources: [], discovery: { error: text, condition: text } };
  }
  const error = incomplete(apis)?.message;
  const failed = apis.failures.size;
  const condition = `Discovery failed for some groups, ${failed} failing: ${error}`;
  const resources = preferredResources(apis).filter(
    ({ scope, verbs }) => scope === "Namespaced" && verbs.includes("delete"),
  );
  const odd = resources.find(({ version }) => version.includes("/"));
  return {
    resources: odd ? [] : resources,
    discovery: error === undefined ? undefined : { error, condition },
    groupVersions: odd && `unexpected GroupVersion string: ${odd.group}/${odd.version}`,
  };
}

function totals(
  left: ReadonlyMap<ApiResource, ContentLeft>,
): Pick<DeletionReport, "remaining" | "finalizers"> {
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const [{ plural, group }, content] of left) {
    if (content.count > 0) remaining.set(`${plural}.${group}`, content.count);
    for (const [name, count] of content.finalizers)
      finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return { remaining, finalizers };
}

/** Writes conditions that changed; if that fails, the next attempt writes them. */
async function withConditions(
  namespace: Namespace,
  report: DeletionReport,
  { client, clock, log }: NamespaceDeletion,
): Promise<Namespace> {
  const { status } = namespace;
  const conditions = deletionConditions(status.conditions, report, clock);
  if (conditions === status.conditions) return namespace;
  const changed = { ...namespace, status: { ...status, conditions: [...conditions] } };
  try {
    return await client.update(Namespace, changed, { subresource: "status" });
  } catch (error) {
    const { name } = namespace.metadata;
    const message = "could not update status condition for namespace";
    logFailure(log, message, error, { namespace: name });
    return namespace;
  }
}
