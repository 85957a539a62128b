import { closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { open, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { findProgram } from "../programs.ts";
import { ContainerFolder } from "./container-folder.ts";
import { ContainerRunner } from "./container-runner.ts";
import { OciRuntime } from "./oci-runtime.ts";

/**
 * An OCI runtime whose engine is killed before it opens the pipe at which a container waits, while it has it open, or
 * after it has read from it.
 */
class InterruptedRuntime extends OciRuntime {
  readonly isInterrupted: Promise<void>;
  readonly #at: InterruptedAt;
  #interrupt = (): void => {};

  constructor(runtime: OciRuntime, at: InterruptedAt) {
    super(runtime);
    this.#at = at;
    this.isInterrupted = new Promise((resolve) => {
      this.#interrupt = resolve;
    });
  }

  override async start(id: string): Promise<void> {
    const path = join(this.root, id, "exec.fifo");
    if (this.#at !== "before opening") await utimes(path, 0, 0);
    if (this.#at === "while open") {
      // The process was woken by this, and finds no reader when it writes.
      closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    } else if (this.#at === "after reading") {
      const pipe = await open(path, constants.O_RDONLY | constants.O_NOATIME);
      await pipe.read(Buffer.alloc(1));
      await pipe.close();
    }
    this.#interrupt();
    await new Promise(() => {});
  }
}

type InterruptedAt = "before opening" | "while open" | "after reading";

/** Starts a container, and opens the engine again after the start was interrupted. */
async function interruptStart(test: TestEngine, id: string, at: InterruptedAt): Promise<void> {
  const { root, engine } = test;
  const path = join(root, "data", "containers", id);
  const folder = new ContainerFolder(path, join(root, "run", "exits", id));
  const runtime = new InterruptedRuntime(engine.runtime, at);
  const runner = new ContainerRunner({
    ...{ runFolder: join(root, "run"), snapshots: engine.snapshots, cgroups: engine.cgroups },
    ...{ runtime, conmon: await findProgram("conmon"), clock: realClock },
  });
  const record = JSON.parse(readFileSync(join(path, "container.json"), "utf8"));
  void runner.run({ folder, record }, (state) => folder.writeState(state));
  await runtime.isInterrupted;
  await test.reopen();
}

const exited = { state: "exited", exitCode: 5 };
const rows: readonly [title: string, at: InterruptedAt, script: string, state: object][] = [
  ["before its program ran is undone", "before opening", "exit 5", { state: "created" }],
  ["after its program ran is taken over", "after reading", "sleep 1000", { state: "running" }],
  ["after its program ended has its exit code", "after reading", "exit 5", exited],
];
for (const [title, at, script, state] of rows)
  testWith(requires("containers"))(
    `the start of a container that was interrupted ${title}`,
    async () => {
      const { test, id, status, log } = await createdContainer(script);
      await interruptStart(test, id, at);
      await expect.poll(status, { timeout: 5000 }).toMatchObject(state);
      if (at === "before opening") await test.runtime.startContainer(id);
      await expect.poll(log).toMatch(/^\S+ stdout F ran\n$/);
    },
  );

testWith(requires("containers"))(
  "a container whose start was interrupted while its pipe was open runs once, and has its own exit code",
  async () => {
    const { test, id, status, log } = await createdContainer("exit 5");
    await interruptStart(test, id, "while open");
    // Whether it wrote in time is the kernel's choice. If not, runc has ended with exit code 1.
    await expect
      .poll(async () => {
        if ((await status()).state === "created") await test.runtime.startContainer(id);
        return status();
      })
      .toMatchObject(exited);
    expect(await log()).toMatch(/^\S+ stdout F ran\n$/);
  },
);

testWith(requires("containers"))(
  "a container is started although runc was killed while it wrote the pid of an earlier start",
  async () => {
    const { test, id, status, log } = await createdContainer("exit 5");
    writeFileSync(join(test.root, "data", "containers", id, ".pid"), "");
    await test.runtime.startContainer(id);
    await expect.poll(status).toMatchObject(exited);
    expect(await log()).toMatch(/^\S+ stdout F ran\n$/);
  },
);

async function createdContainer(script: string) {
  const test = await testEngine();
  onTestFinished(() => test.remove());
  const sandboxId = await test.runtime.runPodSandbox({
    ...{ metadata: { name: "p", namespace: "d", uid: "u", attempt: 0 }, hostname: "p" },
    ...{ hostNetwork: true, labels: {}, annotations: {} },
  });
  const id = await test.runtime.createContainer(sandboxId, {
    ...{ metadata: { name: "c", attempt: 0 }, image: testImage, kind: "container" },
    ...{ command: ["sh", "-c", `echo ran; ${script}`], args: [], workingDir: "", env: [] },
    ...{ labels: {}, annotations: {}, resources: {}, terminationMessagePath: "" },
    ...{ stdin: false, stdinOnce: false, tty: false },
  });
  const status = () => test.runtime.containerStatus(id);
  const log = async () => readFileSync((await status()).logPath ?? "", "utf8");
  return { test, id, status, log };
}
