import type { Clock } from "../../base/clock.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { realClock } from "../../platform/real-clock.ts";
import { dialSpdy } from "../../platform/spdy/dial-spdy.ts";
import type { ImageService } from "../image-service.ts";
import type { RuntimeService } from "../runtime-service.ts";
import { criCalls } from "./cri-calls.ts";
import { EventSource } from "./event-source.ts";
import { ImageClient } from "./image-client.ts";
import { RemoteStreams } from "./remote-streams.ts";
import { RuntimeClient } from "./runtime-client.ts";

export interface RuntimeConnectionOptions {
  /** `unix://PATH`, such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** After how long a call fails that has no limit of its own: two minutes by default, as kubelets have it. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A runtime in another process. */
export interface RuntimeConnection {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  close(): void;
}

/**
 * Connects to a runtime that speaks CRI v1 over gRPC, when it is first called. A runtime that lacks a method rejects
 * it with the code `Unimplemented`.
 */
export function connectRuntime({
  endpoint,
  timeoutMs = 120_000,
  clock = realClock,
}: RuntimeConnectionOptions): RuntimeConnection {
  if (!/^unix:\/\/\//.test(endpoint))
    throw new Error(`cannot connect to ${endpoint}: unix://PATH is needed`);
  const client = createGrpcClient({
    address: endpoint,
    maxMessageBytes: 16 * 1024 * 1024,
    // A local socket is never lost unnoticed, and servers disconnect clients that ping often.
    pingMs: 2 ** 31 - 1,
  });
  const calls = criCalls(client, timeoutMs);
  const events = new EventSource({ client, calls, clock });
  const streams = new RemoteStreams(calls, dialSpdy);
  return {
    runtime: new RuntimeClient({ calls, events, streams }),
    images: new ImageClient(calls),
    close() {
      events.close();
      client.close();
    },
  };
}
