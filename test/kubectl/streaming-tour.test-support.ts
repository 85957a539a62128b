import { spawn } from "node:child_process";
import { connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { expect } from "vitest";
import { SeededRandom } from "../../src/base/random.ts";
import { createClient } from "../../src/client/client.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { createManager } from "../../src/controller-runtime/manager/manager.ts";
import type { ForwardSession, StreamSession, StreamTarget } from "../../src/cri/streams.ts";
import { createSimulatedNodes } from "../../src/kubelet/simulated/simulated-nodes.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { realNetwork } from "../../src/platform/real-network.ts";
import { serveSpdy } from "../../src/platform/spdy/serve-spdy.ts";
import { openTour, type Tour } from "./kubectl.test-support.ts";

/**
 * Starts a server with a simulated node and a pod `web` on it, whose commands and ports are those of this
 * machine. Commands run in the environment of kubectl that is given.
 */
export async function openStreamingTour(env: Readonly<Record<string, string>> = {}): Promise<Tour> {
  const stop = new AbortController();
  const admin = { commonName: "admin", organizations: ["system:masters"] };
  const nodes = createSimulatedNodes({
    nodes: 1,
    clientFor: () =>
      createClient(inProcessTransport(tour.server.core.handle, admin), { clock: realClock }),
    around,
    serveStreams: serveSpdy,
  });
  const core = {
    network: nodes.network(realNetwork),
    kubelet: { preferredAddressTypes: ["Hostname", "InternalIP"] },
  };
  const tour: Tour = await openTour({}, { core, env });
  const transport = inProcessTransport(tour.server.core.handle, admin);
  const manager = createManager({ transport, clock: realClock, random: new SeededRandom(1) });
  manager.add(nodes);
  const managed = manager.run({ signal: stop.signal });
  const overrides = JSON.stringify({
    metadata: { annotations: { "wherry.dev/log": "line {n}", "wherry.dev/log-every": "50ms" } },
    spec: { nodeName: "node-1" },
  });
  for (const line of [
    "wait node/node-1 --for=create --timeout=10s",
    `run web --image nginx --overrides '${overrides}'`,
    "wait pod/web --for=condition=Ready --timeout=10s",
  ])
    expect(await tour.run(line)).toMatchObject({ code: 0 });
  return {
    ...tour,
    async close() {
      stop.abort();
      await managed;
      await tour.close();
    },
  };
}

/** The processes that commands run as, which are those of the machine. */
export const running = new Set<number>();

async function exec({ command = [] }: StreamTarget, session: StreamSession): Promise<number> {
  const { stdin, stdout, stderr, signal } = session;
  const [program = "", ...args] = command;
  if (program === "sizes") return printSizes(session);
  const child = spawn(program, args, { signal, killSignal: "SIGKILL" });
  const { pid = 0 } = child;
  running.add(pid);
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", (error) => (signal.aborted ? resolve(137) : reject(error)));
    child.on("close", (code) => resolve(code ?? 137));
  }).finally(() => running.delete(pid));
  ended.catch(() => {});
  const copy = async (from: AsyncIterable<Uint8Array>, write: StreamSession["stdout"]) => {
    for await (const bytes of from) await write?.(bytes);
  };
  pipeline(stdin ?? [], child.stdin).catch(() => {});
  await Promise.all([copy(child.stdout, stdout), copy(child.stderr, stderr)]).catch(() => {});
  return ended;
}

/** Prints the sizes of a terminal until something is typed. */
async function printSizes({ stdin, stdout, resize }: StreamSession): Promise<number> {
  const typed = stdin?.[Symbol.asyncIterator]().next();
  const print = async (): Promise<void> => {
    for await (const { width, height } of resize ?? [])
      await stdout?.(Buffer.from(`${width}x${height}\r\n`));
  };
  void print();
  return (await typed)?.value?.[0] ?? 0;
}

/** Prints the sizes of a terminal, and what is typed, until nothing more is. */
async function attach(_: StreamTarget, { stdin, stdout, resize }: StreamSession): Promise<void> {
  const print = async (): Promise<void> => {
    for await (const { width, height } of resize ?? [])
      await stdout?.(Buffer.from(`${width}x${height}\r\n`));
  };
  void print();
  for await (const keys of stdin ?? []) await stdout?.(keys);
}

/** Connects to the same port of the machine. */
async function portForward(_: string, port: number, session: ForwardSession): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, signal: session.signal });
  pipeline(session.input, socket, { end: false })
    .then(() => socket.end())
    .catch(() => {});
  for await (const bytes of socket) await session.output(bytes);
}

/** A runtime whose commands and ports are real. */
const around = <S extends object>(service: S): S =>
  new Proxy(service, {
    get(target, name) {
      if (name === "exec") return exec;
      // Without a terminal, the simulated container is attached to.
      if (name === "attach" && "attach" in target)
        return (to: StreamTarget, session: StreamSession) =>
          session.resize ? attach(to, session) : (target.attach as typeof attach)(to, session);
      if (name === "portForward") return portForward;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
