import { type Clock, ticksOf } from "../../../../base/clock.ts";
import type { Sent } from "../../../../base/protobuf-message.ts";
import type { RuntimeErrorCode } from "../../../../cri/runtime-service.ts";
import type { GrpcMethod } from "../../../../platform/grpc/grpc-method.ts";
import { PluginError, pluginClient } from "../../plugins/plugin-client.ts";
import type { CsiMetrics } from "./csi-metrics.ts";
import { type NodeCapability, nodeMethods } from "./wire/node-methods.ts";

/** The node service of a driver. Calls end after two minutes; failed ones reject with a `DriverError`. */
export interface CsiDriverClient {
  call<I, O>(method: GrpcMethod<I, O>, request: Sent<I>): Promise<O>;
  /** What the driver can do, for which it is called once. */
  capabilities(): Promise<ReadonlySet<NodeCapability>>;
  /** Closes the connection as soon as no call is under way. */
  retire(): void;
  /** Closes the connection; calls that are under way fail. */
  close(): void;
}

/** A call that failed, in the words of Go's client. */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, text: string) {
    super(text);
    this.code = code;
  }

  /** Whether the driver has certainly ended what it was called for, and does not continue with it. */
  get isFinal(): boolean {
    return !uncertain.has(this.code);
  }
}

const uncertain: ReadonlySet<RuntimeErrorCode> = new Set([
  ...(["Canceled", "DeadlineExceeded", "Unavailable", "ResourceExhausted", "Aborted"] as const),
]);

export interface DriverClientOptions {
  readonly name: string;
  readonly socket: string;
  readonly clock: Clock;
  readonly metrics: CsiMetrics;
}

/** Creates the client of a driver, without connecting. */
export function csiDriverClient(options: DriverClientOptions): CsiDriverClient {
  const client = pluginClient(options.socket);
  const ticks = ticksOf(options.clock);
  let running = 0;
  let isRetired = false;
  let known: ReadonlySet<NodeCapability> | undefined;

  const call: CsiDriverClient["call"] = async (method, request) => {
    const began = ticks();
    let code = "OK";
    running++;
    try {
      return await client.call(method, request, { timeoutMs: longestMs });
    } catch (error) {
      const failure = driverError(error);
      code = failure.code;
      throw failure;
    } finally {
      running--;
      if (isRetired && running === 0) client.close();
      options.metrics.called(options.name, method.path, code, (ticks() - began) / 1000);
    }
  };
  return {
    call,
    async capabilities() {
      if (known) return known;
      const { capabilities } = await call(nodeMethods.getCapabilities, {});
      known = new Set(capabilities.flatMap(({ rpc }) => (rpc ? [rpc.type] : [])));
      return known;
    },
    retire() {
      isRetired = true;
      if (running === 0) client.close();
    },
    close: () => client.close(),
  };
}

const longestMs = 120_000;

function driverError(error: unknown): DriverError {
  if (!(error instanceof Error)) return new DriverError("Unknown", String(error));
  return new DriverError(error instanceof PluginError ? error.code : "Unavailable", error.message);
}
