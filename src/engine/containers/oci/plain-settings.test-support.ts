import type { ContainerSettings } from "../container-settings.ts";

/** The settings of a container without any rights, for tests that change some of them. */
export const plainSettings: ContainerSettings = {
  args: ["/bin/true"],
  env: ["PATH=/bin"],
  cwd: "/",
  user: { uid: 0, gid: 0, additionalGids: [] },
  tty: false,
  readonlyRootfs: false,
  namespaces: { pid: "new", network: "new", ipc: "new", uts: "new", cgroup: "host" },
  mounts: [],
  privileged: false,
  capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
  noNewPrivileges: false,
  maskedPaths: [],
  readonlyPaths: [],
  devices: [],
  rlimits: [],
  sysctls: {},
  cgroupsPath: "/test",
  resources: {},
  annotations: {},
};
