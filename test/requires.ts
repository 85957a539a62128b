import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, type SuiteAPI, type TestAPI, test } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test or suite is skipped; the summary prints it. */
    skipReason?: string;
  }
}

const checks = {
  etcd: () => program("etcd", "Debian: apt-get install etcd-server"),
  strace: () => program("strace", "Debian: apt-get install strace") ?? mayTrace(),
  openssl: () => program("openssl", "Debian: apt-get install openssl"),
  /** What the engine needs to run containers. */
  containers: () =>
    rootOnLinux() ??
    program("runc", "Debian: apt-get install runc") ??
    program("conmon", "Debian: apt-get install conmon") ??
    program("socat", "Debian: apt-get install socat") ??
    program("busybox", "Debian: apt-get install busybox-static"),
  /** What the machines of nodes are made with, beside what containers need. */
  boxes: () =>
    rootOnLinux() ??
    program("ip", "Debian: apt-get install iproute2") ??
    program("unshare", "Debian: apt-get install util-linux"),
  /** To give pods users of their own. */
  userNamespaces: () =>
    rootOnLinux() ?? (mapsIds() ? undefined : "needs a runc that maps IDs of mounts (runc 1.2)"),
  containerd: () => rootOnLinux() ?? program("containerd", "Debian: apt-get install containerd"),
  catatonit: () => program("catatonit", "Debian: apt-get install catatonit"),
  cniPlugins: () =>
    existsSync("/usr/lib/cni/bridge")
      ? undefined
      : "needs CNI plugins (Debian: apt-get install containernetworking-plugins)",
  /** To mount file systems, and to give files to other users. */
  root: () => rootOnLinux(),
  nft: () => rootOnLinux() ?? program("nft", "Debian: apt-get install nftables"),
  /** A kernel whose bridges have VLANs. */
  vlanBridges: () =>
    rootOnLinux() ??
    (mayCreate("type bridge vlan_filtering 1")
      ? undefined
      : "needs a kernel whose bridges have VLANs"),
  conntrack: () => program("conntrack", "Debian: apt-get install conntrack"),
  docker: () => program("docker", "Debian: apt-get install docker.io"),
  kubectl: () => program("kubectl", "see kubernetes.io/docs/tasks/tools"),
} satisfies Record<string, () => string | undefined>;

export type Requirement = keyof typeof checks;

/** Why tests that need these things cannot run here, or undefined when they can. */
export function requires(...things: readonly Requirement[]): string | undefined {
  const reasons = things.map((thing) => checks[thing]()).filter((reason) => reason !== undefined);
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

/** `test`, or one that is skipped and says why: `testWith(requires("etcd"))("…", …)`. */
export function testWith(reason: string | undefined): TestAPI {
  return reason === undefined ? test : skipping(test, reason);
}

/** `describe`, or one that is skipped and says why. */
export function describeWith(reason: string | undefined): SuiteAPI {
  return reason === undefined ? describe : skipping(describe, reason);
}

/** Takes (name, body, timeout?) or (name, options, body), as vitest's functions do. */
function skipping<T extends TestAPI | SuiteAPI>(define: T, skipReason: string): T {
  const options = { skip: true, meta: { skipReason } };
  const skipped = (name: string, first: unknown, second: unknown): unknown => {
    const body = typeof first === "function" ? first : second;
    return (define as (name: string, options: object, body: unknown) => unknown)(
      name,
      options,
      body,
    );
  };
  return Object.assign(skipped, { each: () => skipped }) as unknown as T;
}

function program(name: string, remedy: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.some((folder) => folder !== "" && existsSync(join(folder, name)));
  return found ? undefined : `needs ${name} (${remedy})`;
}

function rootOnLinux(): string | undefined {
  if (process.platform !== "linux") return "needs Linux";
  return process.getuid?.() === 0 ? undefined : "needs root";
}

/** Whether the kernel has an interface of this kind: one is created in a network namespace that ends with it. */
function mayCreate(kind: string): boolean {
  const command = ["--net", "ip", "link", "add", "name", "probe", ...kind.split(" ")];
  return spawnSync("unshare", command, { stdio: "ignore" }).status === 0;
}

function mapsIds(): boolean {
  const { stdout } = spawnSync("runc", ["features"], { encoding: "utf8" });
  return /"idmap":\s*\{\s*"enabled":\s*true/.test(stdout ?? "");
}

function mayTrace(): string | undefined {
  const scope = "/proc/sys/kernel/yama/ptrace_scope";
  const forbidden = existsSync(scope) && readFileSync(scope, "utf8").trim() === "3";
  return forbidden
    ? "needs ptrace, which this kernel forbids (kernel.yama.ptrace_scope)"
    : undefined;
}
