import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { runWherry, startWherry } from "../../../../test/support/wherry-process.test-support.ts";
import { wherryProgram } from "../../../../test/wherry-program.ts";
import { connectRuntime } from "../../../cri/containerd/connect-runtime.ts";
import { busyboxImage, dockerArchive } from "../../../engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../../platform/run-child.ts";

test.each<readonly [name: string, args: readonly string[], message: string]>([
  ["something must be served", ["--listen", ""], "nothing to serve"],
  ["a path without unix://", ["--listen", "/run/x.sock"], "want unix:///PATH"],
  ["a path that is too long", ["--listen", `unix:///${"x".repeat(107)}`], "at most 107 bytes"],
  [
    "a group that does not exist",
    ["--docker-listen", "unix:///nowhere/d.sock", "--docker-group", "nobodys-group"],
    'there is no group "nobodys-group": create it (groupadd nobodys-group), or give another one',
  ],
])("wherry engine: %s is a usage error, before anything starts", async (_, args, message) => {
  const folder = join(tmpdir(), "wherry-engine-never");
  const folders = ["--data-dir", folder, "--run-dir", folder];
  const { code, stderr } = await runWherry(["engine", ...folders, ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(folder)).toBe(false);
});

testWith(requires("containers"))(
  "wherry engine: missing programs are named, with the command that installs them",
  async () => {
    const { code, stderr } = await runWherry(["engine"], { env: { PATH: "/nowhere" } });
    expect([code, stderr]).toEqual([
      1,
      "Error: the engine cannot run here: conmon, socat, mount, nsenter, tar not installed: on Debian and Ubuntu: apt-get install conmon socat mount util-linux tar\n",
    ]);
    const other = await runWherry(["engine", "--oci-runtime", "/nowhere/runz"]);
    expect([other.code, other.stderr]).toEqual([
      1,
      "Error: the engine cannot run here: /nowhere/runz not installed: install /nowhere/runz, or name another program\n",
    ]);
  },
);

testWith(requires("containers"))(
  "wherry engine: a data directory on an overlay is refused",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-engine-"));
    for (const name of ["lower", "upper", "work", "merged"]) mkdirSync(join(root, name));
    const merged = join(root, "merged");
    const options = `lowerdir=${root}/lower,upperdir=${root}/upper,workdir=${root}/work`;
    await mustRun("mount", ["-t", "overlay", "overlay", "-o", options, merged]);
    onTestFinished(async () => {
      await mustRun("umount", [merged]);
      rmSync(root, { recursive: true, force: true });
    });
    const { code, stderr } = await runWherry([
      ...["engine", "--data-dir", `${merged}/data`, "--run-dir", `${root}/run`],
      ...["--listen", `unix://${root}/cri.sock`],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("lies on an overlay")]);
    expect(stderr).toContain(`${merged}/data`);
  },
);

testWith(requires("containers"))(
  "wherry engine: only one runs on a data directory, and it replaces the sockets of a killed one",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-engine-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const docker = join(root, "docker.sock");
    const args = [
      ...["engine", "--data-dir", `${root}/data`, "--run-dir", `${root}/run`, "--network", "none"],
      ...["--listen", `unix://${root}/cri.sock`, "--docker-listen", `unix://${docker}`],
    ];
    const isServed = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(docker, () => resolve(socket.destroy().destroyed));
        socket.on("error", () => resolve(false));
      });
    const first = startWherry(args);
    await first.until(/^ready$/m);
    expect(statSync(docker).mode & 0o777).toBe(0o600);
    const second = await runWherry(args);
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining(`${root}/data is in use by process ${first.pid} (`),
    ]);
    expect(second.stderr).toContain("stop it, or give other folders");
    const elsewhere = args.map((arg) => arg.replace(`${root}/data`, `${root}/other`));
    const third = await runWherry(elsewhere);
    expect([third.code, third.stderr]).toEqual([1, expect.stringContaining("cri.sock")]);
    expect(await isServed()).toBe(true);
    await first.end("SIGKILL");
    expect([await isServed(), existsSync(docker)]).toEqual([false, true]);
    const fourth = startWherry([...args, "--docker-group", "4321"]);
    await fourth.until(/^ready$/m);
    const { mode, gid } = statSync(docker);
    expect([await isServed(), mode & 0o777, gid]).toEqual([true, 0o660, 4321]);
    expect((await fourth.end()).code).toBe(0);
    expect(existsSync(docker)).toBe(false);
  },
);

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
    // Its own input may be a pipe that stays open, as in many scripts.
    const silent = spawn(process.execPath, [
      wherryProgram(),
      "image",
      "--data-dir",
      `${root}/data`,
      "ls",
    ]);
    expect(await text(silent.stdout)).toMatch(/busybox +latest/);
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
