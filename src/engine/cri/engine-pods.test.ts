import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import type { NamespaceOptions } from "../../cri/linux-types.ts";
import type { ContainerConfig, PodSandboxConfig } from "../../cri/runtime-types.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";
import { EngineImages } from "./engine-images.ts";

describeWith(requires("containers", "catatonit", "cniPlugins"))("pods of the engine", () => {
  let opened: TestEngine;
  beforeAll(async () => {
    opened = await testEngine();
  });
  afterAll(() => opened?.remove());

  const sandbox = (uid: string, more: Partial<PodSandboxConfig> = {}): PodSandboxConfig => ({
    metadata: { name: uid, namespace: "default", uid, attempt: 0 },
    ...{ hostname: uid, hostNetwork: false, labels: {}, annotations: {}, ...more },
  });
  const container = (
    name: string,
    script: string,
    more: Partial<ContainerConfig> = {},
  ): ContainerConfig => ({
    ...{ metadata: { name, attempt: 0 }, image: testImage, kind: "container" },
    ...{ command: ["sh", "-c", script], args: [], workingDir: "", env: [], labels: {} },
    ...{ annotations: {}, resources: {}, stdin: false, stdinOnce: false, tty: false },
    terminationMessagePath: "",
    ...more,
  });
  const namespaces = (pid: NamespaceOptions["pid"], targetId?: string) => ({
    security: { namespaces: { network: "pod" as const, ipc: "pod" as const, pid, targetId } },
  });
  const start = async (sandboxId: string, config: ContainerConfig): Promise<string> => {
    const id = await opened.runtime.createContainer(sandboxId, config);
    await opened.runtime.startContainer(id);
    return id;
  };
  const output = async (id: string, ...command: string[]): Promise<string> => {
    const { stdout } = await opened.runtime.execSync(id, command, 10);
    return Buffer.from(stdout).toString();
  };

  test("annotations of a pod do not reach the OCI runtime", async () => {
    const annotations = { "org.systemd.property.MemoryMax": "1", "run.oci.hooks.stdout": "/x" };
    const pod = await opened.runtime.runPodSandbox(sandbox("annotated", { annotations }));
    const id = await start(pod, container("main", "sleep 1000"));
    expect(opened.engine.containers.get(id)?.settings.annotations).toEqual({});
    expect((await opened.runtime.podSandboxStatus(pod)).annotations).toEqual(annotations);
    await opened.runtime.removePodSandbox(pod);
  });

  test("containers that share processes see each other, and orphans are reaped", async () => {
    const pod = await opened.runtime.runPodSandbox(sandbox("shared", namespaces("pod")));
    const one = await start(pod, container("one", "sleep 1111", namespaces("pod")));
    const two = await start(pod, container("two", "sleep 2222", namespaces("pod")));
    expect(await output(two, "ps", "-o", "args")).toMatch(
      /init -P(?:.|\n)*sleep 1111(?:.|\n)*sleep 2222/,
    );
    await output(one, "sh", "-c", "(sleep 0.01 &) ; exit 0");
    await expect.poll(() => output(two, "ps", "-o", "stat,args")).not.toMatch(/^Z|sleep 0.01/m);
    await opened.runtime.stopContainer(one, 0);
    expect(await output(two, "ps", "-o", "args")).not.toContain("sleep 1111");
    expect(await opened.runtime.listContainers({ sandboxId: pod })).toHaveLength(2);
    await opened.runtime.removePodSandbox(pod);
    expect(opened.engine.containers.get(pod)).toBeUndefined();
  });

  test("what a container writes is on the file system of images, not on its own overlay", async () => {
    const { engine, runtime } = opened;
    const pod = await runtime.runPodSandbox(sandbox("writes"));
    const id = await start(pod, container("one", "sleep 1111"));
    const images = new EngineImages({ ...engine, clock: realClock });
    const { mountpoint } = (await images.imageFsInfo()).containers[0] ?? {};
    const { writableLayer } = await runtime.containerStats(id);
    expect(writableLayer?.mountpoint).toBe(mountpoint);
    await runtime.removePodSandbox(pod);
  });

  test("an ephemeral container can join the processes of another", async () => {
    const pod = await opened.runtime.runPodSandbox(sandbox("target"));
    const target = await start(pod, container("app", "sleep 3333"));
    const debug = await start(pod, container("debug", "sleep 4444", namespaces("target", target)));
    expect(await output(debug, "ps", "-o", "pid,args")).toMatch(/^ +1 sleep 3333$/m);
    await opened.runtime.removePodSandbox(pod);
  });

  test("of two requests for the same container at once, one is refused", async () => {
    const pod = await opened.runtime.runPodSandbox(sandbox("twice"));
    const config = container("app", "sleep 8888");
    const results = await Promise.allSettled([
      opened.runtime.createContainer(pod, config),
      opened.runtime.createContainer(pod, config),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(opened.runtime.createContainer(pod, config)).rejects.toThrow(
      'failed to reserve container name "app_twice_default_twice_0"',
    );
    await opened.runtime.removePodSandbox(pod);
  });

  test("a pod's processes are apart from the node's and from those of other containers", async () => {
    const pod = await opened.runtime.runPodSandbox(sandbox("apart"));
    const id = await start(pod, container("app", "sleep 5555"));
    expect((await output(id, "ps", "-o", "pid,args")).split("\n")[1]).toMatch(/^ +1 sleep 5555$/);
    await opened.runtime.removePodSandbox(pod);
  });

  test("an image can be mounted as a volume, whole or in part, and cannot be changed", async () => {
    const pod = await opened.runtime.runPodSandbox(sandbox("volumes"));
    const mounts = [
      { containerPath: "/whole", hostPath: "", image: testImage },
      { containerPath: "/part", hostPath: "", image: testImage, imageSubPath: "etc" },
    ];
    const id = await start(pod, container("app", "sleep 6666", { mounts }));
    expect(await output(id, "cat", "/part/passwd")).toBe(
      await output(id, "cat", "/whole/etc/passwd"),
    );
    const { exitCode, stderr } = await opened.runtime.execSync(id, ["touch", "/whole/x"], 10);
    expect([exitCode, Buffer.from(stderr).toString()]).toEqual([
      1,
      "touch: /whole/x: Read-only file system\n",
    ]);
    await expect(
      opened.runtime.createContainer(
        pod,
        container("none", "true", {
          mounts: [{ ...mounts[1], imageSubPath: "../nothing" }] as never,
        }),
      ),
    ).rejects.toThrow("no such file or directory");
    await opened.runtime.removePodSandbox(pod);
    expect(await opened.engine.snapshots.list()).toEqual([]);
  });

  test("names are resolved as the pod says, and kernel parameters are its own", async () => {
    const pod = await opened.runtime.runPodSandbox(
      sandbox("names", {
        dns: { servers: ["10.0.0.10"], searches: ["default.svc"], options: ["ndots:5"] },
        sysctls: { "net.ipv4.ip_unprivileged_port_start": "80" },
      }),
    );
    const id = await start(pod, container("app", "sleep 7777"));
    expect(await output(id, "cat", "/etc/resolv.conf")).toBe(
      "search default.svc\nnameserver 10.0.0.10\noptions ndots:5\n",
    );
    expect(await output(id, "hostname")).toBe("names\n");
    const parameter = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
    expect(await output(id, "cat", parameter)).toBe("80\n");
    expect((await readFile(parameter, "utf8")).trim()).not.toBe("80");
    await opened.runtime.removePodSandbox(pod);
  });
});
