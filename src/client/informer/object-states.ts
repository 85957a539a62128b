import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Client } from "../client.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../resource-kind.ts";
import { TransportError } from "../transport.ts";

/**
 * What becomes of one object: how it is now, then how it is after each change, undefined while it is
 * not there. It goes on, through broken connections and versions that are gone, until nobody asks any
 * more, the signal aborts, or the server refuses; states in between may be left out.
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
      if (!mayPass(error)) throw error;
      if (isExpired(error)) position.version = "";
      delay = askedDelay(error);
    }
    const early = begun + shortestMs - client.clock.now();
    await sleep(client.clock, Math.max(delay, early, 0), signal);
  }
}

/** The version up to which all is known; empty where it has to be looked at anew. */
interface Position {
  version: string;
}

/** One look, where it is needed, and one watch from there. */
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
  for await (const { type, object } of limited(client, kind, options)) {
    position.version = object.metadata.resourceVersion ?? position.version;
    if (type !== "BOOKMARK") yield type === "DELETED" ? undefined : object;
  }
}

/** How long one watch may last before the next one goes on. */
const watchSeconds = 300;
/** How much later than promised a watch may end before its connection is taken for dead. */
const graceMs = 10_000;
/** From one attempt to the next, at least. */
const shortestMs = 1000;

/** A watch that is given up when the server does not end it in time: then nobody is there any more. */
async function* limited<O>(
  client: Client,
  kind: ResourceKind<O>,
  options: Parameters<Client["watch"]>[1] & { readonly timeoutSeconds: number },
) {
  const ending = new AbortController();
  const { signal, timeoutSeconds } = options;
  const giveUp = (): void => ending.abort(new TransportError("the watch did not end in time"));
  const unfollow = onAbort(signal, () => ending.abort(signal?.reason));
  const timer = client.clock.setTimer(timeoutSeconds * 1000 + graceMs, giveUp);
  try {
    signal?.throwIfAborted();
    yield* client.watch(kind, { ...options, signal: ending.signal });
  } finally {
    timer.cancel();
    unfollow();
  }
}

const isExpired = (error: unknown): boolean => StatusError.is(error) && error.code === 410;

/** Whether asking again may help: nobody answered, or the server cannot just now. */
const mayPass = (error: unknown): boolean =>
  error instanceof TransportError ||
  (StatusError.is(error) && (error.code >= 500 || [408, 410, 429].includes(error.code)));

const askedDelay = (error: unknown): number =>
  StatusError.is(error) ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
