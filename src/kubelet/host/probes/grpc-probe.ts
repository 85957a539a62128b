import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "../../../base/error-message.ts";
import { hostPort } from "../../../base/network.ts";
import { errorCodeOf } from "../../../cri/wire/error-codes.ts";
import { createGrpcClient } from "../../../platform/grpc/grpc-client.ts";
import { GrpcError, grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { ProbeAnswer, ProbeRequest } from "../../pod/probes/prober.ts";
import { healthCheck, servingStatus } from "./health-service.ts";

type Action = NonNullable<ProbeRequest["probe"]["grpc"]>;

/** Probes a container with gRPC's health check. It connects again until the time is over, as Go's client does. */
export async function grpcProbe(
  { port, service }: Action,
  { podIP, probe, signal }: ProbeRequest,
): Promise<ProbeAnswer> {
  const address = hostPort(podIP, port);
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  const timeout = formatDuration(BigInt(timeoutMs) * 1_000_000n);
  const deadline = performance.now() + timeoutMs;
  const fail = (output: string): ProbeAnswer => ({ result: "failure", output });
  for (let attempt = 0; ; attempt++) {
    const left = deadline - performance.now();
    if (left <= 0 || signal.aborted)
      return fail(
        `timeout: failed to connect service ${quote(address)} within ${timeout}: context deadline exceeded`,
      );
    const outcome = await check(address, { service: service ?? "", timeoutMs: left, signal });
    if (outcome.type === "status")
      return outcome.status === serving
        ? { result: "success", output: "service healthy" }
        : fail(`service unhealthy (responded with ${quote(servingStatus(outcome.status))})`);
    if (outcome.type === "error") return fail(errorText(outcome.error, timeout));
    const pause = Math.min(backoffMs(attempt), deadline - performance.now());
    await delay(Math.max(0, pause), undefined, { signal }).catch(() => {});
  }
}

const serving = 1;

/** The pauses of Go's client between attempts to connect: from a second on, with some chance. */
const backoffMs = (attempt: number): number =>
  Math.min(1000 * 1.6 ** attempt, 120_000) * (0.8 + 0.4 * Math.random());

type Outcome =
  | { readonly type: "status"; readonly status: number }
  | { readonly type: "error"; readonly error: unknown }
  /** The server does not speak HTTP/2, or there is none. */
  | { readonly type: "unconnected" };

interface CheckOptions {
  readonly service: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function check(
  address: string,
  { service, timeoutMs, signal }: CheckOptions,
): Promise<Outcome> {
  let isConnected = false;
  const client = createGrpcClient({
    address,
    userAgent: "kube-probe/1.36 grpc-go/1.79.3",
    maxMessageBytes: 4 * 1024 * 1024,
    greeted: () => {
      isConnected = true;
    },
  });
  try {
    const { status } = await client.unary(healthCheck, { service }, { timeoutMs, signal });
    return { type: "status", status };
  } catch (error) {
    return isConnected ? { type: "error", error } : { type: "unconnected" };
  } finally {
    client.close();
  }
}

function errorText(error: unknown, timeout: string): string {
  const message = errorMessage(error);
  if (!(error instanceof GrpcError)) return `error: health rpc probe failed: ${message}`;
  if (error.code === grpcCodes.unimplemented)
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`;
  if (error.code === grpcCodes.deadlineExceeded)
    return `timeout: health rpc did not complete within ${timeout}`;
  return `error: health rpc probe failed: rpc error: code = ${errorCodeOf(error.code)} desc = ${message}`;
}
