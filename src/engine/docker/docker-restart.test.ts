import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";
import { createNamespace } from "./network/network-commands.ts";

describeWith(requires("containers", "docker", "nft"))("restarts and health", () => {
  let engine: DockerTest;
  const docker = (...args: readonly string[]) => engine.docker(args);
  const output = (...args: readonly string[]) => engine.output(...args);
  const format = (name: string, template: string) => output("inspect", "--format", template, name);
  const run = (...args: readonly string[]) => output("run", "-d", "--network=none", ...args);

  beforeAll(async () => {
    engine = await dockerTest(4);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  test("on-failure: as often as it says, then its exit code", async () => {
    await run("--restart=on-failure:2", "--name=fails", "busybox", "sh", "-c", "echo try; exit 3");
    expect(await output("wait", "fails")).toBe("3");
    await eventually(async () =>
      expect(await format("fails", "{{.RestartCount}} {{.State.Status}} {{.State.ExitCode}}")).toBe(
        "2 exited 3",
      ),
    );
    expect(await output("logs", "fails")).toBe("try\ntry\ntry");
  });

  test("always: not after a client stopped it", async () => {
    await run("--restart=always", "--name=always", "busybox", "sh", "-c", "sleep 0.05");
    await eventually(async () =>
      expect(Number(await format("always", "{{.RestartCount}}"))).toBeGreaterThan(0),
    );
    await output("stop", "always");
    expect(await format("always", "{{.State.Status}} {{.State.Restarting}}")).toBe("exited false");
    await output("update", "--restart=no", "always");
    expect(await format("always", "{{.HostConfig.RestartPolicy.Name}}")).toBe("no");
  });

  test("healthchecks: starting, healthy, unhealthy", async () => {
    const check = ["--health-cmd=test -e /ok", "--health-interval=50ms", "--health-retries=2"];
    await run(...check, "--name=health", "busybox", "sleep", "1000");
    expect(await format("health", "{{.State.Health.Status}}")).toMatch(/^(?:starting|unhealthy)$/);
    const status = () => format("health", "{{.State.Health.Status}}");
    await eventually(async () => expect(await status()).toBe("unhealthy"));
    await output("exec", "health", "touch", "/ok");
    await eventually(async () => expect(await status()).toBe("healthy"));
    expect(await output("ps", "--filter=health=healthy", "--format={{.Status}}")).toMatch(
      /^Up .* \(healthy\)$/,
    );
    expect(Number(await format("health", "{{len .State.Health.Log}}"))).toBeLessThanOrEqual(5);
    expect(await format("health", "{{(index .State.Health.Log 0).ExitCode}}")).toMatch(/^[01]$/);
    await output("rm", "-f", "health");
  });

  test("a restart of the engine: containers run on, ends are known, policies hold", async () => {
    await run("--name=runs", "busybox", "sh", "-c", "while :; do echo x; sleep 0.1; done");
    await run("--name=ends", "busybox", "sh", "-c", "sleep 0.3; exit 4");
    await run("--restart=unless-stopped", "--name=unless", "busybox", "sleep", "1000");
    await run("--restart=always", "--name=stopped", "busybox", "sleep", "1000");
    await output("stop", "-t=0", "stopped");
    await run("--rm", "--name=removed", "busybox", "sh", "-c", "sleep 0.3");
    await output("volume", "create", "kept");
    const pid = await format("runs", "{{.State.Pid}}");
    // What a kill could have left of a container that was being created or removed.
    const leftovers = ["containers", "netns"].map((name) =>
      join(engine.root, "docker", name, "f".repeat(64)),
    );
    mkdirSync(leftovers[0] ?? "");
    await createNamespace(leftovers[1] ?? "");
    await engine.reopen();
    expect(leftovers.filter(existsSync)).toEqual([]);
    expect(await format("runs", "{{.State.Pid}} {{.State.Running}}")).toBe(`${pid} true`);
    expect(await output("wait", "ends")).toBe("4");
    expect(await format("unless", "{{.State.Running}}")).toBe("true");
    await eventually(async () =>
      expect(await format("stopped", "{{.State.Running}}")).toBe("true"),
    );
    await eventually(async () => expect((await docker("inspect", "removed")).code).toBe(1));
    expect(await output("volume", "ls", "-q")).toBe("kept");
    expect(await output("exec", "runs", "echo", "there")).toBe("there");
    expect((await docker("create", "--name=runs", "busybox")).stderr).toContain(
      "is already in use by container",
    );
  });
});
