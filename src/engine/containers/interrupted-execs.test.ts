import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { identifyProcess, isRunning } from "../../platform/process-identity.ts";
import { testEngine, testImage } from "../engine.test-support.ts";

testWith(requires("containers"))(
  "a command that an engine ran in a container ends when the engine is opened again",
  async () => {
    const test = await testEngine();
    onTestFinished(() => test.remove());
    const sandboxId = await test.runtime.runPodSandbox({
      ...{ metadata: { name: "p", namespace: "d", uid: "u", attempt: 0 }, hostname: "p" },
      ...{ hostNetwork: true, labels: {}, annotations: {} },
    });
    const id = await test.runtime.createContainer(sandboxId, {
      ...{ metadata: { name: "c", attempt: 0 }, image: testImage, kind: "container" },
      ...{ command: ["sleep", "1000"], args: [], workingDir: "", env: [], labels: {} },
      ...{ annotations: {}, resources: {}, terminationMessagePath: "" },
      ...{ stdin: false, stdinOnce: false, tty: false },
    });
    await test.runtime.startContainer(id);
    const command = test.runtime.execSync(id, ["sleep", "1000"], 1000).catch(() => {});
    const files = () => readdirSync(join(test.root, "run")).filter((name) => /^exec-/.test(name));
    const pidOf = (name: string) => Number(readFileSync(join(test.root, "run", name), "utf8"));
    const running = () =>
      files()
        .filter((name) => name.endsWith(".pid"))
        .map(pidOf);
    await expect.poll(() => running()[0] ?? 0, { timeout: 5000 }).toBeGreaterThan(0);
    const process = identifyProcess(running()[0] ?? 0);
    await test.reopen();
    expect(files()).toEqual([]);
    expect(process && isRunning(process)).toBe(false);
    await command;
    expect(await test.runtime.containerStatus(id)).toMatchObject({ state: "running" });
  },
);
