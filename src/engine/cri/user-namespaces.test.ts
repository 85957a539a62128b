import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import type { ContainerMount, NamespaceOptions } from "../../cri/linux-types.ts";
import type { ContainerConfig, PodSandboxConfig } from "../../cri/runtime-types.ts";
import { type TestEngine, testEngine, testImage } from "../engine.test-support.ts";

describeWith(requires("containers", "userNamespaces", "catatonit", "cniPlugins"))(
  "pods with users of their own",
  () => {
    let opened: TestEngine;
    beforeAll(async () => {
      opened = await testEngine();
    });
    afterAll(() => opened?.remove());

    const range = (hostId: number) => [{ containerId: 0, hostId, length: 65536 }];
    const namespaces = (
      hostId: number,
      pid: NamespaceOptions["pid"] = "container",
      targetId?: string,
    ): NamespaceOptions => ({
      ...{ network: "pod", ipc: "pod", pid, targetId },
      user: { mode: "pod", uids: range(hostId), gids: range(hostId) },
    });
    const sandbox = (uid: string, own: NamespaceOptions, more: Partial<PodSandboxConfig> = {}) =>
      opened.runtime.runPodSandbox({
        metadata: { name: uid, namespace: "default", uid, attempt: 0 },
        ...{ hostname: uid, hostNetwork: false, labels: {}, annotations: {} },
        ...{ security: { namespaces: own }, ...more },
      });
    const start = async (
      pod: string,
      own: NamespaceOptions,
      more: Partial<ContainerConfig> = {},
    ): Promise<string> => {
      const id = await opened.runtime.createContainer(pod, {
        ...{ metadata: { name: "app", attempt: 0 }, image: testImage, kind: "container" },
        ...{ command: ["sleep", "1000"], args: [], workingDir: "", env: [], labels: {} },
        ...{ annotations: {}, resources: {}, stdin: false, stdinOnce: false, tty: false },
        terminationMessagePath: "",
        ...more,
        security: { namespaces: own, ...more.security },
      });
      await opened.runtime.startContainer(id);
      return id;
    };
    const run = async (id: string, script: string): Promise<string> => {
      const { stdout, stderr } = await opened.runtime.execSync(id, ["sh", "-c", script], 20);
      return Buffer.from(stdout).toString() + Buffer.from(stderr).toString();
    };
    const pidOf = (id: string): number => {
      const state = opened.engine.containers.get(id)?.state;
      if (state?.phase !== "running") throw new Error("it does not run");
      return state.pid;
    };
    const hostFolder = (name: string, owner: number): string => {
      const path = join(opened.root, name);
      mkdirSync(path);
      writeFileSync(join(path, "file"), "text\n");
      for (const one of [path, join(path, "file")]) chownSync(one, owner, owner);
      return path;
    };
    const mapped = (hostId: number, mount: ContainerMount): ContainerMount => ({
      ...{ ...mount, uidMappings: range(hostId), gidMappings: range(hostId) },
    });

    test("the runtime says that it can have them", async () => {
      const { handlers, info } = await opened.runtime.status({ verbose: true });
      expect(handlers.map(({ userNamespaces }) => userNamespaces)).toEqual([true, true]);
      expect(JSON.parse(info?.config ?? "")).toMatchObject({ userNamespaces: "supported" });
    });

    test("root of a pod is nobody on the node, and owns the files of its image", async () => {
      const own = namespaces(131072);
      const pod = await sandbox("root", own);
      const id = await start(pod, own);
      expect(await run(id, "cat /proc/self/uid_map /proc/self/gid_map | tr -s ' '")).toBe(
        " 0 131072 65536\n 0 131072 65536\n",
      );
      expect(readFileSync(`/proc/${pidOf(id)}/status`, "utf8")).toMatch(/^Uid:\t131072\t/m);
      expect(
        await run(
          id,
          "stat -c '%u:%g %n' / /bin/sh /etc /etc/hosts /etc/hostname /etc/resolv.conf",
        ),
      ).toBe(
        ["/", "/bin/sh", "/etc", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf"]
          .map((path) => `0:0 ${path}\n`)
          .join(""),
      );
      expect(await run(id, "stat -c '%u:%g %a' /dev/shm; echo x > /dev/shm/x; echo y > /new")).toBe(
        "0:0 1777\n",
      );
      // What it changes is copied from a layer, and belongs to the same users.
      expect(await run(id, "chmod 700 /etc/passwd && stat -c %u:%g:%a /etc/passwd /new")).toBe(
        "0:0:700\n0:0:644\n",
      );
      const root = await opened.engine.containers.rootfs(id);
      expect(statSync(join(root, "new")).uid).toBe(131072);
      await opened.runtime.removePodSandbox(pod);
    });

    test("the network, the names and kernel parameters are those of the pod's users", async () => {
      const own = namespaces(196608);
      const pod = await sandbox("owned", own, {
        sysctls: {
          "net.ipv4.ping_group_range": "0 200",
          "net.core.somaxconn": "200",
          "kernel.shmmax": "70000",
          "kernel.domainname": "example",
          "fs.mqueue.msg_max": "11",
        },
      });
      const security = { capabilities: { add: ["NET_ADMIN", "SYS_ADMIN"], drop: [] } };
      const id = await start(pod, own, { security });
      const shown = "net/ipv4/ping_group_range net/core/somaxconn kernel/shmmax kernel/domainname";
      expect(await run(id, `hostname; cd /proc/sys; cat ${shown} fs/mqueue/msg_max`)).toBe(
        "owned\n0\t200\n200\n70000\nexample\n11\n",
      );
      expect(await run(id, "ip addr add 10.9.9.9/32 dev lo && ip addr show lo")).toContain(
        "10.9.9.9",
      );
      expect(await run(id, "hostname changed && hostname")).toBe("changed\n");
      expect(await run(id, "ls /sys/class/net | sort | tr '\\n' ' '")).toMatch(/eth0 lo/);
      await opened.runtime.removePodSandbox(pod);
    });

    test("volumes have the owners that they have on disk, and what is written has them, too", async () => {
      const hostId = 262144;
      const own = namespaces(hostId);
      const [rooted, grouped, plain] = [0, 200, 0].map((owner, i) => hostFolder(`v${i}`, owner));
      const pod = await sandbox("volumes", own);
      const id = await start(pod, own, {
        mounts: [
          mapped(hostId, { containerPath: "/rooted", hostPath: rooted ?? "" }),
          mapped(hostId, { containerPath: "/grouped", hostPath: grouped ?? "", readonly: true }),
          { containerPath: "/plain", hostPath: plain ?? "" },
          mapped(hostId, { containerPath: "/image", hostPath: "", image: testImage }),
        ],
        security: { runAsUser: 1000, runAsGroup: 3000, supplementalGroups: [200] },
      });
      expect(await run(id, "stat -c %u:%g /rooted/file /grouped/file /plain/file /image/bin")).toBe(
        "0:0\n200:200\n65534:65534\n0:0\n",
      );
      expect(await run(id, "id -u; id -g; touch /rooted/x 2>&1 | wc -l; cat /grouped/file")).toBe(
        "1000\n3000\n1\ntext\n",
      );
      await opened.runtime.removePodSandbox(pod);
      const other = await sandbox("writer", own);
      const mounts = [mapped(hostId, { containerPath: "/v", hostPath: rooted ?? "" })];
      const writer = await start(other, own, { mounts });
      expect(await run(writer, "touch /v/new; chown 7:8 /v/file; stat -c %u:%g /v/new")).toBe(
        "0:0\n",
      );
      const [created, changed] = ["new", "file"].map((name) => statSync(join(rooted ?? "", name)));
      expect([created?.uid, changed?.uid, changed?.gid]).toEqual([0, 7, 8]);
      await opened.runtime.removePodSandbox(other);
    });

    test("containers of a pod share its users, and processes if they do", async () => {
      const own = namespaces(327680, "pod");
      const pod = await sandbox("shared", own);
      const one = await start(pod, own);
      const two = await start(pod, own, { metadata: { name: "two", attempt: 0 } });
      expect(await run(one, "readlink /proc/self/ns/user")).toBe(
        await run(two, "readlink /proc/self/ns/user"),
      );
      expect(await run(two, "ps -o args | grep -c '^sleep 1000'")).toBe("2\n");
      const target = namespaces(327680, "target", one);
      const debug = await start(pod, target, { metadata: { name: "debug", attempt: 0 } });
      expect(await run(debug, "kill -0 $(pidof sleep | cut -d' ' -f1) && echo yes")).toBe("yes\n");
      await expect(
        start(pod, namespaces(65536), { metadata: { name: "other", attempt: 0 } }),
      ).rejects.toThrow("the user namespace of a container must be that of its sandbox");
      await opened.runtime.removePodSandbox(pod);
    });

    test("output, terminals, privileges and limits work as in other containers", async () => {
      const own = namespaces(393216);
      const pod = await sandbox("various", own);
      const privileged = { privileged: true };
      const id = await start(pod, own, {
        command: ["sh", "-c", "echo out > /dev/stdout; echo err > /dev/stderr; sleep 1000"],
        security: privileged,
        resources: { linux: { memoryLimitBytes: 64 << 20 } },
      });
      const { logPath = "" } = await opened.runtime.containerStatus(id);
      await expect
        .poll(() => readFile(logPath, "utf8"))
        .toMatch(/stdout F out\n(.|\n)*stderr F err/);
      expect(
        await run(id, "mkdir /m && mount -t tmpfs none /m && echo mounted; dmesg 2>&1"),
      ).toMatch(/^mounted\n.*not permitted/);
      const stats = await opened.runtime.containerStats(id);
      expect(stats.memoryUsageBytes).toBeGreaterThan(0);
      const tty = await start(pod, own, { metadata: { name: "tty", attempt: 0 }, tty: true });
      expect(await run(tty, "ls -l /proc/1/fd/0")).toContain("/dev/pts/0");
      await opened.runtime.removePodSandbox(pod);
    });

    test("an engine that opens again finds them, and nothing is left when they are removed", async () => {
      const own = namespaces(458752);
      const pod = await sandbox("restarted", own);
      const id = await start(pod, own);
      await opened.reopen();
      expect(await run(id, "id -u")).toBe("0\n");
      await opened.runtime.stopContainer(id, 0);
      const again = await start(pod, own, { metadata: { name: "app", attempt: 1 } });
      expect(await run(again, "id -u")).toBe("0\n");
      await opened.runtime.removePodSandbox(pod);
      const mounts = await readFile("/proc/self/mountinfo", "utf8");
      expect(mounts.split("\n").filter((line) => line.includes(opened.root))).toEqual([]);
      for (const folder of ["run/roots", "run/ns", "data/snapshots/mapped"])
        expect(await readdir(join(opened.root, folder))).toEqual([]);
      expect(existsSync(join(opened.root, "data/snapshots/snapshots", id))).toBe(false);
    });

    test("a pod that would share something of its node is refused", async () => {
      const own = namespaces(65536);
      await expect(
        sandbox("host", { ...own, network: "node" }, { hostNetwork: true }),
      ).rejects.toThrow("a pod with a user namespace cannot share the network of its node");
      expect(await opened.runtime.listPodSandboxes()).toEqual([]);
    });
  },
);
