import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../test/requires.ts";
import { mustRun } from "../platform/run-child.ts";
import { type TestEngine, testEngine, testImage } from "./engine.test-support.ts";

describeWith(requires("containers", "cniPlugins"))("an engine on a full disk", () => {
  let opened: TestEngine;
  const folders = (): readonly string[] =>
    ["containers", "sandboxes"].map((name) => join(opened.root, "data", name));

  beforeEach(async () => {
    opened = await testEngine();
    for (const folder of folders())
      await mustRun("mount", ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", folder]);
  });
  afterEach(async () => {
    for (const folder of folders()) await mustRun("umount", ["--lazy", folder]);
    await opened.remove();
  });

  test("pods can be stopped and removed, which makes room", async () => {
    const { runtime, engine } = opened;
    const pod = await runtime.runPodSandbox({
      metadata: { name: "full", namespace: "default", uid: "full", attempt: 0 },
      ...{ hostname: "full", hostNetwork: false, labels: {}, annotations: {} },
    });
    const id = await runtime.createContainer(pod, {
      ...{ metadata: { name: "main", attempt: 0 }, image: testImage, kind: "container" },
      ...{ command: ["sleep", "1000"], args: [], workingDir: "", env: [], labels: {} },
      ...{ annotations: {}, resources: {}, stdin: false, stdinOnce: false, tty: false },
      terminationMessagePath: "",
    });
    await runtime.startContainer(id);
    for (const folder of folders())
      expect(() => writeFileSync(join(folder, "ballast"), "x".repeat(1 << 20))).toThrow("ENOSPC");
    await runtime.stopPodSandbox(pod);
    expect(await runtime.podSandboxStatus(pod)).toMatchObject({ state: "notReady" });
    await runtime.removePodSandbox(pod);
    expect([engine.containers.list(), engine.sandboxes.list()]).toEqual([[], []]);
  });
});
