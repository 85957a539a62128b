import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClientCommand } from "../../cri/streaming/remote-command-client.ts";
import { execThrough } from "../../cri/streaming/remote-command-client.ts";
import type { StreamSession, StreamTarget, TerminalSize } from "../../cri/streams.ts";
import { realClock } from "../../platform/real-clock.ts";
import { dialSpdy } from "../../platform/spdy/dial-spdy.ts";
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
  const run = (target: StreamTarget, session: StreamSession): Promise<number> => {
    targets.push(target);
    const [name = "", ...args] = target.command ?? ["cat"];
    return commands[name]?.(session, args) ?? Promise.reject(new Error(`no ${name}`));
  };
  server = await startStreamingServer({
    clock: realClock,
    token: randomUUID,
    runtime: { exec: run, attach: run, portForward: async () => {} },
  });
});
afterEach(() => server.close());

/** Runs a command as a client; its output is collected. */
async function run(command: string[], options: Partial<ClientCommand> & { input?: string } = {}) {
  const { tty = false, input, ...session } = options;
  const url = server.exec({ containerId: "c1", command, ...streams, tty, stderr: !tty });
  let stdout = "";
  let stderr = "";
  const code = await execThrough(
    url,
    {
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
    },
    dialSpdy,
  );
  return { code, stdout, stderr };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 50_000)
    yield encoder.encode(text.slice(at, at + 50_000));
}

describe("streaming server, through SPDY", () => {
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
    const code = await execThrough(
      url,
      {
        stdin: pieces("hello"),
        async stdout(bytes) {
          stdout += Buffer.from(bytes).toString();
        },
        signal: new AbortController().signal,
        tty: true,
      },
      dialSpdy,
    );
    expect({ code, stdout, targets }).toEqual({
      code: 0,
      stdout: "hello",
      targets: [{ containerId: "c2", tty: true }],
    });
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
