import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../../base/clock.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { Client } from "../../../../client/client.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { resourcePath } from "../../../../client/resource-path.ts";
import { formatDuration } from "../../../../schema/values/duration.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { joinedErrors } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import type { DryRun } from "../../shared/dry-run.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { dryRunSuffix } from "../../shared/object-output.ts";
import { isLongDeleted } from "./pods-to-delete.ts";

export interface Removal {
  readonly gracePeriod: number;
  /** Zero means without end. */
  readonly timeoutMs: number;
  readonly disablesEviction: boolean;
  readonly skipsDeletedAfterSeconds: number;
  readonly dryRun: DryRun;
  /** Whether it is printed when a removal begins. */
  readonly isVerbose: boolean;
}

export type RemovalContext = Pick<CommandContext, "factory" | "io" | "signal">;

/** Evicts pods, or deletes them, and waits until they are gone. */
export async function removePods(
  context: RemovalContext,
  pods: readonly Pod[],
  removal: Removal,
): Promise<void> {
  if (pods.length === 0) return;
  const client = await context.factory.client();
  const remover: Remover = { ...context, client, removal };
  if (!removal.disablesEviction) {
    const version = await evictionVersion(client, context.signal);
    if (version !== undefined) return evictPods(remover, pods, version);
  }
  return deletePods(remover, pods);
}

interface Remover extends RemovalContext {
  readonly client: Client;
  readonly removal: Removal;
}

/** The API version of evictions; undefined if the server has none. */
async function evictionVersion(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const response = await client.raw({ method: "GET", path: "/api/v1", signal });
  const { resources = [] } = (await decodeResponse(response)) as {
    readonly resources?: readonly {
      readonly name: string;
      readonly kind: string;
      readonly group?: string;
      readonly version?: string;
    }[];
  };
  const found = resources.find(
    ({ name, kind, group, version }) =>
      name === "pods/eviction" && kind === "Eviction" && group && version,
  );
  return found && `${found.group}/${found.version}`;
}

function deleteOptions({ gracePeriod, dryRun }: Removal): object {
  return {
    ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }),
    ...(dryRun === "server" && { dryRun: ["All"] }),
  };
}

async function evictPods(remover: Remover, pods: readonly Pod[], version: string): Promise<void> {
  const { factory, removal } = remover;
  const deadline =
    removal.timeoutMs === 0 ? Number.POSITIVE_INFINITY : factory.clock.now() + removal.timeoutMs;
  const results = await Promise.allSettled(
    pods.map((pod) => evictAndWait(remover, pod, { version, deadline })),
  );
  remover.signal.throwIfAborted();
  const error = joinedErrors(
    results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : [])),
  );
  if (error) throw error;
}

async function evictAndWait(
  remover: Remover,
  pod: Pod,
  { version, deadline }: { readonly version: string; readonly deadline: number },
): Promise<void> {
  const { removal } = remover;
  const { name = "", namespace = "" } = pod.metadata;
  const current = await evict(remover, pod, { version, deadline });
  if (!current || removal.dryRun === "server") return;
  await waitForDeletion(remover, [current], { deadline, isEviction: true }).catch(
    (error: Error) => {
      throw new Error(
        `error when waiting for pod ${quote(name)} in namespace ${quote(namespace)} to terminate: ${error.message}`,
        { cause: error },
      );
    },
  );
}

/** Evicts a pod, again and again while a budget does not allow it; returns undefined if it is gone already. */
async function evict(
  remover: Remover,
  pod: Pod,
  { version, deadline }: { readonly version: string; readonly deadline: number },
): Promise<Pod | undefined> {
  const { factory, io, signal, client, removal } = remover;
  const { name = "", namespace = "" } = pod.metadata;
  const requests = helper(client, knownKinds.pod, { signal });
  let current = pod;
  for (;;) {
    if (removal.isVerbose && removal.dryRun !== "server")
      printRemoval(remover, current, "eviction started");
    const suffix = removal.dryRun === "server" ? dryRunSuffix.server : "";
    io.stdout.write(`evicting pod ${namespace}/${name}${suffix}\n`);
    if (factory.clock.now() >= deadline)
      throw new Error(
        `${evictionError(pod.metadata)}: global timeout reached: ${timeoutText(removal)}`,
      );
    try {
      await requestEviction(remover, current, version);
      return current;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return undefined;
      if (isOfEndingNamespace(error) && current.metadata.deletionTimestamp) return current;
      io.stderr.write(
        `${retryText(error, current)} (will retry after 5s): ${errorMessage(error)}\n`,
      );
    }
    await sleep(factory.clock, retryMs, signal);
    const fresh = await requests.get({ namespace, name }).catch(() => undefined);
    if (fresh) current = fresh as unknown as Pod;
  }
}

const retryMs = 5000;

/** What failed, if evicting the pod is to be tried again; throws the error otherwise. */
function retryText(error: unknown, { metadata }: Pod): string {
  const { name = "", namespace = "" } = metadata;
  const what = evictionError(metadata);
  if (StatusError.is(error, "TooManyRequests")) return what;
  if (isOfEndingNamespace(error))
    return `error when evicting pod ${quote(name)} from terminating namespace ${quote(namespace)}`;
  throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
}

const evictionError = ({ name = "", namespace = "" }: Pod["metadata"]): string =>
  `error when evicting pods/${quote(name)} -n ${quote(namespace)}`;

const isOfEndingNamespace = (error: unknown): boolean =>
  StatusError.is(error, "Forbidden") &&
  (error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false);

async function requestEviction(
  { client, removal, signal }: Remover,
  { metadata }: Pod,
  apiVersion: string,
): Promise<void> {
  const { name = "", namespace = "" } = metadata;
  const response = await client.raw({
    method: "POST",
    path: resourcePath(knownKinds.pod, { namespace, name, subresource: "eviction" }),
    body: {
      kind: "Eviction",
      apiVersion,
      metadata: { name, namespace },
      deleteOptions: deleteOptions(removal),
    },
    signal,
  });
  await decodeResponse(response, { request: { method: "POST", kind: knownKinds.pod, name } });
}

async function deletePods(remover: Remover, pods: readonly Pod[]): Promise<void> {
  const { client, factory, signal, removal } = remover;
  const requests = helper(client, knownKinds.pod, { signal });
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const how = { apiVersion: "v1", kind: "DeleteOptions", ...deleteOptions(removal) };
    await requests.delete({ name, namespace }, how).catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound")) throw error;
    });
    if (removal.isVerbose) printRemoval(remover, pod, "deletion started");
  }
  const deadline =
    removal.timeoutMs === 0 ? Number.POSITIVE_INFINITY : factory.clock.now() + removal.timeoutMs;
  await waitForDeletion(remover, pods, { deadline, isEviction: false });
}

/** Waits until pods are gone, and prints each one that is. */
async function waitForDeletion(
  remover: Remover,
  pods: readonly Pod[],
  { deadline, isEviction }: { readonly deadline: number; readonly isEviction: boolean },
): Promise<void> {
  const { client, factory, signal, io, removal } = remover;
  const requests = helper(client, knownKinds.pod, { signal });
  const { skipsDeletedAfterSeconds } = removal;
  let pending = pods;
  for (;;) {
    const left: Pod[] = [];
    for (const pod of pending) {
      const { name = "", namespace = "", uid } = pod.metadata;
      const current = await requests.get({ name, namespace }).catch((error: unknown) => {
        if (StatusError.is(error, "NotFound")) return undefined;
        printRemoval(remover, pod, isEviction ? "eviction failed" : "deletion failed");
        throw error;
      });
      const now = factory.clock.now();
      if (!current || current.metadata.uid !== uid)
        printRemoval(remover, pod, isEviction ? "evicted" : "deleted");
      else if (isLongDeleted(current as unknown as Pod, { skipsDeletedAfterSeconds, now }))
        io.stdout.write(
          `pod ${quote(name)} has DeletionTimestamp older than ${skipsDeletedAfterSeconds} seconds, skipping\n`,
        );
      else left.push(pod);
    }
    if (left.length === 0) return;
    pending = left;
    const remaining = deadline - factory.clock.now();
    if (remaining > 0) await sleep(factory.clock, Math.min(pollMs, remaining), signal);
    if (factory.clock.now() >= deadline) throw new Error(timedOut(isEviction, removal));
  }
}

const pollMs = 1000;

const timedOut = (isEviction: boolean, removal: Removal): string =>
  isEviction ? `global timeout reached: ${timeoutText(removal)}` : "context deadline exceeded";

const timeoutText = ({ timeoutMs }: Removal): string =>
  formatDuration(BigInt(Math.round(timeoutMs * 1e6)));

function printRemoval({ io, removal }: Remover, { metadata }: Pod, operation: string): void {
  io.stdout.write(`pod/${metadata.name} ${operation}${dryRunSuffix[removal.dryRun]}\n`);
}
