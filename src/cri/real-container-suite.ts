import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aborted } from "../base/on-abort.ts";
import type { SuiteFeature } from "./cri-suite.ts";
import type { LinuxContainerResources } from "./linux-types.ts";
import type { RuntimeService } from "./runtime-service.ts";
import type { ContainerConfig } from "./runtime-types.ts";
import type { LogPiece, StreamSession } from "./streams.ts";
import { forever, type SuitePods, type SuiteRuntime, text } from "./suite-pods.test-support.ts";

export interface RealContainerTests {
  readonly opened: () => SuiteRuntime;
  /** A folder for logs and mounts. */
  readonly folder: () => string;
  readonly pods: SuitePods;
  readonly image: string;
  readonly has: (feature: SuiteFeature) => boolean;
}

/** The tests of runtimes whose containers are processes. */
export function realContainerTests({ opened, folder, pods, image, has }: RealContainerTests): void {
  const { sandbox, container, run, ended, outcome, eventually } = pods;
  const script = (lines: string, more: Partial<ContainerConfig> = {}): ContainerConfig => ({
    ...container(["sh", "-c", lines]),
    ...more,
  });
  const runtime = (): RuntimeService => opened().runtime;
  const limits = (linux: LinuxContainerResources) => ({ resources: { linux } });

  describe("real containers", () => {
    test("a process has its arguments, environment, folder, user and names", async () => {
      const pod = {
        ...sandbox(),
        dns: { servers: ["10.96.0.10"], searches: ["cluster.local"], options: ["ndots:5"] },
        sysctls: { "net.core.somaxconn": "200" },
      };
      const { status, log } = await outcome(
        {
          ...script(
            'echo "$0 $GREETING $PWD"; id -u; id -g; hostname; echo $$; cat /proc/sys/net/core/somaxconn /etc/resolv.conf; grep Groups /proc/self/status; grep CapEff /proc/self/status',
          ),
          args: ["zero"],
          workingDir: "/tmp",
          security: {
            runAsUser: 1234,
            runAsGroup: 5678,
            supplementalGroups: [99],
            capabilities: { add: [], drop: ["ALL"] },
          },
        },
        { pod },
      );
      const lines = log.split("\n");
      expect([status.exitCode, ...lines.slice(0, 6)]).toEqual([
        0,
        "zero hello /tmp",
        "1234",
        "5678",
        "pod-uid-1",
        "1",
        "200",
      ]);
      expect(lines).toEqual(
        expect.arrayContaining([
          "search cluster.local",
          "nameserver 10.96.0.10",
          "options ndots:5",
          "CapEff:\t0000000000000000",
        ]),
      );
      expect(lines.find((line) => line.startsWith("Groups"))).toMatch(/\b99\b/);
    });

    test("arguments alone replace those of the image, and a container can have a terminal", async () => {
      const { log } = await outcome({ ...container([]), args: ["tty"], tty: true });
      // Some runtimes leave out the carriage return.
      expect(log).toMatch(/^\/dev\/pts\/0\r?\n$/);
    });

    test("containers of a pod can share their processes", async () => {
      const namespaces = { network: "pod", pid: "pod", ipc: "pod" } as const;
      const pod = { ...sandbox(), security: { namespaces } };
      const { log } = await outcome(script("echo $$", { security: { namespaces } }), { pod });
      expect(Number(log)).toBeGreaterThan(1);
    });

    test("a root that is read-only, and mounts", async () => {
      const hostPath = join(folder(), "mounted");
      await mkdir(hostPath, { recursive: true });
      await writeFile(join(hostPath, "given"), "from the node\n");
      const { log } = await outcome(
        script(
          "cat /data/given; touch /file || echo root; touch /ro/file || echo mount; echo back > /data/written",
          {
            security: { readonlyRootfs: true },
            mounts: [
              { containerPath: "/data", hostPath },
              { containerPath: "/ro", hostPath, readonly: true },
            ],
          },
        ),
      );
      expect(log.split("\n").filter((line) => !line.startsWith("touch"))).toEqual([
        "from the node",
        "root",
        "mount",
        "",
      ]);
      expect(await readFile(join(hostPath, "written"), "utf8")).toBe("back\n");
    });

    test("limits hold, and memory beyond them ends a container", async () => {
      const memoryLimitBytes = 32 * 1024 * 1024;
      const resources = limits({ memoryLimitBytes, memorySwapLimitBytes: memoryLimitBytes });
      const { status, log } = await outcome(
        script(
          "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null; tail /dev/zero",
          resources,
        ),
      );
      expect(log).toBe(`${memoryLimitBytes}\n`);
      expect(status).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
    });

    test("signals and exit codes", async () => {
      const pod = sandbox();
      const sandboxId = await runtime().runPodSandbox(pod);
      const where = { pod, sandboxId };
      const trapping = (signal: string) =>
        `trap 'exit 5' ${signal}; echo ready; while :; do sleep 0.05; done`;
      const stopped = async (config: ContainerConfig) => {
        const id = await run(config, where);
        await eventually(async () => expect(await pods.log(id)).toBe("ready\n"));
        await runtime().stopContainer(id, 10);
        return (await runtime().containerStatus(id)).exitCode;
      };
      const named = (attempt: number, lines: string, more: Partial<ContainerConfig> = {}) => ({
        ...script(lines, more),
        metadata: { name: "main", attempt },
        logPath: `main-${attempt}.log`,
      });
      expect(await stopped(named(0, trapping("TERM")))).toBe(5);
      if (has("stopSignal"))
        expect(await stopped(named(1, trapping("USR1"), { stopSignal: "SIGUSR1" }))).toBe(5);
      const killed = await outcome(named(2, "sh -c 'kill -9 $$'; exit $?"), where);
      expect(killed.status).toMatchObject({ exitCode: 137, reason: "Error" });
      const missing = named(3, "");
      const id = await runtime().createContainer(
        sandboxId,
        { ...missing, command: ["/no/such/program"] },
        pod,
      );
      await expect(runtime().startContainer(id)).rejects.toThrow("no such file or directory");
      expect(await runtime().containerStatus(id)).toMatchObject({
        state: "exited",
        exitCode: 128,
        reason: "StartError",
      });
    });

    test("streams and parts of lines are kept apart in a log, byte by byte", async () => {
      const { status } = await outcome(
        script(
          'echo out; echo err >&2; printf "\\377\\000\\n"; head -c 20000 /dev/zero | tr "\\0" x; echo; printf end',
        ),
      );
      const { signal } = new AbortController();
      const pieces: LogPiece[] = [];
      for await (const piece of runtime().logs(status.id, { follow: false, signal }))
        pieces.push(piece);
      const of = (stream: string) =>
        Buffer.concat(pieces.filter((one) => one.stream === stream).map(({ bytes }) => bytes));
      expect(text(of("stderr"))).toBe("err\n");
      const expected = Buffer.concat([
        Buffer.from("out\n"),
        Buffer.of(0xff, 0, 0x0a),
        Buffer.from(`${"x".repeat(20_000)}\nend`),
      ]);
      // Some runtimes end the last line of a container that does not.
      expect(of("stdout").subarray(0, expected.length).equals(expected)).toBe(true);
      expect(of("stdout").length).toBeLessThanOrEqual(expected.length + 1);
      for (const { at } of pieces) {
        expect(at).toBeGreaterThanOrEqual(status.createdAt);
        expect(at).toBeLessThanOrEqual(status.finishedAt + 1000);
      }
      const [{ at: first = 0 } = {}] = pieces;
      const since = runtime().logs(status.id, { follow: false, signal, since: first + 3_600_000 });
      for await (const piece of since) expect(piece).toBeUndefined();
    });

    test("a log continues in a new file after it was renamed", async () => {
      const id = await run(script("while :; do echo line; sleep 0.1; done"));
      const { logPath = "" } = await runtime().containerStatus(id);
      const read = () => readFile(logPath, "utf8");
      await eventually(async () => expect(await read()).toContain(" F line\n"));
      await rename(logPath, `${logPath}.old`);
      await runtime().reopenContainerLog(id);
      await eventually(async () => expect(await read()).toContain(" F line\n"));
    });

    test("attached clients send input, and the last one ends it", async () => {
      const id = await run({ ...container(["cat"]), stdin: true, stdinOnce: true });
      const output: Uint8Array[] = [];
      const reading = new AbortController();
      const session: StreamSession = {
        stdin: typed("typed\n"),
        stdout: async (bytes) => void output.push(bytes),
        signal: reading.signal,
      };
      await runtime().attach({ containerId: id, tty: false }, session);
      expect((await ended(id)).exitCode).toBe(0);
      expect(text(Buffer.concat(output))).toBe("typed\n");
      expect(await pods.log(id)).toBe("typed\n");
    });

    test("an attached client leaves with its input, where the input of the container stays open", async () => {
      const id = await run({ ...container(["cat"]), stdin: true, stdinOnce: false });
      const session: StreamSession = {
        stdin: typed("typed\n"),
        stdout: async () => {},
        signal: new AbortController().signal,
      };
      expect(await runtime().attach({ containerId: id, tty: false }, session)).toBe(0);
      await eventually(async () => expect(await pods.log(id)).toBe("typed\n"));
      expect((await runtime().containerStatus(id)).state).toBe("running");
    });

    test("exec has a terminal, its size, and a limit of its output", async () => {
      const id = await run(container(forever));
      const output: Uint8Array[] = [];
      const size = async function* () {
        yield { width: 100, height: 30 };
      };
      const leaving = new AbortController();
      // A terminal whose input ends is closed.
      const silent = async function* (): AsyncGenerator<Uint8Array> {
        await aborted(leaving.signal);
        yield* [];
      };
      const code = await runtime().exec(
        {
          containerId: id,
          command: [
            "sh",
            "-c",
            "while [ \"$(stty size 2>/dev/null)\" != '30 100' ]; do sleep 0.05; done; test -t 0 && echo yes; exit 4",
          ],
          tty: true,
        },
        {
          stdin: silent(),
          stdout: async (bytes) => void output.push(bytes),
          resize: size(),
          signal: new AbortController().signal,
        },
      );
      leaving.abort();
      expect([text(Buffer.concat(output)), code]).toEqual(["yes\r\n", 4]);
      await expect(runtime().execSync(id, ["no-such-program"], 10)).rejects.toThrow(
        "no-such-program",
      );
      const large = runtime().execSync(id, ["head", "-c", "17000000", "/dev/zero"], 60);
      const outcomeOf = await large.then(
        ({ stdout }) => stdout.length,
        (error: { readonly code: unknown }) => error.code,
      );
      expect([16 * 1024 * 1024, "ResourceExhausted"]).toContain(outcomeOf);
    });

    test("containers of a pod share its network, whose ports can be reached", async () => {
      const pod = sandbox();
      const sandboxId = await runtime().runPodSandbox(pod);
      const server = script("echo hi > /tmp/index.html; exec httpd -f -p 8080 -h /tmp");
      await run(server, { pod, sandboxId });
      const other: ContainerConfig = {
        ...script("while ! wget -qO- http://127.0.0.1:8080/; do sleep 0.05; done"),
        metadata: { name: "other", attempt: 0 },
        logPath: "other.log",
      };
      expect((await outcome(other, { pod, sandboxId })).log).toContain("hi\n");
      const output: Uint8Array[] = [];
      await runtime().portForward(sandboxId, 8080, {
        input: typed("GET /index.html HTTP/1.0\r\n\r\n"),
        output: async (bytes) => void output.push(bytes),
        signal: new AbortController().signal,
      });
      expect(text(Buffer.concat(output))).toMatch(/^HTTP\/1\.\d 200 [\s\S]*\nhi\n$/);
      const session = {
        input: typed(""),
        output: async () => undefined,
        signal: new AbortController().signal,
      };
      await expect(runtime().portForward(sandboxId, 9, session)).rejects.toThrow("refused");
    });

    test("an image is found by its digest and its ID", async () => {
      const found = await opened().images.imageStatus(image);
      const pod = sandbox();
      const sandboxId = await runtime().runPodSandbox(pod);
      const { id = "", repoDigests = [] } = found ?? {};
      for (const [attempt, name] of [id, ...repoDigests].entries()) {
        const config = { ...container(["true"], attempt), image: name };
        const { status } = await outcome(config, { pod, sandboxId });
        expect([status.exitCode, status.imageRef]).toEqual([0, repoDigests[0] ?? id]);
      }
    });
  });
}

async function* typed(input: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(input);
}
