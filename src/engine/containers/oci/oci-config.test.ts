import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { describeWith, requires } from "../../../../test/requires.ts";
import type { ContainerSettings } from "../container-settings.ts";
import { criCapabilities } from "../security/capabilities.ts";
import { capabilityNames } from "../security/capability-names.ts";
import { encodeOciConfig } from "./encode-oci-config.ts";
import { ociConfig } from "./oci-config.ts";
import type { OciConfig } from "./oci-types.ts";
import { plainSettings } from "./plain-settings.test-support.ts";
import { busyboxRoot, runByRunc } from "./runc-bundle.test-support.ts";

const denied = { allow: false, access: "rwm" };

describe("ociConfig", () => {
  test("a container without rights", () => {
    expect(ociConfig(plainSettings, { rootfs: "/root" })).toEqual({
      ociVersion: "1.0.2",
      process: {
        terminal: false,
        user: { uid: 0, gid: 0, additionalGids: [] },
        args: ["/bin/true"],
        env: ["PATH=/bin"],
        cwd: "/",
        capabilities: plainSettings.capabilities,
        rlimits: [],
        noNewPrivileges: false,
      },
      root: { path: "/root", readonly: false },
      mounts: [
        {
          destination: "/proc",
          type: "proc",
          source: "proc",
          options: ["nosuid", "noexec", "nodev"],
        },
        {
          destination: "/dev",
          type: "tmpfs",
          source: "tmpfs",
          options: ["nosuid", "strictatime", "mode=755", "size=65536k"],
        },
        {
          destination: "/dev/pts",
          type: "devpts",
          source: "devpts",
          options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
        },
        {
          destination: "/dev/shm",
          type: "tmpfs",
          source: "shm",
          options: ["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"],
        },
        {
          destination: "/dev/mqueue",
          type: "mqueue",
          source: "mqueue",
          options: ["nosuid", "noexec", "nodev"],
        },
        {
          destination: "/sys",
          type: "sysfs",
          source: "sysfs",
          options: ["nosuid", "noexec", "nodev", "ro"],
        },
        {
          destination: "/sys/fs/cgroup",
          type: "cgroup",
          source: "cgroup",
          options: ["nosuid", "noexec", "nodev", "relatime", "ro"],
        },
      ],
      annotations: {},
      linux: {
        namespaces: [
          { type: "pid" },
          { type: "ipc" },
          { type: "uts" },
          { type: "mount" },
          { type: "network" },
        ],
        devices: [],
        cgroupsPath: "/test",
        resources: {
          devices: [
            denied,
            { allow: true, type: "c", access: "m" },
            { allow: true, type: "b", access: "m" },
            ...[3, 5, 7, 8, 9].map((minor) => character(1, minor)),
            ...[0, 1, 2].map((minor) => character(5, minor)),
            { allow: true, type: "c", major: 136, access: "rwm" },
          ],
        },
        maskedPaths: [],
        readonlyPaths: [],
      },
    });
  });

  each<[name: string, Partial<ContainerSettings>, (config: OciConfig) => unknown, unknown]>([
    [
      "namespaces by path, and the host's are left out",
      {
        hostname: "ignored",
        namespaces: {
          pid: "host",
          network: { path: "/run/netns/a" },
          ipc: { path: "/run/ipc" },
          uts: { path: "/run/uts" },
          cgroup: "new",
        },
      },
      ({ hostname, linux }) => ({ hostname, namespaces: linux.namespaces }),
      {
        namespaces: [
          { type: "ipc", path: "/run/ipc" },
          { type: "uts", path: "/run/uts" },
          { type: "mount" },
          { type: "network", path: "/run/netns/a" },
          { type: "cgroup" },
        ],
      },
    ],
    [
      "a hostname needs a namespace of its own",
      { hostname: "web" },
      ({ hostname }) => hostname,
      "web",
    ],
    [
      "a user namespace that is joined has its mappings, and mounts are mapped by their own",
      {
        namespaces: {
          ...plainSettings.namespaces,
          user: {
            path: "/run/user",
            uidMappings: [{ containerID: 0, hostID: 65536, size: 65536 }],
            gidMappings: [{ containerID: 0, hostID: 131072, size: 65536 }],
          },
        },
        mounts: [
          {
            ...{ type: "bind", source: "/v", destination: "/v", options: ["rbind"] },
            idMappings: {
              uidMappings: [{ containerID: 0, hostID: 65536, size: 65536 }],
              gidMappings: [{ containerID: 0, hostID: 131072, size: 65536 }],
            },
          },
        ],
      },
      ({ linux, mounts }) => ({
        user: linux.namespaces.at(-1),
        mappings: [linux.uidMappings, linux.gidMappings],
        mount: mounts.at(-1),
      }),
      {
        user: { type: "user", path: "/run/user" },
        mappings: [undefined, undefined],
        mount: {
          ...{ type: "bind", source: "/v", destination: "/v", options: ["rbind", "idmap"] },
          uidMappings: [{ containerID: 0, hostID: 65536, size: 65536 }],
          gidMappings: [{ containerID: 0, hostID: 131072, size: 65536 }],
        },
      },
    ],
    [
      "a user namespace on the node's network sees the node's /sys",
      {
        namespaces: {
          ...plainSettings.namespaces,
          network: "host",
          user: {
            uidMappings: [{ containerID: 0, hostID: 65536, size: 65536 }],
            gidMappings: [{ containerID: 0, hostID: 131072, size: 65536 }],
          },
        },
      },
      ({ linux, mounts }) => ({
        user: linux.namespaces.at(-1),
        uids: linux.uidMappings,
        gids: linux.gidMappings,
        sys: mounts.find(({ destination }) => destination === "/sys"),
      }),
      {
        user: { type: "user" },
        uids: [{ containerID: 0, hostID: 65536, size: 65536 }],
        gids: [{ containerID: 0, hostID: 131072, size: 65536 }],
        sys: {
          destination: "/sys",
          type: "bind",
          source: "/sys",
          options: ["rbind", "rro", "nosuid", "nodev", "noexec"],
        },
      },
    ],
    [
      "a privileged container uses every device, and nothing is hidden from it",
      { privileged: true, maskedPaths: ["/proc/keys"], readonlyPaths: ["/proc/sys"] },
      ({ linux, mounts }) => ({
        rules: linux.resources.devices,
        hidden: [...linux.maskedPaths, ...linux.readonlyPaths],
        writable: mounts.flatMap(({ destination, options }) =>
          options.includes("rw") ? [destination] : [],
        ),
      }),
      {
        rules: [{ allow: true, access: "rwm" }],
        hidden: [],
        writable: ["/sys", "/sys/fs/cgroup"],
      },
    ],
    [
      "devices get a node and a rule",
      {
        devices: [
          {
            path: "/dev/fuse",
            type: "c",
            major: 10,
            minor: 229,
            fileMode: 0o666,
            uid: 0,
            gid: 7,
            access: "rw",
          },
          {
            path: "/dev/pipe",
            type: "p",
            major: 0,
            minor: 0,
            fileMode: 0o600,
            uid: 0,
            gid: 0,
            access: "rwm",
          },
        ],
      },
      ({ linux }) => ({ devices: linux.devices, last: linux.resources.devices?.at(-1) }),
      {
        devices: [
          { path: "/dev/fuse", type: "c", major: 10, minor: 229, fileMode: 0o666, uid: 0, gid: 7 },
          { path: "/dev/pipe", type: "p", major: 0, minor: 0, fileMode: 0o600, uid: 0, gid: 0 },
        ],
        last: { allow: true, type: "c", major: 10, minor: 229, access: "rw" },
      },
    ],
    [
      "parents are mounted before children, and replace standard mounts",
      { mounts: [bind("/a/b/c"), bind("/a/b/"), bind("/dev/shm/"), bind("/a"), bind("/z")] },
      ({ mounts }) => mounts.map(({ destination }) => destination),
      [
        "/proc",
        "/dev",
        "/dev/pts",
        "/dev/mqueue",
        "/sys",
        "/sys/fs/cgroup",
        "/a",
        "/z",
        "/a/b/",
        "/dev/shm/",
        "/a/b/c",
      ],
    ],
    [
      "nothing is mounted below a given /dev",
      { mounts: [bind("/dev")] },
      ({ mounts }) => mounts.map(({ destination }) => destination),
      ["/proc", "/sys", "/sys/fs/cgroup", "/dev"],
    ],
    [
      "the root propagates mounts if one of its mounts does",
      { mounts: [bind("/a", "rslave"), bind("/b", "rshared")] },
      ({ linux }) => linux.rootfsPropagation,
      "rshared",
    ],
    [
      "the root receives mounts if one of its mounts does",
      { mounts: [bind("/a", "rprivate"), bind("/b", "rslave")] },
      ({ linux }) => linux.rootfsPropagation,
      "rslave",
    ],
    [
      "limits of version 1 and files of version 2",
      {
        resources: {
          cpuShares: 512,
          cpuQuota: 50000,
          cpuPeriod: 100000,
          cpusetCpus: "0-1",
          cpusetMems: "0",
          memoryLimitBytes: 1048576,
          memoryReservationBytes: 524288,
          memorySwapBytes: -1,
          pidsLimit: 100,
          blkioWeight: 300,
          hugepageLimits: [{ pageSize: "2MB", limitBytes: 0 }],
          unified: { "memory.oom.group": "1" },
          oomKillDisable: false,
        },
      },
      ({ linux: { resources } }) => ({ ...resources, devices: undefined }),
      {
        cpu: { shares: 512, quota: 50000, period: 100000, cpus: "0-1", mems: "0" },
        memory: { limit: 1048576, reservation: 524288, swap: -1, disableOOMKiller: false },
        pids: { limit: 100 },
        blockIO: { weight: 300 },
        hugepageLimits: [{ pageSize: "2MB", limit: 0 }],
        unified: { "memory.oom.group": "1" },
      },
    ],
    [
      "profiles, labels, sysctls and annotations",
      {
        seccomp: { defaultAction: "SCMP_ACT_ALLOW" },
        apparmorProfile: "cri",
        selinuxLabel: "a:b:c:d",
        sysctls: { "net.ipv4.ip_forward": "1" },
        annotations: { a: "b" },
        noNewPrivileges: true,
      },
      ({ process, linux, annotations }) => ({
        apparmor: process.apparmorProfile,
        selinux: process.selinuxLabel,
        noNewPrivileges: process.noNewPrivileges,
        sysctl: linux.sysctl,
        seccomp: linux.seccomp,
        annotations,
      }),
      {
        apparmor: "cri",
        selinux: "a:b:c:d",
        noNewPrivileges: true,
        sysctl: { "net.ipv4.ip_forward": "1" },
        seccomp: { defaultAction: "SCMP_ACT_ALLOW" },
        annotations: { a: "b" },
      },
    ],
    [
      "no AppArmor profile is left out",
      { apparmorProfile: "unconfined" },
      ({ process }) => "apparmorProfile" in process,
      false,
    ],
    [
      "an oom_score_adj that the engine may not set is raised",
      { oomScoreAdj: -997 },
      ({ process }) => process.oomScoreAdj,
      -500,
    ],
  ])("%s", (_name, changes, part, expected) => {
    const settings = { ...plainSettings, ...changes };
    expect(part(ociConfig(settings, { rootfs: "/root", lowestOomScoreAdj: -500 }))).toEqual(
      expected,
    );
  });
});

test("encodeOciConfig: no limit is the largest number of 64 bits", () => {
  const settings: ContainerSettings = {
    ...plainSettings,
    args: ["echo", '"rlimits":[]'],
    rlimits: [
      { type: "RLIMIT_NOFILE", hard: -1, soft: 1024 },
      { type: "RLIMIT_CORE", hard: 0, soft: 0 },
    ],
  };
  const text = encodeOciConfig(ociConfig(settings, { rootfs: "/root" }));
  expect(text).toContain(
    '"rlimits":[{"type":"RLIMIT_NOFILE","hard":18446744073709551615,"soft":1024},' +
      '{"type":"RLIMIT_CORE","hard":0,"soft":0}]',
  );
  expect(JSON.parse(text)).toMatchObject({ process: { args: ["echo", '"rlimits":[]'] } });
});

describeWith(requires("containers"))("ociConfig with runc", () => {
  let busybox: Awaited<ReturnType<typeof busyboxRoot>>;
  beforeAll(async () => {
    busybox = await busyboxRoot();
  });
  afterAll(() => busybox.remove());

  test("a container runs with its settings", async () => {
    const script =
      "hostname; id -u; id -g; ulimit -c; cat /proc/self/oom_score_adj; stat -c %t:%T /dev/extra; pwd; " +
      "grep -c . /proc/1/mounts >/dev/null; echo 1 2>/dev/null >/sys/kernel/x || echo read-only; exit 7";
    const result = await runByRunc(busybox.root, {
      ...plainSettings,
      args: ["/bin/sh", "-c", script],
      cwd: "/tmp",
      hostname: "web",
      user: { uid: 1000, gid: 1001, additionalGids: [] },
      rlimits: [{ type: "RLIMIT_CORE", hard: 4096, soft: 4096 }],
      oomScoreAdj: 100,
      devices: [
        {
          path: "/dev/extra",
          type: "c",
          major: 1,
          minor: 3,
          fileMode: 0o666,
          uid: 0,
          gid: 0,
          access: "rwm",
        },
      ],
      resources: { memoryLimitBytes: 64 << 20, pidsLimit: 50, cpuShares: 128 },
    });
    expect(result).toEqual({
      exitCode: 7,
      stdout: "web\n1000\n1001\n8\n100\n1:3\n/tmp\nread-only\n",
      stderr: "",
    });
  });

  each<[name: string, Partial<ContainerSettings>, script: string, output: string]>([
    [
      "a root of a user namespace is another user outside",
      {
        namespaces: {
          ...plainSettings.namespaces,
          user: {
            uidMappings: [{ containerID: 0, hostID: 70000, size: 1000 }],
            gidMappings: [{ containerID: 0, hostID: 70000, size: 1000 }],
          },
        },
      },
      "id -u; cat /proc/self/uid_map | tr -s ' '; touch /file 2>&1",
      "0\n 0 70000 1000\ntouch: /file: Permission denied\n",
    ],
    [
      "a read-only root",
      { readonlyRootfs: true },
      "touch /file 2>&1; touch /dev/shm/file && echo made",
      "touch: /file: Read-only file system\nmade\n",
    ],
    [
      "a folder of the node, of which all is read-only",
      {
        mounts: [
          {
            type: "bind",
            source: "/sys",
            destination: "/mnt",
            options: ["rbind", "rprivate", "rro"],
          },
        ],
      },
      "mkdir /mnt/fs/cgroup/file 2>&1",
      "mkdir: can't create directory '/mnt/fs/cgroup/file': Read-only file system\n",
    ],
    [
      "sysctls",
      { sysctls: { "net.ipv4.ip_forward": "1" } },
      "cat /proc/sys/net/ipv4/ip_forward",
      "1\n",
    ],
    [
      "capabilities, and no way to gain others",
      {
        noNewPrivileges: true,
        capabilities: criCapabilities({ privileged: false, add: [], drop: [] }, [
          ...capabilityNames,
        ]),
      },
      "grep -E '^(CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs)' /proc/self/status | tr -d '\\t'",
      "CapPrm:00000000a80425fb\nCapEff:00000000a80425fb\nCapBnd:00000000a80425fb\n" +
        "CapAmb:0000000000000000\nNoNewPrivs:1\n",
    ],
    [
      "an unlimited resource",
      { rlimits: [{ type: "RLIMIT_CORE", soft: -1, hard: -1 }] },
      "ulimit -c",
      "unlimited\n",
    ],
  ])("%s", async (_name, changes, script, stdout) => {
    const args = ["/bin/sh", "-c", `${script}; true`];
    const result = await runByRunc(busybox.root, { ...plainSettings, ...changes, args });
    expect(result).toEqual({ exitCode: 0, stdout, stderr: "" });
  });
});

function character(major: number, minor: number): object {
  return { allow: true, type: "c", major, minor, access: "rwm" };
}

function bind(destination: string, propagation = "rprivate"): ContainerSettings["mounts"][number] {
  return { type: "bind", source: "/host", destination, options: ["rbind", propagation, "rw"] };
}
