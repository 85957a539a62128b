import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { type Client, type ClientOptions, createClient } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import { observeWrites } from "../cache/observe-writes.ts";
import type { OwnWrite } from "../cache/own-write.ts";
import { createCoreEventSink } from "../events/core-event-sink.ts";
import { createEventSink, type EventSink } from "../events/event-recorder.ts";

/** Client and events of one transport, with or without a fence by the leadership. */
export interface ManagerPart {
  readonly client: Client;
  /** A client whose calls abort with `signal`, and which reports its writes. */
  observed(signal: AbortSignal, onWrite: (write: OwnWrite) => void): Client;
  /** The sink of events, created at the first call. */
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

/** The API of events. */
export type EventApi = "core" | "events.k8s.io";

/** Client and events of a transport. */
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

/** A transport whose calls also abort with a signal. */
const withSignal =
  (transport: Transport, signal: AbortSignal): Transport =>
  (request) =>
    transport({
      ...request,
      signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
    });
