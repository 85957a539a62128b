import type { Clock, Timer } from "../../base/clock.ts";
import type { MessageOf } from "../../base/protobuf-message.ts";
import type { GrpcClient, GrpcStream } from "../../platform/grpc/grpc-client.ts";
import { type GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import type { ContainerEvent } from "../runtime-types.ts";
import type { ContainerEventResponse } from "../wire/messages/runtime-messages.ts";
import { runtimeMethods } from "../wire/messages/runtime-methods.ts";
import { podUidLabel } from "../wire/pod-labels.ts";
import { fromNanos } from "../wire/times.ts";
import type { CriCalls } from "./cri-calls.ts";
import { type KnownState, type KnownStates, stateChanges } from "./state-changes.ts";

/** How often a runtime without events is asked, and how long after a lost connection it is called again. */
const intervalMs = 1000;
/** How often a runtime that sends events is asked all the same: one may have been lost. */
const relistMs = 5 * 60_000;

export interface EventSourceOptions {
  readonly client: Pick<GrpcClient, "stream">;
  readonly calls: Pick<CriCalls, "call">;
  readonly clock: Clock;
}

/**
 * The events of a runtime while somebody listens. A runtime that has none is asked for its state instead, as
 * kubelets do it; so is every runtime after its connection was lost, for what happened meanwhile, and every five
 * minutes.
 */
export class EventSource {
  readonly #client: EventSourceOptions["client"];
  readonly #calls: EventSourceOptions["calls"];
  readonly #clock: Clock;
  readonly #listeners = new Set<(event: ContainerEvent) => void>();
  #stream: GrpcStream<unknown> | undefined;
  /** When to ask again. */
  #timer: Timer | undefined;
  /** When to call again. */
  #reopening: Timer | undefined;
  /** The states as of the events so far; undefined until the first are known. */
  #known: Map<string, KnownState> | undefined;
  /** The IDs of events that arrived while the runtime was asked: its response may be older. */
  readonly #touched = new Set<string>();
  #isPolled = false;
  #asking: Promise<void> | undefined;
  #mustAskAgain = false;
  /** Grows when listening begins or ends, so that what was asked before is ignored. */
  #era = 0;

  constructor({ client, calls, clock }: EventSourceOptions) {
    this.#client = client;
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Notifies of changes until the returned function is called. */
  listen(listener: (event: ContainerEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.close();
    };
  }

  /** Resolves when changes from now on are noticed: a call that makes some waits for it. */
  async ready(): Promise<void> {
    if (this.#listeners.size > 0 && !this.#known) await this.#asking;
  }

  /** Looks for changes now, because a call has made some. */
  expectChanges(): void {
    if (this.#isPolled) this.#ask();
  }

  close(): void {
    this.#listeners.clear();
    this.#era++;
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#timer?.cancel();
    this.#reopening?.cancel();
    this.#known = undefined;
    this.#isPolled = false;
  }

  #begin(): void {
    this.#era++;
    this.#open();
    this.#ask();
  }

  #open(): void {
    const stream = this.#client.stream(runtimeMethods.getContainerEvents, {
      message: (response) => this.#received(response),
      end: (error) => this.#lost(error),
    });
    this.#stream = stream;
    stream.send({});
    stream.finish();
  }

  #received(response: MessageOf<typeof ContainerEventResponse>): void {
    const { container_id: containerId, container_event_type: type, created_at: at } = response;
    const podUid =
      response.pod_sandbox_status?.metadata?.uid ||
      response.containers_statuses.find(({ id }) => id === containerId)?.labels[podUidLabel] ||
      this.#known?.get(containerId)?.podUid ||
      "";
    if (this.#known && !isNews(this.#known.get(containerId), type)) return;
    this.#touched.add(containerId);
    if (type === "deleted") this.#known?.delete(containerId);
    else this.#known?.set(containerId, { podUid, state: stateAfter[type] });
    this.#notify({ type, containerId, podUid, at: fromNanos(at) });
  }

  #lost(error: GrpcError | undefined): void {
    this.#stream = undefined;
    if (error?.code === grpcCodes.unimplemented) {
      this.#isPolled = true;
      this.#ask();
      return;
    }
    this.#reopening = this.#clock.setTimer(intervalMs, () => {
      this.#open();
      this.#ask();
    });
  }

  /** Compares the state of the runtime with what is known; once more if that was requested meanwhile. */
  #ask(): void {
    this.#mustAskAgain = this.#asking !== undefined;
    if (this.#mustAskAgain) return;
    this.#timer?.cancel();
    this.#touched.clear();
    const wasKnown = this.#known !== undefined;
    this.#asking = this.#compare(this.#era).finally(() => {
      this.#asking = undefined;
      if (this.#listeners.size === 0) return;
      if (this.#mustAskAgain) this.#ask();
      // Nothing tells when a runtime begins to send events: what it did not send is found a little later.
      else if (this.#isPolled || (this.#stream && !wasKnown)) this.#askIn(intervalMs);
      else if (this.#stream) this.#askIn(relistMs);
    });
  }

  #askIn(ms: number): void {
    this.#timer = this.#clock.setTimer(ms, () => this.#ask());
  }

  async #compare(era: number): Promise<void> {
    let now: Map<string, KnownState>;
    try {
      now = await this.#states();
    } catch {
      // The next try finds the changes.
      return;
    }
    if (era !== this.#era) return;
    const before: KnownStates | undefined = this.#known;
    for (const id of this.#touched) {
      const known = before?.get(id);
      if (known) now.set(id, known);
      else if (before) now.delete(id);
    }
    this.#known = now;
    if (!before) return;
    for (const event of stateChanges(before, now, this.#clock.now())) this.#notify(event);
  }

  async #states(): Promise<Map<string, KnownState>> {
    const [{ items }, { containers }] = await Promise.all([
      this.#calls.call(runtimeMethods.listPodSandbox, {}),
      this.#calls.call(runtimeMethods.listContainers, {}),
    ]);
    const states = new Map<string, KnownState>();
    const podUids = new Map<string, string>();
    for (const { id, metadata, state } of items) {
      const podUid = metadata?.uid ?? "";
      podUids.set(id, podUid);
      states.set(id, { podUid, state: state === "ready" ? "running" : "exited" });
    }
    for (const { id, pod_sandbox_id, labels, state } of containers) {
      const podUid = labels[podUidLabel] ?? podUids.get(pod_sandbox_id) ?? "";
      states.set(id, { podUid, state: state === "unknown" ? "exited" : state });
    }
    return states;
  }

  #notify(event: ContainerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Whether an event tells more than what is known, from lists or earlier events. */
function isNews(known: KnownState | undefined, type: ContainerEvent["type"]): boolean {
  if (type === "deleted") return known !== undefined;
  return !known || states.indexOf(stateAfter[type]) > states.indexOf(known.state);
}

const states = ["created", "running", "exited"] as const;
const stateAfter = { created: "created", started: "running", stopped: "exited" } as const;
