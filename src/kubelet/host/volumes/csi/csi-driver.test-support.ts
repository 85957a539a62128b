import { join } from "node:path";
import type { Sent } from "../../../../base/protobuf-message.ts";
import type { GrpcError } from "../../../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../../../platform/grpc/grpc-method.ts";
import { type GrpcHandler, unaryHandler } from "../../../../platform/grpc/grpc-server.ts";
import { registrationHandlers, serveSocket } from "../../plugins/plugin.test-support.ts";
import { type NodeCapability, nodeMethods } from "./wire/node-methods.ts";

/** A CSI driver in this process: it bind-mounts folders, and records how it was called. */
export interface TestDriver {
  readonly name: string;
  readonly socket: string;
  /** The calls about volumes, in order. */
  readonly calls: DriverCall[];
  /** The names of calls about volumes, without `Node` and `Volume`: `Stage`, `Publish`. */
  readonly called: readonly string[];
  /** What the plugin watcher notified it of: "" for success. */
  readonly outcomes: readonly string[];
  /** What it says of its node. */
  info: Sent<{ node_id: string; max_volumes_per_node: bigint; topology: Record<string, string> }>;
  /** The errors with which calls are answered, by the names of calls. */
  readonly failures: Map<string, GrpcError>;
  /** Creates its socket of the registration service, which registers it. */
  register(folder: string): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
}

export interface DriverCall {
  readonly name: string;
  readonly request: Readonly<Record<string, unknown>>;
}

export interface TestDriverOptions {
  readonly name?: string;
  /** The folder of its socket. */
  readonly folder: string;
  readonly capabilities?: readonly NodeCapability[];
  readonly versions?: readonly string[];
}

/** Serves a driver until the test ends. */
export async function serveDriver(options: TestDriverOptions): Promise<TestDriver> {
  const { name = "csi.example.com", folder, capabilities = [], versions = ["1.0.0"] } = options;
  const socket = join(folder, `${name}.sock`);
  const calls: DriverCall[] = [];
  const outcomes: string[] = [];
  const failures = new Map<string, GrpcError>();
  const driver: Pick<TestDriver, "info"> = {
    info: { node_id: "id-1", max_volumes_per_node: 0n, topology: {} },
  };
  const handler = <I, O>(
    method: GrpcMethod<I, O>,
    answer: (request: I) => Promise<Sent<O>>,
  ): GrpcHandler =>
    unaryHandler(method, async (request) => {
      const call = callName(method.path);
      calls.push({ name: call, request: request as Readonly<Record<string, unknown>> });
      const failure = failures.get(call);
      if (failure) throw failure;
      return answer(request);
    });
  const server = await serveSocket(socket, [
    handler(nodeMethods.getInfo, async () => {
      const { topology = {}, ...info } = driver.info;
      return { ...info, accessible_topology: { segments: topology as Record<string, string> } };
    }),
    handler(nodeMethods.getCapabilities, async () => ({
      capabilities: capabilities.map((type) => ({ rpc: { type } })),
    })),
  ]);
  return {
    name,
    socket,
    calls,
    outcomes,
    failures,
    get called() {
      return calls.map((call) => call.name).filter((call) => !call.startsWith("Get"));
    },
    get info() {
      return driver.info;
    },
    set info(info) {
      driver.info = info;
    },
    register: (registry) =>
      serveSocket(
        join(registry, `${name}-reg.sock`),
        registrationHandlers({ type: "CSIPlugin", name, endpoint: socket, versions }, outcomes),
      ),
    close: () => server.close(),
  };
}

/** `/csi.v1.Node/NodeStageVolume` → `Stage` */
const callName = (path: string): string =>
  path.slice("/csi.v1.Node/Node".length).replace(/Volume(?!Stats)/, "");
