import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { DeadlineExceeded, sleep, withDeadline } from "../../../base/clock.ts";
import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { TransportError } from "../../../client/transport.ts";
import { endsInitialEvents } from "../../../client/watch-stream.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import { ExitError } from "../../program/command-error.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { helper, type ObjectPlace } from "../../resource/helper.ts";

/** Which object is followed, and until when. */
export interface Following extends ObjectPlace {
  readonly kind: DiscoveredKind;
  /** Whether requests are those of the original's clients with Go types, which send their time limit twice. */
  readonly isTyped?: boolean;
  /** The time at which to give up; never if not given. */
  readonly deadline?: number;
  /** Called once with the object as it is at first; returns whether that is enough. */
  synced?(object: DynamicObject | undefined): boolean;
  /** Called with each state of the object, the first one included; returns whether that is enough. */
  change(type: ChangeType, object: DynamicObject): boolean;
}

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";
type FollowContext = Pick<CommandContext, "factory" | "signal">;

/**
 * Follows an object by name as informers do: a watch that ends is begun again. Returns the last state; undefined if
 * the first one was enough. Throws `DeadlineExceeded`; a signal ends the command with the exit code 1.
 */
export async function followObject(
  context: FollowContext,
  following: Following,
): Promise<DynamicObject | undefined> {
  const { factory, signal } = context;
  const { deadline } = following;
  try {
    if (deadline === undefined) return await follow(context, following);
    const ms = Math.max(0, deadline - factory.clock.now());
    if (ms === 0) throw new DeadlineExceeded(0);
    return await withDeadline({ clock: factory.clock, ms, signal }, (signal) =>
      follow({ factory, signal }, following),
    );
  } catch (error) {
    // As the original, which leaves without a word while it waits.
    if (signal.aborted) throw new ExitError(1);
    throw error;
  }
}

async function follow(
  { factory, signal }: FollowContext,
  following: Following,
): Promise<DynamicObject | undefined> {
  const judge = judgeOf(following);
  let canStream = true;
  for (;;) {
    try {
      const states = canStream ? streamedStates : listedStates;
      for await (const state of states({ factory, signal }, following)) {
        const verdict = judge(state);
        if (verdict) return verdict.last;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JudgementError) throw error.cause;
      if (!(error instanceof TransportError || error instanceof StatusError)) throw error;
      // Older servers do not begin watches with the present state.
      if (StatusError.is(error, "Invalid", "BadRequest")) canStream = false;
    }
    await sleep(factory.clock, retryMs, signal);
  }
}

const retryMs = 1000;

/** What the functions of the caller have thrown, which ends the watch. */
class JudgementError extends Error {
  override readonly name = "JudgementError";
}

/** Returns a function that takes one state after the other, and says when it was the last. */
function judgeOf(
  following: Following,
): (state: State) => { readonly last: DynamicObject | undefined } | undefined {
  let known: DynamicObject | undefined;
  let isFirst = true;
  const changed = (type: ChangeType, object: DynamicObject) =>
    following.change(type, object) ? { last: object } : undefined;
  const judged = ({ type, object }: State) => {
    const before = known;
    known = type === "DELETED" ? undefined : object;
    if (type !== "SYNCED") return changed(type, object);
    const isEnough = isFirst && following.synced?.(object) === true;
    isFirst = false;
    if (isEnough) return { last: undefined };
    if (object) return changed(before ? "MODIFIED" : "ADDED", object);
    return before && changed("DELETED", before);
  };
  return (state) => {
    try {
      return judged(state);
    } catch (cause) {
      throw new JudgementError("judging a state failed", { cause });
    }
  };
}

/** The object as it is when a watch begins, and then its changes. */
type State =
  | { readonly type: "SYNCED"; readonly object: DynamicObject | undefined }
  | { readonly type: ChangeType; readonly object: DynamicObject };

async function* streamedStates(
  { factory, signal }: FollowContext,
  { kind, namespace, name, isTyped }: Following,
): AsyncGenerator<State> {
  const requests = helper(await factory.client(), kind, {
    signal,
    query: {
      resourceVersionMatch: "NotOlderThan",
      sendInitialEvents: true,
      ...(isTyped && { timeout: formatDuration(BigInt(watchSeconds) * 1_000_000_000n) }),
    },
  });
  const events = requests.watch(namespace, {
    allowWatchBookmarks: true,
    fieldSelector: `metadata.name=${name}`,
    timeoutSeconds: watchSeconds,
  });
  let initial: DynamicObject | undefined;
  let isSynced = false;
  for await (const event of events) {
    if (event.type === "BOOKMARK") {
      if (isSynced || !endsInitialEvents(event.object)) continue;
      isSynced = true;
      yield { type: "SYNCED", object: initial };
    } else if (isSynced) yield event;
    else initial = event.type === "DELETED" ? undefined : event.object;
  }
}

async function* listedStates(
  { factory, signal }: FollowContext,
  { kind, namespace, name }: Following,
): AsyncGenerator<State> {
  const requests = helper(await factory.client(), kind, { signal });
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await requests.list(namespace, { fieldSelector });
  const [object] = (items ?? []) as readonly DynamicObject[];
  yield { type: "SYNCED", object };
  const { resourceVersion } = metadata;
  const events = requests.watch(namespace, {
    fieldSelector,
    resourceVersion,
    timeoutSeconds: watchSeconds,
  });
  for await (const event of events) if (event.type !== "BOOKMARK") yield event;
}

const watchSeconds = 420;
