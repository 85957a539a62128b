import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { type Client, type ClientOptions, createClient } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import { observeWrites } from "../cache/observe-writes.ts";
import type { OwnWrite } from "../cache/own-write.ts";
import { createCoreEventSink } from "../events/core-event-sink.ts";
import { createEventSink, type EventSink } from "../events/event-recorder.ts";

/** What is done through one transport: one that the leadership fences, or one that nothing holds back. */
export interface ManagerPart {
  readonly client: Client;
  /** A client whose calls end with `signal`, and which tells what they wrote. */
  observed(signal: AbortSignal, onWrite: (write: OwnWrite) => void): Client;
  /** Where events are written, from the first who asks. */
  events(): EventSink;
  closeEvents(ms: number): Promise<void>;
}

export interface ManagerPartOptions {
  readonly client: ClientOptions;
  readonly random: Random;
  readonly log: Log;
  readonly host: string;
  readonly eventApi: EventApi;
}

/** Of which API events are. */
export type EventApi = "core" | "events.k8s.io";

/** What is done through a transport. */
export function managerPart(
  transport: Transport,
  { client: how, random, log, host, eventApi }: ManagerPartOptions,
): ManagerPart {
  const client = createClient(transport, how);
  let sink: EventSink | undefined;
  return {
    client,
    observed: (signal, onWrite) =>
      createClient(observeWrites(withSignal(transport, signal), onWrite), how),
    events() {
      const createSink = eventApi === "core" ? createCoreEventSink : createEventSink;
      sink ??= createSink({ client, clock: how.clock, random, log, host });
      return sink;
    },
    closeEvents: async (ms) => sink?.close(ms),
  };
}

/** A transport whose calls end with a signal, too. */
const withSignal =
  (transport: Transport, signal: AbortSignal): Transport =>
  (request) =>
    transport({
      ...request,
      signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
    });
