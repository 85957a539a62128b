import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../test/requires.ts";
import { plainSettings } from "./containers/oci/plain-settings.test-support.ts";
import { type TestEngine, testEngine, testImage } from "./engine.test-support.ts";

describeWith(requires("containers"))("an engine with damaged records", () => {
  let opened: TestEngine;
  const containers = () => opened.engine.containers;
  const fileOf = (...path: readonly string[]): string => join(opened.root, "data", ...path);

  beforeEach(async () => {
    opened = await testEngine();
  });
  afterEach(() => opened.remove());

  const run = async (): Promise<string> => {
    const id = randomBytes(32).toString("hex");
    const { layers = [] } = opened.engine.images.store.resolve(testImage) ?? {};
    await containers().create({
      ...{ id, owner: "docker", layers, stdin: false, stdinOnce: false, details: {} },
      settings: {
        ...plainSettings,
        args: ["sleep", "1000"],
        cgroupsPath: `/wherry-test-${id}`,
      },
    });
    await containers().start(id);
    return id;
  };

  test("a container whose record is damaged is kept, and the others are taken over", async () => {
    const [good, damaged] = [await run(), await run()];
    await containers().stop(damaged, { signal: "SIGKILL", timeoutMs: 0 });
    const record = fileOf("containers", damaged, "container.json");
    truncateSync(record, 20);
    await opened.reopen();
    expect(containers().list()).toMatchObject([{ id: good, state: { phase: "running" } }]);
    expect(existsSync(record)).toBe(true);
    expect(existsSync(fileOf("snapshots/snapshots", damaged))).toBe(true);
  });

  test("a state that is damaged is found out again", async () => {
    const id = await run();
    const before = containers().get(id)?.state;
    truncateSync(fileOf("containers", id, "state.json"), 0);
    await opened.reopen();
    expect(containers().get(id)?.state).toMatchObject({
      phase: "running",
      pid: before?.phase === "running" ? before.pid : 0,
    });
  });

  test("a container whose layers are not known can be removed", async () => {
    const id = await run();
    await containers().stop(id, { signal: "SIGKILL", timeoutMs: 0 });
    const record = fileOf("snapshots/snapshots", id, "layers.json");
    writeFileSync(record, "[");
    await opened.reopen();
    await expect(containers().start(id)).rejects.toThrow(`layer in ${record}`);
    await containers().remove(id);
    expect(existsSync(record)).toBe(false);
  });

  test("a sandbox whose record is damaged is kept, and folders of others are left alone", async () => {
    const folder = fileOf("sandboxes", "ab".repeat(32));
    for (const path of [folder, fileOf("containers/lost+found")]) mkdirSync(path);
    writeFileSync(join(folder, "sandbox.json"), "{");
    await opened.reopen();
    expect(opened.engine.sandboxes.list()).toEqual([]);
    expect(existsSync(folder)).toBe(true);
    expect(existsSync(fileOf("containers/lost+found"))).toBe(true);
  });
});
