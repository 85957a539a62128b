import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ContainerConfig, PodSandboxConfig } from "../../cri/runtime-types.ts";
import { exitCodeOf } from "../../cri/streaming/exit-code.ts";
import { PortForwardClient } from "../../cri/streaming/port-forward-client.ts";
import { type ClientCommand, execThrough } from "../../cri/streaming/remote-command-client.ts";
import { runThroughWebSocket } from "../../cri/streaming/web-socket-client.ts";
import type { TerminalSize } from "../../cri/streams.ts";
import { realClock } from "../../platform/real-clock.ts";
import { dialSpdy } from "../../platform/spdy/dial-spdy.ts";
import { spdyTunnel } from "../../platform/spdy/dial-web-socket.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { dialWebSocket } from "./dial-web-socket.test-support.ts";
import { type StreamingServer, startStreamingServer } from "./streaming-server.ts";

const pod: PodSandboxConfig = {
  metadata: { name: "web", namespace: "default", uid: "uid-1", attempt: 0 },
  hostname: "web",
  hostNetwork: false,
  labels: {},
  annotations: {},
};

const config: ContainerConfig = {
  metadata: { name: "main", attempt: 0 },
  image: testImage,
  kind: "container",
  // It echoes what is sent to port 7.
  command: ["nc", "-ll", "-p", "7", "-e", "cat"],
  args: [],
  workingDir: "",
  env: [],
  labels: {},
  annotations: {},
  resources: {},
  stdin: false,
  stdinOnce: false,
  tty: false,
  terminationMessagePath: "/dev/termination-log",
};

describeWith(requires("containers", "cniPlugins"))("streams of real containers", () => {
  let opened: TestEngine;
  let server: StreamingServer;
  let sandboxId: string;
  let containerId: string;

  beforeAll(async () => {
    opened = await testEngine();
    const runtime: RuntimeService = opened.runtime;
    server = await startStreamingServer({ runtime, clock: realClock, token: randomUUID });
    sandboxId = await runtime.runPodSandbox(pod);
    containerId = await runtime.createContainer(sandboxId, config, pod);
    await runtime.startContainer(containerId);
  });
  afterAll(async () => {
    await server.close();
    await opened.remove();
  });

  type Through = (address: string, command: ClientCommand) => Promise<number>;
  const transports: Readonly<Record<string, Through>> = {
    SPDY: (address, command) => execThrough(address, command, dialSpdy),
    "a WebSocket": async (address, command) => {
      const how = { dial: dialWebSocket, clock: realClock };
      return exitCodeOf(await runThroughWebSocket(address, command, how));
    },
  };

  /** Runs a command in the container; its output is collected. */
  async function run(through: Through, line: string, options: Partial<ClientCommand> = {}) {
    const { tty = false, stdin } = options;
    const outputs = { stdout: "", stderr: "" };
    const url = server.exec({
      containerId,
      command: ["sh", "-c", line],
      stdin: stdin !== undefined,
      stdout: true,
      stderr: !tty,
      tty,
    });
    const write = (name: keyof typeof outputs) => async (bytes: Uint8Array) => {
      outputs[name] += Buffer.from(bytes).toString("latin1");
    };
    const code = await through(url, {
      stdout: write("stdout"),
      ...(!tty && { stderr: write("stderr") }),
      signal: new AbortController().signal,
      ...options,
      tty,
    });
    return { code, ...outputs };
  }

  for (const [name, through] of Object.entries(transports)) {
    test(`output, errors and exit codes, through ${name}`, async () => {
      expect(await run(through, "echo out; echo err >&2; exit 5")).toEqual({
        code: 5,
        stdout: "out\n",
        stderr: "err\n",
      });
    });

    test(`input is complete and ends, through ${name}`, async () => {
      async function* stdin(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < 100; i++) yield new Uint8Array(30_000).fill(65 + (i % 26));
      }
      const { code, stdout } = await run(through, "cat", { stdin: stdin() });
      expect([code, stdout.length, stdout.slice(-1)]).toEqual([0, 3_000_000, "V"]);
    });

    test(`a terminal has the size of the client's, through ${name}`, async () => {
      async function* resize(): AsyncGenerator<TerminalSize> {
        yield { width: 123, height: 45 };
        await new Promise(() => {});
      }
      const line = "until stty size 2>/dev/null | grep '45 123'; do sleep 0.05; done";
      const { code, stdout } = await run(through, line, { tty: true, resize: resize() });
      expect([code, stdout]).toEqual([0, "45 123\r\n"]);
    });

    test(`a client that leaves ends its command, through ${name}`, async () => {
      const leaving = new AbortController();
      const isRunning = async (): Promise<boolean> =>
        (await run(through, "ps -o args | grep -qx 'sleep 4321'")).code === 0;
      const running = run(through, "exec sleep 4321", { signal: leaving.signal });
      running.catch(() => {});
      await expect.poll(isRunning).toBe(true);
      leaving.abort(new Error("I leave"));
      await expect(running).rejects.toThrow("I leave");
      await expect.poll(isRunning).toBe(false);
    });
  }

  test.each([
    ["SPDY", dialSpdy],
    ["SPDY in a WebSocket", spdyTunnel(dialWebSocket)],
  ])("a port of the pod echoes, through %s", async (_, dial) => {
    const { signal } = new AbortController();
    const address = server.portForward({ sandboxId, ports: [] });
    const ports = await PortForwardClient.dial(address, { dial, signal });
    let received = 0;
    const connect = (port: number): Promise<void> =>
      ports.forward(port, {
        input: (async function* () {
          for (let i = 0; i < 20; i++) yield new Uint8Array(50_000);
        })(),
        async output(bytes) {
          received += bytes.length;
        },
        signal,
      });
    await connect(7);
    expect(received).toBe(1_000_000);
    await expect(connect(8)).rejects.toThrow(
      /^error forwarding port 8 to pod \w+, uid : .*refused/,
    );
    await ports.close();
  });
});
