import type { SecureContextOptions } from "node:tls";
import { type Clock, sleep, ticksOf } from "../../base/clock.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import {
  createGrpcClient,
  type GrpcCallOptions,
  type GrpcClient,
  type GrpcReceiver,
  type GrpcStream,
} from "../../platform/grpc/grpc-client.ts";
import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";

export interface EtcdClusterOptions {
  /** `http://HOST:PORT` or `https://HOST:PORT`, one for each member. */
  readonly endpoints: readonly string[];
  readonly tls?: SecureContextOptions | undefined;
  /** Opens connections below TLS; directly if not given. */
  readonly dial?: Dial | undefined;
  readonly clock: Clock;
}

export interface EtcdCallOptions {
  /** Whether a repetition is harmless: a read, or an idempotent write. */
  readonly isRepeatable: boolean;
  /** The first timeout of one member; all attempts together have `totalMs`. */
  readonly attemptMs?: number;
  readonly totalMs?: number;
}

/** The members of an etcd cluster: calls go to one of them, and to another if that one fails. */
export interface EtcdCluster {
  readonly endpoints: readonly string[];
  /** The last error of each member that failed. */
  failures(): ReadonlyMap<string, string>;
  /**
   * Calls a member, and tries the next if the call was certainly not executed or may be repeated, until
   * one responds or the time is up; then rejects with the GrpcError of the last attempt that was not cut
   * short.
   */
  call<I, O>(method: GrpcMethod<I, O>, request: Sent<I>, options: EtcdCallOptions): Promise<O>;
  /** Calls each member once. */
  askAll<I, O>(
    method: GrpcMethod<I, O>,
    request: Sent<I>,
    options: Pick<GrpcCallOptions, "timeoutMs">,
  ): Promise<PromiseSettledResult<O>[]>;
  /** Opens a stream to one member; after a failure, the next stream goes to another member. */
  stream<I, O>(method: GrpcMethod<I, O>, receiver: GrpcReceiver<O>): EtcdStream<I>;
  close(): void;
}

export interface EtcdStream<I> extends GrpcStream<I> {
  /** Ends the stream, and avoids its member from now on. */
  abandon(): void;
}

/** Creates the cluster from its URLs; connects on demand. */
export function createEtcdCluster(options: EtcdClusterOptions): EtcdCluster {
  const { endpoints, clock } = options;
  const ticks = ticksOf(clock);
  const members = endpoints.map((endpoint) => memberClient(endpoint, options));
  const endpointOf = (client: GrpcClient): string => endpoints[members.indexOf(client)] ?? "";
  const closing = new AbortController();
  const failed = new Map<string, string>();
  let current = 0;
  const member = (): GrpcClient => members[current] as GrpcClient;
  const leave = (left: GrpcClient, error?: unknown): void => {
    if (error instanceof Error) failed.set(endpointOf(left), error.message);
    if (member() === left) current = (current + 1) % members.length;
  };

  return {
    endpoints,
    failures: () => failed,
    async call(method, request, { isRepeatable, attemptMs = 1500, totalMs = 10_000 }) {
      const end = ticks() + totalMs;
      let failure: unknown;
      for (let attempt = 0; ; attempt++) {
        const client = member();
        const round = Math.floor(attempt / members.length);
        // All members may be slow: timeouts grow with each round.
        const wantedMs = isRepeatable ? attemptMs * 2 ** round : totalMs;
        const timeoutMs = Math.max(1, Math.min(wantedMs, end - ticks()));
        try {
          return await client.unary(method, request, { metadata: needsLeader, timeoutMs });
        } catch (error) {
          if (!mayGoOn(error, isRepeatable)) throw error;
          const reason = reasonOf(error, failure, timeoutMs < wantedMs);
          leave(client, reason === error ? error : undefined);
          failure = reason;
          const pause = pauseAfter(attempt, members.length);
          if (ticks() + pause >= end) throw reason;
          await sleep(clock, pause, closing.signal);
        }
      }
    },
    askAll: (method, request, options) =>
      Promise.allSettled(members.map((one) => one.unary(method, request, options))),
    stream(method, receiver) {
      const client = member();
      const end = (error: GrpcError | undefined): void => {
        leave(client);
        receiver.end(error);
      };
      try {
        const stream = client.stream(method, { ...receiver, end }, { metadata: needsLeader });
        return {
          ...stream,
          abandon() {
            leave(client);
            stream.cancel();
          },
        };
      } catch (error) {
        leave(client);
        throw error;
      }
    },
    close() {
      closing.abort(new GrpcError(grpcCodes.cancelled, "the client is closed"));
      for (const client of members) client.close();
    },
  };
}

/** A member without a leader then fails at once, instead of waiting for one. */
const needsLeader = { hasleader: "true" } as const;

/** Members reject clients that ping more often than every five seconds. */
const pingMs = 5500;

function memberClient(
  endpoint: string,
  { tls, dial }: Pick<EtcdClusterOptions, "tls" | "dial">,
): GrpcClient {
  const [, scheme, address = endpoint] = /^(\w+):\/\/([^/]+)\/?$/.exec(endpoint) ?? [];
  const isSecure = scheme === undefined ? tls !== undefined : scheme === "https";
  return createGrpcClient({ address, dial, pingMs, tls: isSecure ? (tls ?? {}) : undefined });
}

function mayGoOn(error: unknown, isRepeatable: boolean): error is GrpcError {
  if (!(error instanceof GrpcError)) return false;
  if (error.wasNotSent || wasRefusedUnread(error)) return true;
  return isRepeatable && (error.code === grpcCodes.unavailable || isTimeout(error));
}

/** Pauses after each round through all members, longer each time. */
const pauseAfter = (attempt: number, members: number): number =>
  (attempt + 1) % members === 0 ? Math.min(50 * 2 ** Math.floor(attempt / members), 1000) : 0;

/** A timeout that `totalMs` cut short says less than the error before it. */
const reasonOf = (error: GrpcError, before: unknown, wasCutShort: boolean): unknown =>
  wasCutShort && isTimeout(error) ? (before ?? error) : error;

const isTimeout = ({ code }: GrpcError): boolean => code === grpcCodes.deadlineExceeded;

/** With `hasleader`, this error comes before the request is executed. */
const wasRefusedUnread = ({ code, message }: GrpcError): boolean =>
  code === grpcCodes.unavailable && message === "etcdserver: no leader";
