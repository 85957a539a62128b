import { existsSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  containerdImage,
  startContainerd,
  type TestContainerd,
} from "../../test/cri/containerd.test-support.ts";
import { eventually } from "../../test/eventually.ts";
import { describeWith, requires } from "../../test/requires.ts";
import { defaultReadonlyPaths } from "../cri/hidden-paths.ts";
import type { ContainerSecurityContext } from "../cri/linux-types.ts";
import { openCgroups } from "../platform/cgroups/host-cgroups.ts";
import { nodeMaskedPaths } from "./containers/security/masked-paths.ts";
import { type DockerTest, dockerTest } from "./docker/docker-engine.test-support.ts";
import { type TestEngine, testEngine, testImage } from "./engine.test-support.ts";
import {
  attempts,
  inContainer,
  type ProbeFolder,
  probeFolder,
  runProbes,
} from "./probed-container.test-support.ts";

const needsX64 = process.arch === "x64" ? undefined : "needs programs for x86-64";

describeWith(needsX64 ?? requires("containers", "cniPlugins"))("isolation", () => {
  let opened: TestEngine;
  let folder: ProbeFolder;
  const options = () => ({ runtime: opened.runtime, image: testImage, folder });

  beforeAll(async () => {
    opened = await testEngine();
    folder = probeFolder();
  });
  afterAll(async () => {
    await opened.remove();
    folder.remove();
  });

  test("neither the first process nor a command does what containers must not do", async () => {
    const expected = Object.fromEntries(
      folder.probes.map(({ name, errno = "allowed" }) => [name, errno]),
    );
    await inContainer(options(), async ({ firstOutput, exec }) => {
      expect(attempts(firstOutput, folder.probes)).toEqual(expected);
      expect(attempts(await exec(runProbes), folder.probes)).toEqual(expected);
    });
  });

  test("a privileged container may do much of it: the probes work", async () => {
    const privileged = { ...options(), security: { privileged: true } };
    await inContainer(privileged, async ({ firstOutput }) => {
      const done = attempts(firstOutput, folder.probes);
      const working = folder.probes.filter((probe) => probe.works).map(({ name }) => name);
      expect(working.length).toBeGreaterThan(20);
      expect(working.filter((name) => done[name] !== "allowed")).toEqual([]);
    });
  });

  test("a container sees its own processes, and nothing in files that tell of the node", async () => {
    const hidden = nodeMaskedPaths().filter((path) => existsSync(path));
    const read = hidden.map((path) => `(ls -A ${path}/ || head -c 100 ${path}) 2>/dev/null`);
    await inContainer(options(), async ({ exec }) => {
      expect(hidden).toContain("/proc/interrupts");
      expect(await exec(`(${read.join("; ")}) | wc -c`)).toBe("0\n");
      expect(await exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).not.toMatch(/node|vitest/);
      expect(await exec("ls -d /proc/[0-9]* | wc -l")).toMatch(/^[2-6]\n$/);
    });
  });

  test("namespaces are shared within a pod where pods share them, and with no other pod", async () => {
    const names = ["pid", "mnt", "net", "ipc", "uts", "user"];
    const show = names.map((name) => `readlink /proc/self/ns/${name}`).join("; ");
    const host = await Promise.all(names.map((name) => readlink(`/proc/self/ns/${name}`)));
    await inContainer(options(), async (first) => {
      await inContainer({ ...options(), pod: "other" }, async (other) => {
        const namespaces = {
          first: lines(await first.exec(show)),
          command: lines(await first.exec(show)),
          beside: lines(await (await first.addContainer())(show)),
          other: lines(await other.exec(show)),
        };
        const sharedWith = (one: readonly string[], two: readonly string[]): readonly string[] =>
          names.filter((_name, index) => one[index] === two[index]);
        expect({
          host: sharedWith(namespaces.first, host),
          command: sharedWith(namespaces.first, namespaces.command),
          beside: sharedWith(namespaces.first, namespaces.beside),
          other: sharedWith(namespaces.first, namespaces.other),
        }).toEqual({
          host: ["user"],
          command: names,
          beside: ["net", "ipc", "uts", "user"],
          other: ["user"],
        });
      });
    });
  });
});

describeWith(needsX64 ?? requires("containers", "docker", "nft"))(
  "isolation of docker's containers",
  () => {
    let engine: DockerTest;
    let folder: ProbeFolder;

    beforeAll(async () => {
      folder = probeFolder();
      engine = await dockerTest(8);
      await engine.load("busybox:latest");
    });
    afterAll(async () => {
      await engine.remove();
      folder.remove();
    });

    test("neither the first process nor a command does what containers must not do", async () => {
      const expected = Object.fromEntries(
        folder.probes.map(({ name, errno = "allowed" }) => [name, errno]),
      );
      const volume = `--volume=${folder.path}/probes:/probes:ro`;
      const script = `${runProbes}; sleep 1000`;
      await engine.output("run", "-d", "--name=main", volume, "busybox", "sh", "-c", script);
      await eventually(async () => {
        expect(attempts(await engine.output("logs", "main"), folder.probes)).toEqual(expected);
      });
      const { stdout } = await engine.docker(["exec", "main", "sh", "-c", runProbes]);
      expect(attempts(stdout, folder.probes)).toEqual(expected);
    });
  },
);

describeWith(needsX64 ?? requires("containerd", "containers", "cniPlugins"))(
  "isolation in containerd",
  () => {
    const cgroupParent = `/wherry-isolation-${process.pid}`;
    let containerd: TestContainerd;
    let folder: ProbeFolder;

    beforeAll(async () => {
      folder = probeFolder();
      containerd = await startContainerd();
    });
    afterAll(async () => {
      await containerd?.close();
      await (await openCgroups()).remove(cgroupParent);
      folder.remove();
    });

    test("the same attempts have the same outcomes", async () => {
      const { runtime } = containerd.connection;
      const same = folder.probes.filter((probe) => !probe.differsInContainerd16);
      const expected = Object.fromEntries(same.map(({ name, errno = "allowed" }) => [name, errno]));
      // As a kubelet asks for it: containerd itself hides and filters nothing.
      const security: ContainerSecurityContext = {
        seccomp: { type: "runtimeDefault" },
        maskedPaths: nodeMaskedPaths(),
        readonlyPaths: defaultReadonlyPaths,
      };
      const options = { runtime, image: containerdImage, folder, cgroupParent, security };
      await inContainer(options, async ({ firstOutput, exec }) => {
        expect(attempts(firstOutput, folder.probes)).toMatchObject(expected);
        expect(attempts(await exec(runProbes), folder.probes)).toMatchObject(expected);
        expect(folder.probes.length - same.length).toBeLessThanOrEqual(4);
      });
    });
  },
);

function lines(text: string): readonly string[] {
  return text.trim().split("\n");
}
