import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exitCodeOf } from "../../cri/streaming/exit-code.ts";
import { PortForwardClient } from "../../cri/streaming/port-forward-client.ts";
import { type ClientCommand, execThrough } from "../../cri/streaming/remote-command-client.ts";
import { runThroughWebSocket } from "../../cri/streaming/web-socket-client.ts";
import type {
  ForwardSession,
  StreamSession,
  StreamTarget,
  TerminalSize,
} from "../../cri/streams.ts";
import { realClock } from "../../platform/real-clock.ts";
import { dialSpdy } from "../../platform/spdy/dial-spdy.ts";
import { spdyTunnel } from "../../platform/spdy/dial-web-socket.ts";
import { dialWebSocket } from "./dial-web-socket.test-support.ts";
import { type StreamingServer, startStreamingServer } from "./streaming-server.ts";

const encoder = new TextEncoder();
const streams = { stdin: true, stdout: true, stderr: true, tty: false };

/** Runs the commands of these tests; the first word of a command names it. */
const commands: Record<string, (session: StreamSession, args: string[]) => Promise<number>> = {
  async echo({ stdout }, args) {
    await stdout?.(encoder.encode(`${args.join(" ")}\n`));
    return 0;
  },
  async cat({ stdin, stdout }) {
    for await (const bytes of stdin ?? []) await stdout?.(bytes);
    return 0;
  },
  async exit({ stderr }, [code = "0"]) {
    await stderr?.(encoder.encode("leaving\n"));
    return Number(code);
  },
  async big({ stdout }, [size = "0"]) {
    for (let left = Number(size); left > 0; left -= 100_000)
      await stdout?.(new Uint8Array(Math.min(left, 100_000)).fill(left / 100_000));
    return 0;
  },
  async sizes({ resize, stdout }) {
    for await (const { width, height } of resize ?? []) {
      await stdout?.(encoder.encode(`${width}x${height}\n`));
      if (width === 0) break;
    }
    return 0;
  },
  async fail() {
    throw new Error("no such container");
  },
  hang: ({ signal }) =>
    new Promise((resolve) => {
      hanging++;
      signal.addEventListener("abort", () => {
        hanging--;
        resolve(137);
      });
    }),
};
let hanging = 0;

let server: StreamingServer;
let targets: StreamTarget[];
beforeEach(async () => {
  targets = [];
  discarded = [];
  const run = (target: StreamTarget, session: StreamSession): Promise<number> => {
    targets.push(target);
    const [name = "", ...args] = target.command ?? ["cat"];
    return commands[name]?.(session, args) ?? Promise.reject(new Error(`no ${name}`));
  };
  server = await startStreamingServer({
    clock: realClock,
    token: randomUUID,
    runtime: { exec: run, attach: run, portForward: forward },
  });
});
afterEach(() => server.close());

/** Port 7 echoes, port 19 sends much; nothing listens at other ports. */
async function forward(id: string, port: number, session: ForwardSession): Promise<void> {
  const { input, output, signal } = session;
  if (port === 7) for await (const bytes of input) await output(bytes);
  else if (port === 19) for (let i = 0; i < 100; i++) await output(new Uint8Array(50_000).fill(i));
  else if (port === 9) {
    discarded.push("connected");
    for await (const _ of input);
    discarded.push(signal.aborted ? "client left" : "input ended");
  } else throw new Error(`failed to connect to localhost:${port} inside namespace "${id}"`);
}
let discarded: string[] = [];

type Through = (address: string, command: ClientCommand) => Promise<number>;
const transports: readonly (readonly [name: string, through: Through])[] = [
  ["SPDY", (address, command) => execThrough(address, command, dialSpdy)],
  [
    "a WebSocket",
    async (address, command) => {
      const how = { dial: dialWebSocket, clock: realClock };
      return exitCodeOf(await runThroughWebSocket(address, command, how));
    },
  ],
];

/** A client; it collects the output of the commands that it runs. */
const client = (through: Through) =>
  async function run(command: string[], options: Partial<ClientCommand> & { input?: string } = {}) {
    const { tty = false, input, ...session } = options;
    const url = server.exec({ containerId: "c1", command, ...streams, tty, stderr: !tty });
    let stdout = "";
    let stderr = "";
    const code = await through(url, {
      stdin: pieces(input ?? ""),
      async stdout(bytes) {
        stdout += Buffer.from(bytes).toString();
      },
      async stderr(bytes) {
        stderr += Buffer.from(bytes).toString();
      },
      signal: new AbortController().signal,
      ...session,
      tty,
    });
    return { code, stdout, stderr };
  };

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 50_000)
    yield encoder.encode(text.slice(at, at + 50_000));
}

describe.each(transports)("streaming server, through %s", (_, through) => {
  const run = client(through);

  test("a command gets its arguments, and its output and exit code come back", async () => {
    expect(await run(["echo", "a", "b"])).toEqual({ code: 0, stdout: "a b\n", stderr: "" });
    expect(await run(["exit", "3"])).toEqual({ code: 3, stdout: "", stderr: "leaving\n" });
    expect(targets[0]).toEqual({ containerId: "c1", command: ["echo", "a", "b"], tty: false });
  });

  test("input is copied to its end", async () => {
    const input = "0123456789".repeat(300_000);
    const { stdout } = await run(["cat"], { input });
    expect(stdout === input).toBe(true);
  });

  test("a large output reaches a slow client complete", async () => {
    let size = 0;
    const stdout = async (bytes: Uint8Array): Promise<void> => {
      size += bytes.length;
      await turn();
    };
    await run(["big", "20000000"], { stdout });
    expect(size).toBe(20_000_000);
  });

  test("a terminal is resized", async () => {
    async function* resize(): AsyncGenerator<TerminalSize> {
      yield { width: 80, height: 24 };
      yield { width: 0, height: 0 };
    }
    const { stdout } = await run(["sizes"], { tty: true, resize: resize() });
    expect(stdout).toBe("80x24\n0x0\n");
  });

  test("an error of the runtime reaches the client", async () => {
    await expect(run(["fail"])).rejects.toThrow(
      "Internal error occurred: error executing command in container: no such container",
    );
  });

  test("a client that disconnects aborts its command", async () => {
    const leaving = new AbortController();
    const running = run(["hang"], { signal: leaving.signal });
    running.catch(() => {});
    await expect.poll(() => hanging).toBe(1);
    leaving.abort(new Error("I leave"));
    await expect(running).rejects.toThrow("I leave");
    await expect.poll(() => hanging).toBe(0);
  });

  test("an attachment has no command and no exit code", async () => {
    const url = server.attach({ containerId: "c2", ...streams, stderr: false, tty: true });
    let stdout = "";
    const code = await through(url, {
      stdin: pieces("hello"),
      async stdout(bytes) {
        stdout += Buffer.from(bytes).toString();
      },
      signal: new AbortController().signal,
      tty: true,
    });
    expect({ code, stdout, targets }).toEqual({
      code: 0,
      stdout: "hello",
      targets: [{ containerId: "c2", tty: true }],
    });
  });
});

const forwards = [
  ["SPDY", dialSpdy],
  ["SPDY in a WebSocket", spdyTunnel(dialWebSocket)],
] as const;

describe.each(forwards)("streaming server, ports through %s", (_, dial) => {
  let ports: PortForwardClient;
  const { signal } = new AbortController();
  beforeEach(async () => {
    const address = server.portForward({ sandboxId: "s1", ports: [] });
    ports = await PortForwardClient.dial(address, { dial, signal });
  });
  afterEach(() => ports.close());

  async function connect(port: number, input: string): Promise<string> {
    let received = "";
    await ports.forward(port, {
      input: pieces(input),
      async output(bytes) {
        received += Buffer.from(bytes).toString("latin1");
      },
      signal,
    });
    return received;
  }

  test("many connections at once get back what they send", async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `${i}-`.repeat(30_000));
    expect(await Promise.all(texts.map((text) => connect(7, text)))).toEqual(texts);
  });

  test("a connection ends when the pod closes it", async () => {
    expect((await connect(19, "")).length).toBe(5_000_000);
  });

  test("the reason of a failure reaches the client, and the next connection works", async () => {
    await expect(connect(80, "")).rejects.toThrow(
      'error forwarding port 80 to pod s1, uid : failed to connect to localhost:80 inside namespace "s1"',
    );
    expect(await connect(7, "again")).toBe("again");
  });

  test("a client that leaves ends its connection to the pod", async () => {
    const leaving = new AbortController();
    const forwarding = ports.forward(9, {
      input: (async function* () {
        await new Promise(() => {});
      })(),
      output: async () => {},
      signal: leaving.signal,
    });
    forwarding.catch(() => {});
    await expect.poll(() => discarded).toEqual(["connected"]);
    leaving.abort(new Error("I leave"));
    await expect(forwarding).rejects.toThrow("I leave");
    await expect.poll(() => discarded).toEqual(["connected", "client left"]);
  });
});

describe("streaming server, tokens and requests", () => {
  test("an address is valid once", async () => {
    const url = server.exec({ containerId: "c1", command: ["echo"], ...streams });
    expect(await fetch(url)).toMatchObject({ status: 400 });
    const again = await fetch(url);
    expect([again.status, await again.text()]).toEqual([404, "404 page not found\n"]);
  });

  test("an address is valid for its own verb only", async () => {
    const url = server.exec({ containerId: "c1", command: ["echo"], ...streams });
    const other = await fetch(url.replace("/exec/", "/attach/"));
    expect(other.status).toBe(404);
  });

  test("a request without a protocol is rejected", async () => {
    const url = server.exec({ containerId: "c1", command: ["echo"], ...streams });
    expect(await (await fetch(url)).text()).toMatch(
      /^unable to upgrade: header X-Stream-Protocol-Version does not exist in request with \d+ headers\n$/,
    );
  });

  test("a client with unknown protocols is rejected", async () => {
    const url = server.exec({ containerId: "c1", command: ["echo"], ...streams });
    const { signal } = new AbortController();
    await expect(dialSpdy(url, { protocols: ["v9", "v8"], signal })).rejects.toThrow(
      "unable to upgrade connection: unable to upgrade: unable to negotiate protocol: client supports [v9 v8], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]",
    );
  });

  test.each([
    ["missing required container_id", { containerId: "" }],
    ["tty and stderr cannot both be true", { tty: true }],
    ["one of stdin, stdout, or stderr must be set", { stdin: false, stdout: false, stderr: false }],
  ])("a request is rejected: %s", (message, changes) => {
    const request = { containerId: "c1", command: ["echo"], ...streams, ...changes };
    expect(() => server.exec(request)).toThrow(message);
  });

  test("a port-forward needs a sandbox", () => {
    expect(() => server.portForward({ sandboxId: "", ports: [] })).toThrow(
      "missing required pod_sandbox_id",
    );
  });
});
