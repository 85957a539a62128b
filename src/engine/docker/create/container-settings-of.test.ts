import { describe, expect, test } from "vitest";
import { containerName, generateName } from "./container-names.ts";
import {
  containerSettingsOf,
  resourcesOf,
  type SettingsFacts,
  withDefaultSwap,
} from "./container-settings-of.ts";
import { configOf, detailsOf, hostOf } from "./create.test-support.ts";
import type { DockerDetails } from "./docker-details.ts";
import { parseSecurityOptions } from "./security-options.ts";

const facts: SettingsFacts = {
  id: "0123456789ab",
  user: { uid: 1, gid: 2, additionalGids: [3] },
  namespaces: { pid: "new", network: "new", ipc: "new", uts: "new", cgroup: "host" },
  capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
  security: { noNewPrivileges: false },
  seccomp: undefined,
  devices: [],
  defaultMaskedPaths: ["/proc/kcore"],
  defaultReadonlyPaths: ["/proc/sys"],
  etcFiles: { "/etc/hosts": "/f/hosts" },
  hostname: "host1",
};

const settingsOf = (details: Partial<DockerDetails>, more: Partial<SettingsFacts> = {}) =>
  containerSettingsOf(detailsOf(details), { ...facts, ...more });

describe("containerSettingsOf", () => {
  test("a container that says nothing special", () => {
    expect(settingsOf({})).toMatchObject({
      args: ["sh"],
      env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=host1"],
      cwd: "/",
      user: { uid: 1, gid: 2, additionalGids: [3] },
      cgroupsPath: "/docker/0123456789ab",
      maskedPaths: ["/proc/kcore"],
      sysctls: { "net.ipv4.ip_unprivileged_port_start": "0" },
      mounts: [
        {
          destination: "/dev/shm",
          type: "tmpfs",
          options: ["nosuid", "noexec", "nodev", "mode=1777", "size=1024"],
        },
        { destination: "/etc/hosts", type: "bind", source: "/f/hosts" },
      ],
    });
  });

  test("entry point, command, terminal and variables", () => {
    const config = configOf({
      Entrypoint: ["a"],
      Cmd: ["b"],
      Tty: true,
      Env: ["PATH=/bin", "X=1", "HOSTNAME"],
    });
    expect(settingsOf({ config })).toMatchObject({
      args: ["a", "b"],
      tty: true,
      env: ["PATH=/bin", "TERM=xterm", "X=1"],
    });
  });

  test("--init runs the command below another program", () => {
    const settings = settingsOf({}, { initProgram: "/usr/bin/catatonit" });
    expect(settings.args).toEqual(["/dev/init", "--", "sh"]);
    expect(settings.mounts).toContainEqual({
      type: "bind",
      source: "/usr/bin/catatonit",
      destination: "/dev/init",
      options: ["bind", "ro"],
    });
  });

  test("a privileged container has nothing hidden", () => {
    expect(settingsOf({ hostConfig: hostOf({ Privileged: true }) })).toMatchObject({
      privileged: true,
      maskedPaths: [],
      readonlyPaths: [],
    });
  });

  test("the host's network keeps its settings", () => {
    const namespaces = { ...facts.namespaces, network: "host" } as const;
    expect(settingsOf({}, { namespaces }).sysctls).toEqual({});
  });

  test("an own mount replaces a standard one, and options of a tmpfs their opposites", () => {
    const hostConfig = hostOf({ Tmpfs: { "/dev/shm": "exec,size=1m" } });
    expect(
      settingsOf({ hostConfig }).mounts.filter(({ destination }) => destination === "/dev/shm"),
    ).toEqual([
      {
        type: "tmpfs",
        source: "tmpfs",
        destination: "/dev/shm",
        options: ["nosuid", "nodev", "exec", "size=1m"],
      },
    ]);
  });
});

test("resourcesOf: limits in the kernel's units; zeros are none", () => {
  expect(resourcesOf(hostOf({}))).toEqual({});
  const host = withDefaultSwap(hostOf({ Memory: 1e7, NanoCpus: 5e8, PidsLimit: 7, CpuShares: 2 }));
  expect(resourcesOf(host)).toEqual({
    memoryLimitBytes: 1e7,
    memorySwapBytes: 2e7,
    cpuQuota: 50_000,
    cpuPeriod: 100_000,
    pidsLimit: 7,
    cpuShares: 2,
  });
});

test("parseSecurityOptions", () => {
  expect(
    parseSecurityOptions([
      "no-new-privileges",
      "seccomp=unconfined",
      "apparmor:x",
      "label=disable",
    ]),
  ).toEqual({
    noNewPrivileges: true,
    seccomp: "unconfined",
    apparmor: "x",
  });
  expect(parseSecurityOptions(["no-new-privileges=false"]).noNewPrivileges).toBe(false);
  expect(() => parseSecurityOptions(["x"])).toThrow('invalid --security-opt 1: "x"');
});

describe("names", () => {
  test("two words, or the ID once chance has failed", () => {
    const name = generateName(
      () => 0,
      () => false,
      "0123456789abcdef",
    );
    expect(name).toMatch(/^[a-z]+_[a-z]+$/);
    expect(containerName(name)).toBe(name);
    expect(
      generateName(
        () => 0,
        () => true,
        "0123456789abcdef",
      ),
    ).toBe("0123456789ab");
  });

  test("a slash may come first, and nothing else", () => {
    expect(containerName("/web")).toBe("web");
    expect(() => containerName("a/b")).toThrow(
      "Invalid container name (a/b), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
    );
  });
});
