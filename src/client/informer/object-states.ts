import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Client } from "../client.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../resource-kind.ts";
import { TransportError } from "../transport.ts";

/**
 * Yields the state of one object: first the current one, then one after each change, undefined while it
 * does not exist. Broken connections and expired versions are retried, and may skip states; it ends when
 * the caller leaves the loop, the signal aborts or the server rejects a request.
 */
export async function* objectStates<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  { key, signal }: { readonly key: ObjectKey; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<O | undefined, never, undefined> {
  const position: Position = { version: "" };
  for (;;) {
    const begun = client.clock.now();
    let delay = 0;
    try {
      yield* attempt(client, kind, { key, signal, position });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isRetriable(error)) throw error;
      if (isExpired(error)) position.version = "";
      delay = retryAfterMs(error);
    }
    const early = begun + minIntervalMs - client.clock.now();
    await sleep(client.clock, Math.max(delay, early, 0), signal);
  }
}

/** All changes up to this version were seen; empty if a list is needed. */
interface Position {
  version: string;
}

/** Lists if needed, and watches from there. */
async function* attempt<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  from: { readonly key: ObjectKey; readonly signal: AbortSignal | undefined; position: Position },
): AsyncGenerator<O | undefined, void, undefined> {
  const { key, signal, position } = from;
  const namespace = kind.scope === "Namespaced" ? (key.namespace ?? client.namespace) : undefined;
  const which = { namespace, fieldSelector: { "metadata.name": key.name }, signal };
  if (position.version === "") {
    const { items, metadata } = await client.list(kind, which);
    position.version = metadata.resourceVersion;
    yield items[0];
  }
  const { version: resourceVersion } = position;
  const options = { ...which, resourceVersion, timeoutSeconds: watchSeconds };
  for await (const { type, object } of limitedWatch(client, kind, options)) {
    position.version = object.metadata.resourceVersion ?? position.version;
    if (type !== "BOOKMARK") yield type === "DELETED" ? undefined : object;
  }
}

/** The duration of one watch, after which the next one resumes. */
const watchSeconds = 300;
/** A watch that ends this much too late is aborted: its connection is dead. */
const graceMs = 10_000;
/** The minimum time between the starts of two attempts. */
const minIntervalMs = 1000;

/** A watch that is aborted if the server does not end it after `timeoutSeconds`. */
async function* limitedWatch<O>(
  client: Client,
  kind: ResourceKind<O>,
  options: Parameters<Client["watch"]>[1] & { readonly timeoutSeconds: number },
) {
  const ending = new AbortController();
  const { signal, timeoutSeconds } = options;
  const abort = (): void => ending.abort(new TransportError("the watch did not end in time"));
  const unfollow = onAbort(signal, () => ending.abort(signal?.reason));
  const timer = client.clock.setTimer(timeoutSeconds * 1000 + graceMs, abort);
  try {
    signal?.throwIfAborted();
    yield* client.watch(kind, { ...options, signal: ending.signal });
  } finally {
    timer.cancel();
    unfollow();
  }
}

const isExpired = (error: unknown): boolean => StatusError.is(error) && error.code === 410;

/** Whether a retry may succeed: there was no response, or the server is unavailable for now. */
const isRetriable = (error: unknown): boolean =>
  error instanceof TransportError ||
  (StatusError.is(error) && (error.code >= 500 || [408, 410, 429].includes(error.code)));

const retryAfterMs = (error: unknown): number =>
  StatusError.is(error) ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
