import { Event } from "../api/core/v1/event/event.ts";
import type { Node } from "../api/core/v1/node/node.ts";
import type { ObjectReference } from "../api/core/v1/object-reference.ts";
import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { abortReason } from "../base/abort-reason.ts";
import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import {
  createEventCorrelator,
  type EventCorrelator,
} from "../controller-runtime/events/event-correlator.ts";
import { createEventNames } from "../controller-runtime/events/event-names.ts";
import { timeText } from "./pod/container/container-statuses.ts";

/** Records the events of a kubelet. It never waits and never throws. */
export interface KubeletEvents {
  pod(pod: Pod, event: KubeletEvent): void;
  /** About a container of a pod, by its name. */
  container(pod: Pod, container: string, event: KubeletEvent): void;
  node(node: Pick<Node, "metadata">, event: KubeletEvent): void;
  claim(claim: PersistentVolumeClaim, event: KubeletEvent): void;
  /** Rejects further events; resolves when all are written. */
  close(): Promise<void>;
}

export interface KubeletEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** State that the kubelets of one process share: counts of events, and unique event names. */
export interface EventMemory {
  readonly correlator: EventCorrelator<WrittenEvent>;
  nextName(object: string): string;
}

interface WrittenEvent {
  readonly name: string;
  readonly namespace: string;
}

/** Creates the state without any events. */
export function createEventMemory(clock: Clock, random: Random): EventMemory {
  return {
    correlator: createEventCorrelator<WrittenEvent>(clock),
    nextName: createEventNames(clock, random),
  };
}

export interface KubeletEventsOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: EventMemory;
}

/** Events of a node's kubelet, in the core API, which kubelets still use. */
export function createKubeletEvents(options: KubeletEventsOptions): KubeletEvents {
  const { nodeName, client, clock, log, memory } = options;
  const queue: RecordedEvent[] = [];
  let working: Promise<void> | undefined;
  const closing = new AbortController();
  let isClosed: boolean = false;

  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const write = prepared(next);
      await (write && untilWritten(write));
    }
    working = undefined;
  };
  /** An API server that cannot be reached gets the events later, those that were recorded first. */
  const untilWritten = async (write: () => Promise<unknown>): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        await write();
        return;
      } catch (error) {
        // The namespace may have been deleted: losing its events does no harm.
        if (StatusError.is(error)) return;
        if (tries === 1) log.warn("writing the event failed", { error });
        if (isClosed) return;
      }
      await sleep(clock, retryMs, closing.signal).catch(() => {});
    }
  };
  /** Compares it with earlier events only when it is written, after other work of the kubelet. */
  const prepared = ({ object, event, at }: RecordedEvent): (() => Promise<unknown>) | undefined => {
    const { type, reason, message, annotations } = event;
    const { kind, namespace, name = "", uid, fieldPath } = object;
    const source = [nodeName, kind, namespace, name, uid].join("\0");
    const matter = [type, reason, fieldPath].join("\0");
    const seen = memory.correlator.correlate({ source, matter, note: message });
    if (!memory.correlator.mayWrite(source)) return undefined;
    const time = timeText(at);
    if (seen.type === "again") {
      const { written, count } = seen.entry;
      const patch = { count, message: seen.note, lastTimestamp: time };
      return () => client.patch(Event, written, { strategic: patch });
    }
    const metadata = { name: memory.nextName(name), namespace: namespace ?? "default" };
    seen.remember(metadata);
    const created = {
      metadata: { ...metadata, ...(annotations && { annotations }) },
      involvedObject: object,
      reason,
      message: seen.note,
      source: { component: "kubelet", host: nodeName },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      reportingComponent: "kubelet",
      reportingInstance: nodeName,
    };
    return () => client.create(Event, created as never);
  };
  const record = (object: ObjectReference, event: KubeletEvent): void => {
    if (isClosed || queue.length >= mostQueued) return;
    queue.push({ object, event, at: clock.now() });
    working ??= work();
  };

  return {
    pod: (pod, event) => record(podReference(pod), event),
    container: (pod, container, event) =>
      record({ ...podReference(pod), fieldPath: fieldPathOf(pod, container) }, event),
    // Upstream's kubelet, too, uses the node's name as its uid here.
    node: ({ metadata }, event) =>
      record({ kind: "Node", name: metadata.name ?? "", uid: metadata.name ?? "" }, event),
    claim: (claim, event) =>
      record({ ...podReference(claim), kind: "PersistentVolumeClaim" }, event),
    async close() {
      isClosed = true;
      closing.abort(abortReason);
      await working;
    },
  };
}

/** A queued event. */
interface RecordedEvent {
  readonly object: ObjectReference;
  readonly event: KubeletEvent;
  readonly at: number;
}

const mostQueued = 1000;
/** As often as upstream tries it. */
const retryMs = 10_000;

const podReference = ({ metadata }: Pick<Pod, "metadata">): ObjectReference => ({
  kind: "Pod",
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  apiVersion: "v1",
  resourceVersion: metadata.resourceVersion ?? "",
});

function fieldPathOf({ spec }: Pod, container: string): string {
  const isIn = (list: readonly { readonly name: string }[] | null | undefined): boolean =>
    list?.some(({ name }) => name === container) ?? false;
  if (isIn(spec.initContainers)) return `spec.initContainers{${container}}`;
  if (isIn(spec.ephemeralContainers)) return `spec.ephemeralContainers{${container}}`;
  return `spec.containers{${container}}`;
}
