import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("docker's records that are damaged", () => {
  let engine: DockerTest;
  const output = (...args: readonly string[]) => engine.output(...args);

  beforeAll(async () => {
    engine = await dockerTest(19);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  test("the rest is served, and nothing of what is damaged is lost", async () => {
    for (const name of ["good", "bad"]) {
      await output("volume", "create", name);
      await output("run", "--rm", `-v=${name}:/v`, "busybox", "sh", "-c", `echo ${name} > /v/f`);
    }
    const run = ["run", "-d", "--network=none"];
    const kept = await output(...run, "--name=kept", "busybox", "sleep", "1000");
    const lost = await output(...run, "busybox", "sh", "-c", "echo said");
    await output("wait", lost);
    const folder = join(engine.root, "docker");
    const damaged = [
      join(folder, "volumes/bad/volume.json"),
      join(folder, "networks.json"),
      join(engine.root, "data/containers", lost, "container.json"),
    ];
    for (const path of damaged) writeFileSync(path, "");
    await engine.reopen();
    expect(await output("ps", "-aq", "--no-trunc")).toBe(kept);
    expect(await output("volume", "ls", "-q")).toBe("good");
    expect(await output("network", "ls", "--format={{.Name}}")).toBe("bridge\nhost\nnone");
    expect((await engine.docker(["volume", "create", "bad"])).stderr).toContain("is damaged");
    expect(readFileSync(join(folder, "volumes/bad/_data/f"), "utf8")).toBe("bad\n");
    const log = join(folder, "containers", lost, `${lost}-json.log`);
    expect(existsSync(log) && readFileSync(log, "utf8")).toContain("said");
  });
});
