import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realContainerTests } from "./real-container-suite.ts";
import type { RuntimeService } from "./runtime-service.ts";
import type { ContainerEvent, StatusOptions } from "./runtime-types.ts";
import {
  forever,
  removeCgroups,
  type SuiteRuntime,
  suitePods,
  text,
} from "./suite-pods.test-support.ts";

export interface RuntimeSuiteOptions {
  open(): Promise<SuiteRuntime>;
  /** An image with a shell in it. */
  readonly image: string;
  /** What the runtime cannot do. */
  readonly lacks?: readonly SuiteFeature[] | undefined;
}

/**
 * `processes`: containers are real. `logs`: logs can be read. `reportedResources`: the status of a container has
 * its resources. `stopSignal`: a container can have a signal that its image does not have. `runtimeConfig`: the
 * runtime tells its settings. `metrics`: it has metrics of its own.
 */
export type SuiteFeature =
  | "processes"
  | "logs"
  | "reportedResources"
  | "stopSignal"
  | "runtimeConfig"
  | "metrics";

/** The tests that every runtime must pass. */
export function runtimeSuite(name: string, { open, image, lacks = [] }: RuntimeSuiteOptions): void {
  describe(name, () => {
    let opened: SuiteRuntime;
    let runtime: RuntimeService;
    const has = (feature: SuiteFeature): boolean => !lacks.includes(feature);
    let folder: string | undefined;
    const pods = suitePods({ image, opened: () => opened, folder: () => folder });
    const { sandbox, container, eventually, during, ended, log } = pods;
    const run = (command: readonly string[]): Promise<string> => pods.run(container(command));

    beforeEach(async () => {
      if (has("processes")) folder = await mkdtemp(join(tmpdir(), "cri-suite-"));
      opened = await open();
      ({ runtime } = opened);
      if (!(await opened.images.imageStatus(image))) await opened.images.pullImage(image);
    });
    afterEach(async () => {
      try {
        for (const { id } of await runtime.listPodSandboxes()) await runtime.removePodSandbox(id);
      } finally {
        await opened.close();
      }
      if (folder === undefined) return;
      await removeCgroups(basename(folder));
      await rm(folder, { recursive: true });
    });

    test("it has a name and a version", async () => {
      const { runtimeName, runtimeVersion } = await runtime.version();
      expect(runtimeName).toMatch(/^[a-z]/);
      expect(runtimeVersion).not.toBe("");
    });

    test("its status, and what a kubelet must know", async () => {
      const { conditions, info } = await runtime.status({ verbose: true });
      expect(conditions.filter(({ isTrue }) => isTrue).map(({ type }) => type)).toEqual(
        expect.arrayContaining(["RuntimeReady", "NetworkReady"]),
      );
      expect(info).toHaveProperty("config");
      expect((await runtime.status()).info).toBeUndefined();
      await runtime.updateRuntimeConfig({ podCidr: "10.244.7.0/24" });
      if (!has("runtimeConfig")) {
        await expect(runtime.runtimeConfig()).rejects.toMatchObject({ code: "Unimplemented" });
        return;
      }
      expect((await runtime.runtimeConfig()).cgroupDriver).toMatch(/^(systemd|cgroupfs)$/);
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
      await runtime.stopPodSandbox(first);
      await runtime.removePodSandbox(first);
    });

    test("a sandbox on the node's network has no address", async () => {
      const id = await runtime.runPodSandbox({ ...sandbox(), hostNetwork: true });
      const { ips, hostNetwork } = await runtime.podSandboxStatus(id);
      expect([ips, hostNetwork]).toEqual([[], true]);
    });

    test("lists of a pod are sorted newest first", async () => {
      const old = await runtime.runPodSandbox(sandbox("a", 0));
      await runtime.stopPodSandbox(old);
      await opened.pass(5);
      const next = await runtime.runPodSandbox(sandbox("a", 1));
      await runtime.runPodSandbox(sandbox("b"));
      const listed = await runtime.listPodSandboxes({ podUid: "a" });
      expect(listed.map(({ id }) => id)).toEqual([next, old]);
      const created = (attempt: number) =>
        runtime.createContainer(next, container(forever, attempt), sandbox("a", 1));
      const first = await created(0);
      await opened.pass(5);
      const second = await created(1);
      const containers = await runtime.listContainers({ podUid: "a" });
      expect(containers.map(({ id }) => id)).toEqual([second, first]);
      expect(await runtime.listContainers({ podUid: "nobody" })).toEqual([]);
    });

    test("an ID may be shortened, and labels select", async () => {
      const pod = { ...sandbox(), labels: { app: "a" }, annotations: { note: "n" } };
      const sandboxId = await runtime.runPodSandbox(pod);
      const labels = { part: "b" };
      const id = await runtime.createContainer(sandboxId, { ...container(forever), labels }, pod);
      const short = (whole: string): string => whole.slice(0, 12);
      expect(await runtime.podSandboxStatus(short(sandboxId))).toMatchObject({
        id: sandboxId,
        metadata: pod.metadata,
        labels: { app: "a" },
        annotations: { note: "n" },
      });
      expect(await runtime.containerStatus(short(id))).toMatchObject({ id, sandboxId, labels });
      const ids = (found: readonly { readonly id: string }[]) => found.map((one) => one.id);
      for (const filter of [{ labels: { app: "a" } }, { id: short(sandboxId) }])
        expect(ids(await runtime.listPodSandboxes(filter))).toEqual([sandboxId]);
      for (const filter of [{ labels }, { id: short(id) }, { sandboxId: short(sandboxId) }])
        expect(ids(await runtime.listContainers(filter))).toEqual([id]);
      const others = [{ labels: { app: "b" } }, { state: "notReady" } as const];
      for (const filter of others) expect(await runtime.listPodSandboxes(filter)).toEqual([]);
      expect(await runtime.listContainers({ labels: { ...labels, app: "a" } })).toEqual([]);
      expect(await runtime.listContainers({ state: "running" })).toEqual([]);
    });

    test("a status has information for people only where it was requested", async () => {
      const id = await run(forever);
      const { sandboxId } = await runtime.containerStatus(id);
      for (const status of [
        (options?: StatusOptions) => runtime.containerStatus(id, options),
        (options?: StatusOptions) => runtime.podSandboxStatus(sandboxId, options),
      ]) {
        const { info, ...brief } = await status();
        expect(info).toBeUndefined();
        expect(await status({ verbose: true })).toMatchObject(brief);
      }
    });

    test("a container is created, runs, and ends with its command", async () => {
      const sandboxId = await runtime.runPodSandbox(sandbox());
      const config = container(["sh", "-c", "sleep 1; exit 3"]);
      const id = await runtime.createContainer(sandboxId, config, sandbox());
      expect(await runtime.containerStatus(id)).toMatchObject({ state: "created", startedAt: 0 });
      await runtime.startContainer(id);
      const running = await runtime.containerStatus(id);
      expect(running).toMatchObject({ state: "running", podUid: "uid-1", finishedAt: 0 });
      expect(running.startedAt).toBeGreaterThanOrEqual(running.createdAt);
      const status = await ended(id);
      expect(status).toMatchObject({ exitCode: 3, reason: "Error" });
      // Its process may have begun before its start was noted.
      expect(status.finishedAt).toBeGreaterThanOrEqual(status.createdAt + 1000);
      await expect(runtime.startContainer(id)).rejects.toThrow();
    });

    test("a stopped container has ended, and can be stopped again", async () => {
      const id = await run(forever);
      await during(runtime.stopContainer(id, 1));
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
      await during(runtime.stopPodSandbox(sandboxId));
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
      const { sandboxId } = await ended(id);
      const typesOf = (wanted: string) =>
        events.filter(({ containerId }) => containerId === wanted).map(({ type }) => type);
      await eventually(() => expect(typesOf(id)).toContain("stopped"));
      await runtime.removeContainer(id);
      await eventually(() =>
        expect(typesOf(id)).toEqual(["created", "started", "stopped", "deleted"]),
      );
      expect(typesOf(sandboxId)).toContain("started");
      expect(events.every(({ podUid }) => podUid === "uid-1")).toBe(true);
      stop();
      const { length } = events;
      await runtime.removePodSandbox(sandboxId);
      await opened.pass(10);
      expect(events.length).toBe(length);
    });

    test("exec runs a command in a running container, until its end or its timeout", async () => {
      const id = await run(forever);
      const { stdout, stderr, exitCode } = await runtime.execSync(id, ["echo", "hello"], 10);
      expect([text(stdout), text(stderr), exitCode]).toEqual(["hello\n", "", 0]);
      expect(await runtime.execSync(id, ["sh", "-c", "exit 5"], 10)).toMatchObject({ exitCode: 5 });
      await expect(during(runtime.execSync(id, ["sleep", "60"], 1))).rejects.toMatchObject({
        code: "DeadlineExceeded",
      });
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

    if (has("logs"))
      test("reads the whole log of a container, or its last lines", async () => {
        const id = await run(["sh", "-c", "echo a; echo b; echo c; sleep 1"]);
        await eventually(async () => expect(await log(id)).toBe("a\nb\nc\n"));
        expect(await log(id, { tailLines: 1 })).toBe("c\n");
        expect(await during(log(id, { follow: true }))).toBe("a\nb\nc\n");
        expect((await runtime.containerStatus(id)).state).toBe("exited");
      });

    test("reports the resource usage of containers and pods", async () => {
      const id = await run(forever);
      const { sandboxId } = await runtime.containerStatus(id);
      const stats = await eventually(async () => {
        const found = await runtime.containerStats(id);
        expect(found.memoryWorkingSetBytes).toBeGreaterThan(0);
        return found;
      });
      expect(stats).toMatchObject({ id, metadata: { name: "main" } });
      const listed = await runtime.listContainerStats({ sandboxId });
      expect(listed.map((one) => one.id)).toEqual([id]);
      const pod = await runtime.podSandboxStats(sandboxId);
      expect(pod).toMatchObject({ id: sandboxId, metadata: { uid: "uid-1" } });
      expect(pod.containers.map((one) => one.id)).toContain(id);
      expect(pod.network[0]?.name).toBe("eth0");
      const all = await runtime.listPodSandboxStats({ id: sandboxId });
      expect(all.map((one) => one.id)).toEqual([sandboxId]);
    });

    test("its metrics have the labels of their descriptors", async () => {
      if (!has("metrics")) {
        await expect(runtime.listMetricDescriptors()).rejects.toMatchObject({
          code: "Unimplemented",
        });
        return;
      }
      const id = await run(forever);
      const descriptors = await runtime.listMetricDescriptors();
      const [pod] = await runtime.listPodSandboxMetrics();
      const ofContainer = pod?.containers.find(({ containerId }) => containerId === id);
      if (descriptors.length > 0) expect(ofContainer?.metrics).not.toEqual([]);
      for (const { name, labelValues } of [
        ...(pod?.metrics ?? []),
        ...(ofContainer?.metrics ?? []),
      ])
        expect(descriptors.find((one) => one.name === name)?.labelKeys).toHaveLength(
          labelValues.length,
        );
    });

    test("updates the resources of a running container", async () => {
      const id = await run(forever);
      await runtime.updateContainerResources(id, { cpuLimitMillis: 500 });
      const { state, resources } = await runtime.containerStatus(id);
      expect(state).toBe("running");
      if (has("reportedResources")) expect(resources.cpuLimitMillis).toBe(500);
    });

    test("simultaneous updates of different limits do not undo each other", async () => {
      const id = await run(forever);
      await Promise.all([
        runtime.updateContainerResources(id, { linux: { cpuQuota: 40_000, cpuPeriod: 100_000 } }),
        runtime.updateContainerResources(id, { linux: { memoryLimitBytes: 2 ** 26 } }),
        runtime.updateContainerResources(id, { linux: { cpusetCpus: "0" } }),
      ]);
      const { resources } = await runtime.containerStatus(id);
      if (has("reportedResources"))
        expect(resources.linux).toMatchObject({
          ...{ cpuQuota: 40_000, memoryLimitBytes: 2 ** 26, cpusetCpus: "0" },
        });
    });

    test("checkpoints are not implemented", async () => {
      const options = { location: "/nowhere", timeoutSeconds: 1 };
      await expect(runtime.checkpointContainer(await run(forever), options)).rejects.toMatchObject({
        code: "Unimplemented",
      });
    });

    test("images exist from their pull until their removal", async () => {
      const { images } = opened;
      const here = await images.imageStatus(image);
      // An image that was not pulled has no digest.
      const [digest = here?.id ?? ""] = here?.repoDigests ?? [];
      expect(digest).toContain("sha256:");
      expect((await images.listImages()).map(({ id }) => id)).toContain(here?.id);
      expect((await images.listImages(image)).map(({ id }) => id)).toEqual([here?.id]);
      for (const name of [here?.id ?? "", digest])
        expect((await images.imageStatus(name))?.id).toBe(here?.id);
      expect((await runtime.containerStatus(await run(forever))).imageRef).toBe(digest);
      expect((await images.imageFsInfo()).images[0]?.mountpoint).toMatch(/^\//);
      for (const { id } of await runtime.listPodSandboxes()) await runtime.removePodSandbox(id);
      await images.removeImage(here?.id ?? "");
      expect(await images.imageStatus(image)).toBeUndefined();
      await images.removeImage(image);
    });

    if (has("processes"))
      realContainerTests({ opened: () => opened, folder: () => folder ?? "", pods, image, has });
  });
}
