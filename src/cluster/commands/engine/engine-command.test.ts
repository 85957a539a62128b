import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { runWherry, startWherry } from "../../../../test/support/wherry-process.test-support.ts";
import { connectRuntime } from "../../../cri/containerd/connect-runtime.ts";
import { busyboxImage, dockerArchive } from "../../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../../platform/run-child.ts";

test("wherry engine: something must be served", async () => {
  const { code, stderr } = await runWherry(["engine", "--listen", ""]);
  expect([code === 0, stderr]).toEqual([
    false,
    expect.stringMatching(/nothing to serve|cannot run here/),
  ]);
});

testWith(requires("containers", "docker"))(
  "wherry engine: containers of docker and CRI outlive a kill of the engine",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-engine-"));
    const cri = `unix://${root}/cri.sock`;
    const socket = `unix://${root}/docker.sock`;
    const start = async () => {
      const engine = startWherry([
        ...["engine", "--data-dir", `${root}/data`, "--run-dir", `${root}/run`],
        ...["--network", "none", "--listen", cri, "--docker-listen", socket],
      ]);
      await engine.until(/^ready$/m);
      return engine;
    };
    const docker = (args: readonly string[], input?: Uint8Array) =>
      mustRun("docker", ["--host", socket, ...args], { input });
    const first = await start();
    await docker(["load"], await buffer(dockerArchive(busyboxImage(), "busybox:latest")));
    // `wherry image` has the engine do its work while it runs.
    const image = async (...args: string[]) =>
      (await runWherry(["image", "--data-dir", `${root}/data`, ...args])).stdout;
    expect(await image("ls")).toMatch(/busybox +latest/);
    await image("tag", "busybox", "other:1");
    await image("save", "-o", `${root}/saved.tar`, "other:1");
    await docker(["rmi", "other:1"]);
    expect(await image("load", `${root}/saved.tar`)).toBe("Loaded image: other:1\n");
    await docker(["run", "-d", "--name", "kept", "--network", "none", "busybox", "sleep", "1000"]);
    onTestFinished(async () => {
      await runChild("docker", ["--host", socket, "rm", "-f", "kept"]);
      rmSync(root, { recursive: true, force: true });
    });
    const pid = await docker(["inspect", "-f", "{{.State.Pid}}", "kept"]);
    const connection = connectRuntime({ endpoint: cri });
    onTestFinished(() => connection.close());
    const { runtime } = connection;
    const config = {
      metadata: { name: "pod", namespace: "default", uid: "u", attempt: 0 },
      ...{ hostname: "pod", hostNetwork: false, labels: {}, annotations: {} },
    };
    const sandbox = await runtime.runPodSandbox(config);
    expect((await runtime.version()).runtimeName).toBe("wherry");
    await first.end("SIGKILL");

    const second = await start();
    expect(await docker(["inspect", "-f", "{{.State.Running}} {{.State.Pid}}", "kept"])).toBe(
      `true ${pid}`,
    );
    expect(await docker(["exec", "kept", "echo", "still there"])).toBe("still there\n");
    expect((await runtime.podSandboxStatus(sandbox)).state).toBe("ready");
    await runtime.removePodSandbox(sandbox);
    await docker(["rm", "-f", "kept"]);
    expect((await second.end()).code).toBe(0);
  },
);
