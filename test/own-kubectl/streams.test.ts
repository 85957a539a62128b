import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type IPty, spawn as openTerminal } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tour } from "../kubectl/kubectl.test-support.ts";
import { openStreamingTour, running } from "../kubectl/streaming-tour.test-support.ts";
import { describeWith, requires } from "../requires.ts";
import { wherryProgram } from "../wherry-program.ts";

const bytes = randomBytes(3_000_000);
const digest = createHash("sha256").update(bytes).digest("hex");

for (const webSockets of ["true", "false"])
  describeWith(requires("kubectl"))(`our streams, with WebSockets: ${webSockets}`, () => {
    let tour: Tour;
    let web: Server;

    const env = (): Record<string, string> => ({
      KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets,
      KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets,
      PATH: process.env.PATH ?? "",
      HOME: tour.dir,
      KUBECONFIG: tour.server.kubeconfig,
      PROGRAM: wherryProgram(),
    });
    /** Runs a line of the shell in which `$K` is our kubectl. */
    const launch = (line: string, { keepsInput = false } = {}) => {
      const command = line.replaceAll("$K", `"${process.execPath}" "$PROGRAM" kubectl`);
      const child = spawn("sh", ["-c", command], { cwd: tour.dir, env: env() });
      if (!keepsInput) child.stdin.end();
      return child;
    };
    const run = async (line: string) => {
      const child = launch(line);
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
      return { code, stdout, stderr };
    };
    /** Runs our kubectl in a terminal that a shell keeps, so that its state can be looked at afterwards. */
    const inTerminal = (
      args: string,
    ): { terminal: IPty; printed(): string; ended: Promise<void> } => {
      const line = `stty -a | head -c0; "${process.execPath}" "$PROGRAM" kubectl ${args}; echo "code=$?"; stty -a | grep -o -- '-\\?\\(icanon\\|echo\\|opost\\|isig\\)\\b' | tr '\\n' ' '`;
      const terminal = openTerminal("sh", ["-c", line], {
        cols: 100,
        rows: 30,
        cwd: tour.dir,
        env: env(),
      });
      let printed = "";
      terminal.onData((text) => {
        printed += text;
      });
      const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
      return { terminal, printed: () => printed, ended };
    };
    const restored = "isig icanon echo opost";
    /** What a shell prints of the terminal, in any order. */
    const stateOf = (text: string): string =>
      ["isig", "icanon", "echo", "opost"]
        .map((name) => (new RegExp(`-${name}\\b`).test(text) ? `-${name}` : name))
        .join(" ");

    beforeAll(async () => {
      wherryProgram();
      tour = await openStreamingTour();
      const overrides = JSON.stringify({ spec: { nodeName: "node-1" } });
      for (const line of [
        `run shell --image nginx --stdin --tty --overrides '${overrides}'`,
        "wait pod/shell --for=condition=Ready --timeout=10s",
      ])
        expect(await tour.run(line)).toMatchObject({ code: 0 });
      writeFileSync(join(tour.dir, "big.bin"), bytes);
      web = createServer((request, response) => {
        if (request.method === "GET") response.end(bytes);
        else request.pipe(response);
      });
      await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    });
    afterAll(async () => {
      web.close();
      await tour.close();
    });

    test("output, errors and exit codes", async () => {
      expect(await run("$K exec web -- sh -c 'echo out; echo err >&2; exit 5'")).toEqual({
        code: 5,
        stdout: "out\n",
        stderr: "err\ncommand terminated with exit code 5\n",
      });
      expect(await run("$K exec web -- true")).toEqual({ code: 0, stdout: "", stderr: "" });
    });

    test("large input and output, byte for byte", async () => {
      const sum = { code: 0, stdout: `${digest}  -\n`, stderr: "" };
      expect(await run("$K exec -i web -- sha256sum < big.bin")).toEqual(sum);
      expect(await run("cat big.bin | $K exec -i web -- cat | sha256sum")).toEqual(sum);
    });

    test("a command that does not read its input ends", async () => {
      expect(await run("$K exec -i web -- echo done < big.bin")).toMatchObject({
        code: 0,
        stdout: "done\n",
      });
      // Nor does an input that never ends keep it.
      const child = launch("exec $K exec -i web -- echo done", { keepsInput: true });
      expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(0);
    });

    test("a reader that leaves ends the command", async () => {
      const { stdout } = await run("$K exec web -- sh -c 'yes | head -c 5000000' | head -n 1");
      expect(stdout).toBe("y\n");
    });

    test("cp copies files and folders in both directions, and skips links", async () => {
      const inside = join(tour.dir, `inside-${webSockets}`);
      mkdirSync(join(inside, "tree", "deep"), { recursive: true });
      writeFileSync(join(inside, "tree", "deep", "x"), "deep");
      symlinkSync("deep/x", join(inside, "tree", "link"));
      expect(await run(`$K cp big.bin web:${inside}/copy.bin`)).toMatchObject({
        code: 0,
        stderr: "",
      });
      expect(readFileSync(join(inside, "copy.bin")).equals(bytes)).toBe(true);
      expect(await run(`$K cp web:${inside}/copy.bin back.bin`)).toMatchObject({ code: 0 });
      expect(readFileSync(join(tour.dir, "back.bin")).equals(bytes)).toBe(true);
      expect(await run(`$K cp big.bin web:${inside}`)).toMatchObject({ code: 0 });
      expect(existsSync(join(inside, "big.bin"))).toBe(true);
      const { stderr } = await run(`$K cp web:${inside}/tree out-${webSockets}`);
      expect(stderr).toContain(`warning: skipping symlink: "out-${webSockets}/link" -> "deep/x"`);
      expect(readFileSync(join(tour.dir, `out-${webSockets}`, "deep", "x"), "utf8")).toBe("deep");
      expect(await run(`$K cp out-${webSockets} web:${inside}/again`)).toMatchObject({ code: 0 });
      expect(readFileSync(join(inside, "again", "deep", "x"), "utf8")).toBe("deep");
      expect(await run(`$K cp web:${inside}/copy.bin r.bin --retries=3`)).toMatchObject({
        code: 0,
      });
      expect(readFileSync(join(tour.dir, "r.bin")).equals(bytes)).toBe(true);
    });

    test("a signal ends a command, and what it runs", async () => {
      const child = launch("exec $K exec web -- sh -c 'echo started; exec sleep 1000'");
      await new Promise((resolve) => child.stdout.once("data", resolve));
      expect(running.size).toBe(1);
      child.kill("SIGINT");
      const signal = await new Promise((resolve) => child.on("close", (_, name) => resolve(name)));
      expect(signal).toBe("SIGINT");
      await expect.poll(() => running.size).toBe(0);
    });

    test("a terminal passes on its size, its changes and what is typed", async () => {
      const { terminal, printed, ended } = inTerminal("exec -it web -- sizes");
      await expect.poll(printed, { timeout: 10_000 }).toContain("100x30\r\n");
      terminal.resize(120, 40);
      await expect.poll(printed).toContain("120x40\r\n");
      terminal.write("A");
      await ended;
      expect(printed()).toContain("command terminated with exit code 65\r\ncode=65\r\n");
      expect(stateOf(printed())).toBe(restored);
    });

    test("Ctrl-C is passed on in a raw terminal, and ends the command in any other", async () => {
      const raw = inTerminal("exec -it web -- sizes");
      await expect.poll(raw.printed, { timeout: 10_000 }).toContain("100x30\r\n");
      raw.terminal.write("\u0003");
      await raw.ended;
      expect(raw.printed()).toContain("code=3\r\n");
      expect(stateOf(raw.printed())).toBe(restored);

      const cooked = inTerminal("exec -i web -- sh -c 'echo started; exec cat'");
      await expect.poll(cooked.printed, { timeout: 10_000 }).toContain("started");
      cooked.terminal.write("\u0003");
      await cooked.ended;
      expect(stateOf(cooked.printed())).toBe(restored);
    });

    test("attach draws the screen again, passes keys on, and ends at those that detach", async () => {
      const { terminal, printed, ended } = inTerminal("attach -it shell");
      await expect.poll(printed, { timeout: 10_000 }).toContain("101x31\r\n100x30\r\n");
      terminal.write("ab\u0010x");
      await expect.poll(printed).toContain("ab\u0010x");
      terminal.write("\u0010\u0011");
      await ended;
      expect(printed()).toContain(
        "Session ended, resume using 'kubectl attach shell -c shell -n default -i -t' command\r\ncode=0\r\n",
      );
      expect(stateOf(printed())).toBe(restored);

      const other = inTerminal("attach -it shell --detach-keys=ctrl-],q");
      await expect.poll(other.printed, { timeout: 10_000 }).toContain("100x30\r\n");
      other.terminal.write("\u0010\u0011");
      await expect.poll(other.printed).toContain("\u0010\u0011");
      other.terminal.write("\u001dq");
      await other.ended;
      expect(other.printed()).toContain("code=0\r\n");
      expect(stateOf(other.printed())).toBe(restored);
    });

    test("a terminal is restored after a signal", async () => {
      const { terminal, printed, ended } = inTerminal(
        "exec -it web -- sizes & sleep 2; kill -TERM $!; wait $!",
      );
      await ended;
      expect(printed()).toContain("code=");
      expect(stateOf(printed())).toBe(restored);
      terminal.kill();
    });

    test("port-forward reaches a server, and ends well by Ctrl-C", async () => {
      const { port } = web.address() as AddressInfo;
      const child = launch(`exec $K port-forward web :${port}`);
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
      await expect.poll(() => printed, { timeout: 10_000 }).toMatch(/127\.0\.0\.1:\d+ -> \d+\n/);
      const [, local] = /127\.0\.0\.1:(\d+) ->/.exec(printed) ?? [];
      const address = `http://127.0.0.1:${local}/`;
      const got = await Promise.all(
        Array.from({ length: 4 }, async () => (await fetch(address)).arrayBuffer()),
      );
      for (const one of got) expect(bytes.equals(Buffer.from(one))).toBe(true);
      const sent = await fetch(address, { method: "POST", body: bytes });
      expect(bytes.equals(Buffer.from(await sent.arrayBuffer()))).toBe(true);
      expect(printed).toContain(`Handling connection for ${local}\n`);
      const code = new Promise((resolve) => child.on("close", resolve));
      child.kill("SIGINT");
      expect(await code).toBe(0);
    });

    test("proxy passes requests, watches and upgrades on", async () => {
      const child = launch(`exec $K proxy --port=0 --www=. --reject-paths=^/version`);
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
      await expect.poll(() => printed, { timeout: 10_000 }).toMatch(/serve on 127\.0\.0\.1:\d+\n/);
      const [, place] = /serve on (\S+)/.exec(printed) ?? [];
      const text = async (path: string, init?: RequestInit) => {
        const response = await fetch(`http://${place}${path}`, init);
        return `${response.status} ${(await response.text()).slice(0, 60)}`;
      };
      expect(await text("/healthz")).toBe("200 ok");
      expect(await text("/api/v1/namespaces/default/pods/web")).toContain('"kind":"Pod"');
      expect(await text("/version")).toBe("403 Forbidden\n");
      expect(await text("/static/nothing")).toBe("404 404 page not found\n");
      expect((await fetch(`http://${place}/static/big.bin`)).headers.get("content-length")).toBe(
        String(bytes.length),
      );
      const body = JSON.stringify({ metadata: { name: `made-${webSockets}` } });
      const headers = { "content-type": "application/json" };
      expect(
        await text("/api/v1/namespaces/default/configmaps", { method: "POST", headers, body }),
      ).toMatch(/^201/);
      const rebound = await new Promise((resolve) => {
        get(`http://${place}/healthz`, { headers: { host: "evil.example" } }, ({ statusCode }) =>
          resolve(statusCode),
        );
      });
      expect(rebound).toBe(403);
      expect(await run(`$K -s http://${place} exec web -- echo through`)).toMatchObject({
        code: 0,
        stdout: "through\n",
      });
      child.kill();
    });
  });
