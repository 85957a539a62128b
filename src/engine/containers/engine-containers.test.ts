import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import type { ContainerSettings } from "./container-settings.ts";
import type { NewContainer } from "./containers.ts";
import { plainSettings } from "./oci/plain-settings.test-support.ts";

describeWith(requires("containers"))("containers of the engine", () => {
  let opened: TestEngine;
  const containers = () => opened.engine.containers;

  beforeEach(async () => {
    opened = await testEngine();
  });
  afterEach(() => opened.remove());

  const create = async (
    args: readonly string[],
    settings: Partial<ContainerSettings> = {},
    streams: Partial<NewContainer> = {},
  ): Promise<string> => {
    const id = randomBytes(32).toString("hex");
    const { layers = [] } = opened.engine.images.store.resolve(testImage) ?? {};
    await containers().create({
      ...{ id, owner: "docker", layers, stdin: false, stdinOnce: false, details: {} },
      settings: { ...plainSettings, args, cgroupsPath: `/wherry-test-${id}`, ...settings },
      ...streams,
    });
    return id;
  };
  const run = async (script: string, ...rest: [Partial<ContainerSettings>?]): Promise<string> => {
    const id = await create(["sh", "-c", script], ...rest);
    await containers().start(id);
    return id;
  };
  const collect = () => {
    const parts: Uint8Array[] = [];
    return {
      write: async (bytes: Uint8Array) => void parts.push(bytes),
      text: () => Buffer.concat(parts).toString(),
    };
  };
  const { signal } = new AbortController();

  test("a container runs, writes its log, and ends with its exit code", async () => {
    const id = await run("echo out; echo err >&2; exit 3");
    const { state, logPath } = await containers().wait(id);
    expect(state).toMatchObject({ phase: "exited", exitCode: 3, reason: "Error" });
    expect(readFileSync(logPath, "utf8")).toMatch(/stdout F out\n.*stderr F err\n/);
  });

  test("a command that does not exist is a failed start, with the OCI runtime's message", async () => {
    const id = await create(["nothing"]);
    await expect(containers().start(id)).rejects.toThrow(
      'exec: "nothing": executable file not found',
    );
    expect(containers().get(id)?.state).toMatchObject({
      phase: "exited",
      exitCode: 128,
      reason: "StartError",
    });
  });

  test("hooks run on the node at their moments, with the state of the container", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wherry-hooks-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const writes = (moment: string) => ({
      path: "/bin/sh",
      args: ["sh", "-c", `cat > ${folder}/${moment}`],
      timeout: 5,
    });
    const id = await run("exit 0", {
      hooks: { createRuntime: [writes("created")], poststop: [writes("stopped")] },
    });
    await containers().wait(id);
    await containers().remove(id);
    const stateOf = (moment: string) => JSON.parse(readFileSync(join(folder, moment), "utf8"));
    expect(stateOf("created")).toMatchObject({ id, status: "creating" });
    expect(stateOf("stopped")).toMatchObject({ id, status: "stopped" });
  });

  test("stop sends a signal, and kills what ignores it", async () => {
    const polite = await run("trap 'exit 7' TERM; while :; do sleep 0.05; done");
    const rude = await run("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    await expect(containers().kill(polite, "NOSUCH")).rejects.toThrow("Invalid signal: NOSUCH");
    await containers().stop(polite, { signal: "SIGTERM", timeoutMs: 20_000 });
    expect(containers().get(polite)?.state).toMatchObject({ exitCode: 7 });
    await containers().stop(rude, { signal: "SIGTERM", timeoutMs: 200 });
    expect(containers().get(rude)?.state).toMatchObject({ exitCode: 137, reason: "Error" });
  });

  test("exec: exact bytes both ways, exit codes, and the error of a missing program", async () => {
    const id = await run("sleep 1000");
    const sent = randomBytes(300_000);
    const stdout: Buffer[] = [];
    const code = await containers().exec(
      id,
      { args: ["sh", "-c", "cat; exit 5"], tty: false },
      {
        stdin: (async function* () {
          for (let i = 0; i < sent.length; i += 7000) yield sent.subarray(i, i + 7000);
        })(),
        stdout: async (bytes) => void stdout.push(Buffer.from(bytes)),
        signal,
      },
    );
    expect([code, Buffer.concat(stdout).equals(sent)]).toEqual([5, true]);
    await expect(
      containers().exec(id, { args: ["nothing"], tty: false }, { signal }),
    ).rejects.toThrow('exec: "nothing": executable file not found in $PATH');
  });

  test("exec: a command that takes too long is killed with its children", async () => {
    const id = await run("sleep 1000");
    await expect(
      containers().exec(
        id,
        { args: ["sh", "-c", "sleep 998 & sleep 999"], tty: false, timeoutMs: 300 },
        { signal },
      ),
    ).rejects.toMatchObject({ code: "DeadlineExceeded" });
    await expect.poll(() => containers().pids(id)).toHaveLength(1);
  });

  test("exec in a terminal has its size, and Ctrl-C interrupts", async () => {
    const id = await run("sleep 1000");
    const out = collect();
    let type: (text: string) => void = () => {};
    const typed = (async function* () {
      for (;;)
        yield Buffer.from(
          await new Promise<string>((resolve) => {
            type = resolve;
          }),
        );
    })();
    const done = containers().exec(
      id,
      { args: ["sh"], tty: true, size: { width: 77, height: 33 } },
      { stdin: typed, stdout: out.write, signal },
    );
    await expect.poll(out.text).toContain("#");
    type("stty size; sleep 1000\n");
    await expect.poll(out.text).toContain("33 77");
    type("\x03");
    await expect.poll(out.text).toContain("^C");
    type("exit 9\n");
    expect(await done).toBe(9);
  });

  test("attach shows output as it is written, and gives input", async () => {
    const id = await create(
      ["sh", "-c", "printf 'name? '; read name; echo hello $name"],
      {},
      { stdin: true, stdinOnce: true },
    );
    const out = collect();
    let type: (text: string) => void = () => {};
    const typed = (async function* () {
      yield Buffer.from(
        await new Promise<string>((resolve) => {
          type = resolve;
        }),
      );
    })();
    const attached = containers().attach(id, { stdin: typed, stdout: out.write, signal });
    await containers().start(id);
    await expect.poll(out.text).toBe("name? ");
    type("world\n");
    await attached;
    expect(out.text()).toBe("name? hello world\n");
  });

  test("who waits for the start of a container that is removed is told so", async () => {
    const id = await create(["true"]);
    const attached = expect(containers().attach(id, { signal })).rejects.toMatchObject({
      code: "NotFound",
    });
    await containers().remove(id);
    await attached;
  });

  test("programs that end at once have been started", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => create(["true"])));
    await Promise.all(ids.map((id) => containers().start(id)));
    for (const id of ids)
      expect((await containers().wait(id)).state).toMatchObject({ exitCode: 0 });
  });

  test("a container that is killed for lack of memory says so", async () => {
    const id = await run("x=a; while :; do x=$x$x; done", {
      resources: { memoryLimitBytes: 8 << 20, memorySwapBytes: 8 << 20 },
    });
    expect((await containers().wait(id)).state).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
    });
    expect(existsSync("oom"), "a file in the working directory").toBe(false);
  });

  test("containers run on while the engine is closed, and their ends are not lost", async () => {
    const lasting = await run("sleep 1000");
    const ending = await run("while ! [ -e /go ]; do sleep 0.02; done; echo done; exit 4");
    const root = await containers().rootfs(ending);
    const before = containers().get(lasting)?.state;
    await opened.engine.close();
    writeFileSync(`${root}/go`, "");
    const { logPath } = containers().get(ending) ?? { logPath: "" };
    await expect.poll(() => readFileSync(logPath, "utf8")).toContain("done");
    await opened.reopen();
    expect(containers().get(lasting)?.state).toEqual(before);
    expect((await containers().wait(ending)).state).toMatchObject({ exitCode: 4 });
  });
});
