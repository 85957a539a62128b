import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { SeededRandom } from "../../src/base/random.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import {
  connectRuntime,
  type RuntimeConnection,
} from "../../src/cri/containerd/connect-runtime.ts";
import { runtimeSuite } from "../../src/cri/cri-suite.ts";
import { RuntimeError, type RuntimeService } from "../../src/cri/runtime-service.ts";
import type { ContainerEvent } from "../../src/cri/runtime-types.ts";
import { SimulatedImages } from "../../src/cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../../src/cri/simulated/simulated-runtime.ts";
import { containerConfig, sandboxConfig } from "../../src/cri/wire/filled.test-support.ts";
import { imageMethods } from "../../src/cri/wire/messages/image-methods.ts";
import type { WireMethod } from "../../src/cri/wire/messages/method.ts";
import { runtimeMethods } from "../../src/cri/wire/messages/runtime-methods.ts";
import { type CriServer, serveCri } from "../../src/engine/cri/serve/serve-cri.ts";
import { startStreamingServer } from "../../src/engine/streaming/streaming-server.ts";
import { createGrpcClient, type GrpcClient } from "../../src/platform/grpc/grpc-client.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { eventually } from "../eventually.ts";

/** A simulated runtime behind a socket. */
interface Served {
  readonly endpoint: string;
  readonly simulated: SimulatedRuntime;
  readonly server: CriServer;
  readonly connection: RuntimeConnection;
  /** Ends the server and starts it again, at the same socket. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

async function served(around: (runtime: RuntimeService) => RuntimeService = (one) => one) {
  const folder = await mkdtemp(join(tmpdir(), "cri-"));
  const endpoint = `unix://${folder}/cri.sock`;
  const simulated = new SimulatedRuntime({
    clock: realClock,
    random: new SeededRandom(1),
    podCidr: "10.244.7.0/24",
  });
  const runtime = around(simulated);
  const images = new SimulatedImages(realClock);
  const streams = await startStreamingServer({ runtime, clock: realClock, token: randomUUID });
  const serve = (): Promise<CriServer> =>
    serveCri({ runtime, images, listen: endpoint, streams, now: () => Date.now() });
  let server = await serve();
  const connection = connectRuntime({ endpoint });
  return {
    endpoint,
    simulated,
    connection,
    get server() {
      return server;
    },
    async restart() {
      await server.close();
      server = await serve();
    },
    async close() {
      connection.close();
      await server.close();
      await streams.close();
      simulated.close();
      await rm(folder, { recursive: true });
    },
  } satisfies Served;
}

/** A runtime with some of its methods replaced. */
const replaced = (runtime: RuntimeService, methods: Partial<RuntimeService>): RuntimeService =>
  new Proxy(runtime, {
    get(target, name) {
      const method: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });

runtimeSuite("a simulated runtime over gRPC", {
  lacks: ["processes", "logs"],
  image: "busybox",
  async open() {
    const { connection, close } = await served();
    return { ...connection, pass: (ms) => wait(ms), close };
  },
});

describe("CRI over gRPC", () => {
  let one: Served;
  let runtime: RuntimeService;
  let client: GrpcClient;
  beforeEach(async () => {
    one = await served();
    ({ runtime } = one.connection);
    client = createGrpcClient({ address: one.endpoint });
  });
  afterEach(async () => {
    client.close();
    await one.close();
  });

  test("only the owner may use the socket, which is gone after the server", async () => {
    const path = one.endpoint.slice("unix://".length);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await one.server.close();
    await expect(stat(path)).rejects.toThrow("ENOENT");
    await expect(runtime.version()).rejects.toMatchObject({ code: "Unavailable" });
  });

  test("every method of CRI is served", async () => {
    const unknown: string[] = [];
    for (const method of [...Object.values(runtimeMethods), ...Object.values(imageMethods)]) {
      const ended = new Promise<string>((resolve) => {
        const stream = client.stream(method as typeof runtimeMethods.version, {
          message: () => resolve(""),
          end: (error) => resolve(error?.message ?? ""),
        });
        stream.send({});
        stream.finish();
        // Nothing happens that it could tell of.
        if (method === runtimeMethods.getContainerEvents) resolve("");
      });
      if (/unknown (?:method|service)/.test(await ended)) unknown.push(method.path);
    }
    expect(unknown).toEqual([]);
  });

  test("whole configurations arrive", async () => {
    const seen: unknown[] = [];
    const spying = await served((simulated) =>
      replaced(simulated, {
        async runPodSandbox(config: unknown) {
          seen.push(config);
          return "s";
        },
        async createContainer(...args: unknown[]) {
          seen.push(...args);
          return "c";
        },
      }),
    );
    onTestFinished(() => spying.close());
    await spying.connection.runtime.runPodSandbox(sandboxConfig);
    await spying.connection.runtime.createContainer("s", containerConfig, sandboxConfig);
    const { runtimeHandler: _, ...repeated } = sandboxConfig;
    expect(seen).toEqual([sandboxConfig, "s", containerConfig, repeated]);
  });

  test("errors keep their code, and name it as clients in Go do", async () => {
    const failing = async (call: Promise<unknown>) => {
      const error = await call.then(() => undefined).catch((fault: unknown) => fault);
      expect(error).toBeInstanceOf(RuntimeError);
      return (error as RuntimeError).message;
    };
    expect(await failing(runtime.containerStatus("x"))).toBe(
      'rpc error: code = NotFound desc = container "x": not found',
    );
    const sandbox = { ...sandboxConfig, annotations: { "wherry.dev/sandbox-error": "no room" } };
    expect(await failing(runtime.runPodSandbox(sandbox))).toBe(
      "rpc error: code = Unknown desc = no room",
    );
    const pod = { ...sandboxConfig, annotations: { "wherry.dev/pull-error": "" } };
    expect(await failing(one.connection.images.pullImage("nginx", { sandbox: pod }))).toMatch(
      /^rpc error: code = NotFound desc = failed to pull and unpack image/,
    );
  });

  test("lists are streamed in batches", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 150; i++) {
      const metadata = { ...sandboxConfig.metadata, uid: `u-${i}` };
      ids.add(await one.simulated.runPodSandbox({ ...sandboxConfig, metadata }));
    }
    const sizes: number[] = [];
    await new Promise<void>((resolve) => {
      const stream = client.stream(runtimeMethods.streamPodSandboxes, {
        message: ({ pod_sandboxes }) => {
          sizes.push(pod_sandboxes.length);
          for (const { id } of pod_sandboxes) ids.delete(id);
        },
        end: () => resolve(),
      });
      stream.send({});
      stream.finish();
    });
    expect([sizes, ids.size]).toEqual([[100, 50], 0]);
  });

  test("a runtime without events is asked once a second, and only while somebody listens", async () => {
    const old = await served((simulated) =>
      replaced(simulated, {
        containerEvents() {
          throw new RuntimeError("Unimplemented", "unknown method GetContainerEvents");
        },
      }),
    );
    const clock = new VirtualClock(0);
    const connection = connectRuntime({ endpoint: old.endpoint, clock });
    onTestFinished(async () => {
      connection.close();
      await old.close();
    });
    const events: ContainerEvent[] = [];
    const stop = connection.runtime.containerEvents((event) => void events.push(event));
    await eventually(() => expect(clock.pending).toBe(1));
    const id = await old.simulated.runPodSandbox(sandboxConfig);
    await eventually(async () => {
      await clock.advance(1000);
      expect(events.map(({ type }) => type)).toEqual(["created", "started"]);
    });
    expect(events[0]).toMatchObject({ containerId: id, podUid: "u" });
    stop();
    expect(clock.pending).toBe(0);
  });

  test("configurations without names are rejected", async () => {
    const rejected = (method: WireMethod<unknown, unknown>) =>
      client.unary(method, {}).catch((error: Error) => error.message);
    expect(await rejected(runtimeMethods.runPodSandbox as WireMethod<unknown, unknown>)).toBe(
      "sandbox config must include metadata",
    );
    expect(await rejected(runtimeMethods.createContainer as WireMethod<unknown, unknown>)).toBe(
      "container config must include metadata",
    );
  });

  test("what happens while a server restarts is told afterwards", async () => {
    const events: ContainerEvent[] = [];
    const stop = runtime.containerEvents((event) => void events.push(event));
    const first = await runtime.runPodSandbox(sandboxConfig);
    await eventually(() => expect(events.map(({ type }) => type)).toContain("started"));
    const restarting = one.restart();
    await one.simulated.removePodSandbox(first);
    await restarting;
    await eventually(() =>
      expect(events.filter(({ type }) => type !== "created").map(({ type }) => type)).toEqual([
        "started",
        "stopped",
        "deleted",
      ]),
    );
    const told = events.map(({ podUid, containerId }) => [podUid, containerId]);
    expect(told).toEqual(told.map(() => ["u", first]));
    stop();
  });
});
