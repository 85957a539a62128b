import { constants, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { findProgram } from "../programs.ts";
import { ContainerFolder } from "./container-folder.ts";
import { ContainerRunner } from "./container-runner.ts";
import { OciRuntime } from "./oci-runtime.ts";

/** An OCI runtime whose engine is killed before, or just after, it opens the pipe at which a container waits. */
class InterruptedRuntime extends OciRuntime {
  readonly isInterrupted: Promise<void>;
  readonly #opens: boolean;
  #interrupt = (): void => {};

  constructor(runtime: OciRuntime, opens: boolean) {
    super(runtime);
    this.#opens = opens;
    this.isInterrupted = new Promise((resolve) => {
      this.#interrupt = resolve;
    });
  }

  override async start(id: string): Promise<void> {
    if (this.#opens) {
      const pipe = await open(join(this.root, id, "exec.fifo"), constants.O_RDONLY);
      await pipe.read(Buffer.alloc(1));
      await pipe.close();
    }
    this.#interrupt();
    await new Promise(() => {});
  }
}

/** Starts a container, and opens the engine again after the start was interrupted. */
async function interruptStart(test: TestEngine, id: string, opens: boolean): Promise<void> {
  const { root, engine } = test;
  const path = join(root, "data", "containers", id);
  const folder = new ContainerFolder(path, join(root, "run", "exits", id));
  const runtime = new InterruptedRuntime(engine.runtime, opens);
  const runner = new ContainerRunner({
    ...{ runFolder: join(root, "run"), snapshots: engine.snapshots, cgroups: engine.cgroups },
    ...{ runtime, conmon: await findProgram("conmon"), clock: realClock },
  });
  const record = JSON.parse(readFileSync(join(path, "container.json"), "utf8"));
  void runner.run({ folder, record }, (state) => folder.writeState(state));
  await runtime.isInterrupted;
  await test.reopen();
}

const rows: readonly [title: string, opens: boolean, script: string, state: object][] = [
  ["before its program ran is undone", false, "exit 5", { state: "created" }],
  ["after its program ran is taken over", true, "sleep 1000", { state: "running" }],
  ["after its program ended has its exit code", true, "exit 5", { state: "exited", exitCode: 5 }],
];
for (const [title, opens, script, state] of rows)
  testWith(requires("containers"))(
    `the start of a container that was interrupted ${title}`,
    async () => {
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
      await interruptStart(test, id, opens);
      const status = () => test.runtime.containerStatus(id);
      await expect.poll(status, { timeout: 5000 }).toMatchObject(state);
      if (!opens) await test.runtime.startContainer(id);
      const { logPath = "" } = await status();
      await expect.poll(() => readFileSync(logPath, "utf8")).toMatch(/^\S+ stdout F ran\n$/);
    },
  );
