import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sent } from "../../../../base/protobuf-message.ts";
import type { GrpcError } from "../../../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../../../platform/grpc/grpc-method.ts";
import { type GrpcHandler, unaryHandler } from "../../../../platform/grpc/grpc-server.ts";
import { mustRun } from "../../../../platform/run-child.ts";
import { registrationHandlers, serveSocket } from "../../plugins/plugin.test-support.ts";
import { mountAt } from "../mounts.ts";
import { type NodeCapability, nodeMethods } from "./wire/node-methods.ts";

/** A CSI driver in this process: it bind-mounts folders, and records how it was called. */
export interface TestDriver {
  readonly name: string;
  readonly socket: string;
  /** The calls about volumes, in order. */
  readonly calls: DriverCall[];
  /** The names of calls about volumes, without `Node` and `Volume`: `Stage`, `Publish`. */
  readonly called: readonly string[];
  /** The latest request of a call. */
  last(call: string): Readonly<Record<string, unknown>> | undefined;
  /** What the plugin watcher notified it of: "" for success. */
  readonly outcomes: readonly string[];
  /** What it says of its node. */
  info: Sent<{ node_id: string; max_volumes_per_node: bigint; topology: Record<string, string> }>;
  /** The errors with which calls are answered, by the names of calls. */
  readonly failures: Map<string, GrpcError>;
  /** What it awaits before and after the work of a call, by `before NAME` and `after NAME`. */
  readonly holds: Map<string, Promise<void>>;
  /** The most calls about one volume that were under way at once. */
  readonly mostAtOnce: number;
  /** The folder with the files of a volume. */
  content(handle: string): string;
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
  /** The folder of its socket and of its volumes. */
  readonly folder: string;
  readonly capabilities?: readonly NodeCapability[];
  readonly versions?: readonly string[];
  /** The device that volumes are, if they are used as devices. */
  readonly device?: string;
}

/** Serves a driver until the test ends. */
export async function serveDriver(options: TestDriverOptions): Promise<TestDriver> {
  const { name = "csi.example.com", folder, capabilities = [], versions = ["1.0.0"] } = options;
  const socket = join(folder, `${name}.sock`);
  const calls: DriverCall[] = [];
  const outcomes: string[] = [];
  const failures = new Map<string, GrpcError>();
  const holds = new Map<string, Promise<void>>();
  const running = new Map<string, number>();
  let mostAtOnce = 0;
  const driver: Pick<TestDriver, "info"> = {
    info: { node_id: "id-1", max_volumes_per_node: 0n, topology: {} },
  };
  const content = (handle: string): string => {
    const path = join(folder, "volumes", handle);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const handler = <I, O>(
    method: GrpcMethod<I, O>,
    answer: (request: I) => Promise<Sent<O>>,
  ): GrpcHandler =>
    unaryHandler(method, async (request) => {
      const call = callName(method.path);
      const fields = request as Readonly<Record<string, unknown>>;
      calls.push({ name: call, request: fields });
      const volume = String(fields.volume_id);
      const count = (running.get(volume) ?? 0) + 1;
      running.set(volume, count);
      if (fields.volume_id !== undefined) mostAtOnce = Math.max(mostAtOnce, count);
      try {
        await holds.get(`before ${call}`);
        const failure = failures.get(call);
        if (failure) throw failure;
        const answered = await answer(request);
        await holds.get(`after ${call}`);
        return answered;
      } finally {
        running.set(volume, (running.get(volume) ?? 1) - 1);
      }
    });
  const server = await serveSocket(socket, [
    handler(nodeMethods.getInfo, async () => {
      const { topology = {}, ...info } = driver.info;
      return { ...info, accessible_topology: { segments: topology as Record<string, string> } };
    }),
    handler(nodeMethods.getCapabilities, async () => ({
      capabilities: capabilities.map((type) => ({ rpc: { type } })),
    })),
    handler(nodeMethods.stageVolume, async (request) => {
      const { volume_id, staging_target_path: target, volume_capability } = request;
      if (!volume_capability?.block) await bind(content(volume_id), target);
      return {};
    }),
    handler(nodeMethods.unstageVolume, async ({ staging_target_path: target }) => {
      await unbind(target);
      return {};
    }),
    handler(nodeMethods.publishVolume, async (request) => {
      const { volume_id, staging_target_path: staged, target_path: target } = request;
      if (request.volume_capability?.block) {
        writeFileSync(target, "");
        await bind(options.device ?? "/dev/null", target);
        return {};
      }
      mkdirSync(target, { recursive: true });
      await bind(staged === "" ? content(volume_id) : staged, target, request.readonly);
      return {};
    }),
    handler(nodeMethods.unpublishVolume, async ({ target_path: target }) => {
      await unbind(target);
      remove(target);
      return {};
    }),
    handler(nodeMethods.getVolumeStats, async () => ({
      usage: [
        { unit: "BYTES", available: 30n, total: 100n, used: 70n },
        { unit: "INODES", available: 3n, total: 10n, used: 7n },
      ],
    })),
    handler(nodeMethods.expandVolume, async ({ capacity_range }) => ({
      capacity_bytes: capacity_range?.required_bytes ?? 0n,
    })),
  ]);
  return {
    ...{ name, socket, calls, outcomes, failures, holds, content },
    get called() {
      return calls.map((call) => call.name).filter((call) => !call.startsWith("Get"));
    },
    last: (call) => calls.findLast((one) => one.name === call)?.request,
    get mostAtOnce() {
      return mostAtOnce;
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

/** As drivers must, does nothing for what was done before. */
async function bind(source: string, target: string, isReadOnly = false): Promise<void> {
  if (await mountAt(target)) return;
  await mustRun("mount", ["--bind", ...(isReadOnly ? ["-o", "ro"] : []), source, target]);
}

/** Removes a file or an empty folder. */
function remove(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) rmdirSync(path);
  else rmSync(path, { force: true });
}

async function unbind(target: string): Promise<void> {
  if (await mountAt(target)) await mustRun("umount", [target]);
}
