import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ImageService } from "./image-service.ts";
import type { RuntimeService } from "./runtime-service.ts";
import type { ContainerConfig, ContainerEvent, PodSandboxConfig } from "./runtime-types.ts";

/** A runtime under test, and its clock. */
export interface SuiteRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Advances the clock by so many milliseconds. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface RuntimeSuiteOptions {
  open(): Promise<SuiteRuntime>;
  /** An image with a shell in it. */
  readonly image: string;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The tests that every runtime must pass. */
export function runtimeSuite(name: string, { open, image }: RuntimeSuiteOptions): void {
  describe(name, () => {
    let opened: SuiteRuntime;
    let runtime: RuntimeService;

    beforeEach(async () => {
      opened = await open();
      ({ runtime } = opened);
      await opened.images.pullImage(image);
    });
    afterEach(() => opened.close());

    const sandbox = (uid = "uid-1", attempt = 0): PodSandboxConfig => ({
      metadata: { name: `pod-${uid}`, namespace: "default", uid, attempt },
      hostname: `pod-${uid}`,
      hostNetwork: false,
      labels: {},
      annotations: {},
    });
    const container = (command: readonly string[], attempt = 0): ContainerConfig => ({
      metadata: { name: "main", attempt },
      image,
      kind: "container",
      command,
      args: [],
      workingDir: "",
      env: [{ name: "GREETING", value: "hello" }],
      labels: {},
      annotations: {},
      resources: {},
      stdin: false,
      stdinOnce: false,
      tty: false,
      terminationMessagePath: "/dev/termination-log",
    });
    const forever = ["sleep", "infinity"];
    const run = async (command: readonly string[]): Promise<string> => {
      const id = await runtime.createContainer(
        await runtime.runPodSandbox(sandbox()),
        container(command),
        sandbox(),
      );
      await runtime.startContainer(id);
      return id;
    };

    test("it has a name and a version", async () => {
      const { runtimeName, runtimeVersion } = await runtime.version();
      expect(runtimeName).toMatch(/^[a-z]/);
      expect(runtimeVersion).not.toBe("");
    });

    test("a sandbox has its own address, which is free again after it is stopped", async () => {
      const first = await runtime.runPodSandbox(sandbox("a"));
      const second = await runtime.runPodSandbox(sandbox("b"));
      const one = await runtime.podSandboxStatus(first);
      const two = await runtime.podSandboxStatus(second);
      expect([one.state, one.ips.length, two.ips.length]).toEqual(["ready", 1, 1]);
      expect(one.ips).not.toEqual(two.ips);
      await runtime.stopPodSandbox(first);
      expect((await runtime.podSandboxStatus(first)).state).toBe("notReady");
      await runtime.stopPodSandbox(first);
      await runtime.removePodSandbox(first);
      await expect(runtime.podSandboxStatus(first)).rejects.toMatchObject({ code: "NotFound" });
    });

    test("a sandbox on the node's network has no address", async () => {
      const id = await runtime.runPodSandbox({ ...sandbox(), hostNetwork: true });
      expect((await runtime.podSandboxStatus(id)).ips).toEqual([]);
    });

    test("lists of a pod are sorted newest first", async () => {
      const old = await runtime.runPodSandbox(sandbox("a", 0));
      await runtime.stopPodSandbox(old);
      await opened.pass(5);
      const next = await runtime.runPodSandbox(sandbox("a", 1));
      await runtime.runPodSandbox(sandbox("b"));
      const listed = await runtime.listPodSandboxes({ podUid: "a" });
      expect(listed.map(({ id }) => id)).toEqual([next, old]);
      const first = await runtime.createContainer(next, container(forever, 0), sandbox("a", 1));
      await opened.pass(5);
      const second = await runtime.createContainer(next, container(forever, 1), sandbox("a", 1));
      const containers = await runtime.listContainers({ podUid: "a" });
      expect(containers.map(({ id }) => id)).toEqual([second, first]);
      expect(await runtime.listContainers({ podUid: "nobody" })).toEqual([]);
    });

    test("a container is created, runs, and ends with its command", async () => {
      const id = await runtime.createContainer(
        await runtime.runPodSandbox(sandbox()),
        container(["sh", "-c", "sleep 1; exit 3"]),
        sandbox(),
      );
      expect(await runtime.containerStatus(id)).toMatchObject({ state: "created", startedAt: 0 });
      await runtime.startContainer(id);
      const running = await runtime.containerStatus(id);
      expect(running).toMatchObject({ state: "running", podUid: "uid-1", finishedAt: 0 });
      expect(running.startedAt).toBeGreaterThanOrEqual(running.createdAt);
      await opened.pass(1100);
      const ended = await runtime.containerStatus(id);
      expect(ended).toMatchObject({ state: "exited", exitCode: 3, reason: "Error" });
      expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt + 1000);
    });

    test("a stopped container has ended, and can be stopped again", async () => {
      const id = await run(forever);
      const stopping = runtime.stopContainer(id, 1);
      await opened.pass(1100);
      await stopping;
      expect((await runtime.containerStatus(id)).state).toBe("exited");
      await runtime.stopContainer(id, 1);
      await runtime.removeContainer(id);
      await expect(runtime.containerStatus(id)).rejects.toMatchObject({ code: "NotFound" });
      await runtime.removeContainer(id);
      await runtime.stopContainer(id, 1);
    });

    test("stopping a sandbox ends its containers", async () => {
      const id = await run(forever);
      const { sandboxId } = await runtime.containerStatus(id);
      await runtime.stopPodSandbox(sandboxId);
      expect(await runtime.containerStatus(id)).toMatchObject({ state: "exited", exitCode: 137 });
      await runtime.removePodSandbox(sandboxId);
      expect(await runtime.listContainers({ podUid: "uid-1" })).toEqual([]);
    });

    test("no container can be created in a stopped sandbox", async () => {
      const id = await runtime.runPodSandbox(sandbox());
      await runtime.stopPodSandbox(id);
      const created = (where: string) =>
        runtime.createContainer(where, container(forever), sandbox());
      await expect(created(id)).rejects.toThrow();
      await expect(created("nothing")).rejects.toMatchObject({ code: "NotFound" });
    });

    test("listeners are notified of every change, in order", async () => {
      const events: ContainerEvent[] = [];
      const stop = runtime.containerEvents((event) => void events.push(event));
      const id = await run(["true"]);
      await opened.pass(100);
      const { sandboxId } = await runtime.containerStatus(id);
      await runtime.removeContainer(id);
      await opened.pass(10);
      stop();
      await runtime.removePodSandbox(sandboxId);
      await opened.pass(10);
      const ofContainer = events.filter(({ containerId }) => containerId === id);
      expect(ofContainer.map(({ type }) => type)).toEqual([
        "created",
        "started",
        "stopped",
        "deleted",
      ]);
      expect(events.every(({ podUid }) => podUid === "uid-1")).toBe(true);
      expect(events.some((event) => event.containerId === sandboxId)).toBe(true);
    });

    test("exec runs a command in a running container, until its end or its timeout", async () => {
      const id = await run(forever);
      const { stdout, stderr, exitCode } = await runtime.execSync(id, ["echo", "hello"], 10);
      expect([text(stdout), text(stderr), exitCode]).toEqual(["hello\n", "", 0]);
      expect(await runtime.execSync(id, ["sh", "-c", "exit 5"], 10)).toMatchObject({ exitCode: 5 });
      const late = expect(runtime.execSync(id, ["sleep", "60"], 1)).rejects.toMatchObject({
        code: "DeadlineExceeded",
      });
      await opened.pass(1100);
      await late;
    });

    test("exec connects streams", async () => {
      const id = await run(forever);
      const output: Uint8Array[] = [];
      const typed = async function* () {
        yield new TextEncoder().encode("one\n");
        yield new TextEncoder().encode("two\n");
      };
      const code = await runtime.exec(
        { containerId: id, command: ["cat"], tty: false },
        {
          stdin: typed(),
          stdout: async (bytes) => void output.push(bytes),
          signal: new AbortController().signal,
        },
      );
      expect([output.map(text).join(""), code]).toEqual(["one\ntwo\n", 0]);
    });

    test("reads the whole log of a container, or its last lines", async () => {
      const id = await run(["sh", "-c", "echo a; echo b; echo c; sleep 3"]);
      await opened.pass(100);
      const { signal } = new AbortController();
      const read = async (options: { tailLines?: number; follow?: boolean }) => {
        let log = "";
        for await (const { bytes } of runtime.logs(id, { follow: false, signal, ...options }))
          log += text(bytes);
        return log;
      };
      expect(await read({})).toBe("a\nb\nc\n");
      expect(await read({ tailLines: 1 })).toBe("c\n");
      const followed = read({ follow: true });
      await opened.pass(3000);
      expect(await followed).toBe("a\nb\nc\n");
    });

    test("reports the resource usage of a container", async () => {
      const id = await run(forever);
      const stats = await runtime.containerStats(id);
      expect(stats).toMatchObject({ id, metadata: { name: "main" } });
      expect(stats.memoryWorkingSetBytes).toBeGreaterThan(0);
    });

    test("updates the resources of a running container", async () => {
      const id = await run(forever);
      await runtime.updateContainerResources(id, { cpuLimitMillis: 500 });
      expect(await runtime.containerStatus(id)).toMatchObject({
        state: "running",
        resources: { cpuLimitMillis: 500 },
      });
    });

    test("its status, and what a kubelet must know", async () => {
      const { conditions, info } = await runtime.status({ verbose: true });
      expect(conditions.filter(({ isTrue }) => isTrue).map(({ type }) => type)).toEqual(
        expect.arrayContaining(["RuntimeReady", "NetworkReady"]),
      );
      expect(info).toHaveProperty("config");
      expect((await runtime.status()).info).toBeUndefined();
    });

    test("an ID may be shortened, and labels select", async () => {
      const pod = { ...sandbox(), labels: { app: "a" }, annotations: { note: "n" } };
      const sandboxId = await runtime.runPodSandbox(pod);
      const labels = { part: "b" };
      const id = await runtime.createContainer(sandboxId, { ...container(forever), labels }, pod);
      const short = (whole: string): string => whole.slice(0, 12);
      expect(await runtime.podSandboxStatus(short(sandboxId))).toMatchObject({
        id: sandboxId,
        labels: { app: "a" },
        annotations: { note: "n" },
      });
      expect(await runtime.containerStatus(short(id))).toMatchObject({ id, labels });
      const ids = (found: readonly { readonly id: string }[]) => found.map((one) => one.id);
      for (const filter of [{ labels: { app: "a" } }, { id: short(sandboxId) }])
        expect(ids(await runtime.listPodSandboxes(filter))).toEqual([sandboxId]);
      for (const filter of [{ labels }, { id: short(id) }, { sandboxId: short(sandboxId) }])
        expect(ids(await runtime.listContainers(filter))).toEqual([id]);
      const others = [{ labels: { app: "b" } }, { state: "notReady" } as const];
      for (const filter of others) expect(await runtime.listPodSandboxes(filter)).toEqual([]);
      expect(await runtime.listContainers({ labels: { ...labels, app: "a" } })).toEqual([]);
    });

    test("images exist from their pull until their removal", async () => {
      const { images } = opened;
      const here = await images.imageStatus(image);
      expect(here?.repoDigests[0]).toContain("@sha256:");
      expect((await images.listImages()).map(({ id }) => id)).toEqual([here?.id]);
      expect((await runtime.containerStatus(await run(forever))).imageRef).toBe(
        here?.repoDigests[0],
      );
      await images.removeImage(image);
      expect(await images.imageStatus(image)).toBeUndefined();
      await images.removeImage(image);
    });
  });
}
