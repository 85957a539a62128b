import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testEngine, testImage } from "../engine.test-support.ts";

/** An OCI runtime that notes its commands, and leaves the work to runc. */
async function notingRuntime() {
  const folder = await mkdtemp(join(tmpdir(), "noting-runtime-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, "noting");
  const notes = join(folder, "notes");
  await writeFile(program, `#!/bin/sh\necho "$*" >> ${notes}\nexec runc "$@"\n`);
  await chmod(program, 0o755);
  await writeFile(notes, "");
  return { program, notes: () => readFile(notes, "utf8") };
}

testWith(requires("containers", "cniPlugins"))(
  "a runtime class runs the containers of its pods with another OCI runtime, after a restart too",
  async () => {
    const noting = await notingRuntime();
    const test = await testEngine({ ociRuntimes: { noting: noting.program } });
    onTestFinished(() => test.remove());
    const { handlers } = await test.runtime.status();
    expect(handlers.map(({ name }) => name)).toEqual(["", "runc", "noting"]);
    const run = async (name: string, runtimeHandler: string) => {
      const sandboxId = await test.runtime.runPodSandbox({
        ...{ metadata: { name, namespace: "d", uid: name, attempt: 0 }, hostname: name },
        ...{ hostNetwork: true, labels: {}, annotations: {}, runtimeHandler },
        security: { namespaces: { network: "node", pid: "container", ipc: "pod" } },
      });
      const id = await test.runtime.createContainer(sandboxId, {
        ...{ metadata: { name: "c", attempt: 0 }, image: testImage, kind: "container" },
        ...{ command: ["sleep", "1000"], args: [], env: [], labels: {}, annotations: {} },
        ...{ stdin: false, stdinOnce: false, tty: false, resources: {} },
      } as never);
      await test.runtime.startContainer(id);
      return id;
    };
    await expect(run("unknown", "missing")).rejects.toThrow(
      'failed to get sandbox runtime: no runtime for "missing" is configured',
    );
    const usual = await run("usual", "runc");
    const special = await run("special", "noting");
    await test.reopen();
    for (const id of [usual, special]) {
      expect(await test.runtime.containerStatus(id)).toMatchObject({ state: "running" });
      await test.runtime.stopContainer(id, 0);
      await test.runtime.removeContainer(id);
    }
    const notes = await noting.notes();
    expect(notes).toMatch(new RegExp(` create .*${special}`));
    expect(notes).toMatch(new RegExp(` delete --force ${special}`));
    expect(notes).not.toContain(usual);
  },
);
