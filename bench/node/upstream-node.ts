import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostAddress } from "../../src/platform/host-address.ts";
import { runChild } from "../../src/platform/run-child.ts";
import { startContainerd } from "../../test/cri/containerd.test-support.ts";
import { type ProcessUsage, usageOf } from "./process-usage.ts";

export interface UpstreamNodeOptions {
  /** The path of upstream's kubelet. */
  readonly kubelet: string;
  readonly home: string;
  /** The kubeconfig with which it joins. */
  readonly bootstrapKubeconfig: string;
}

/** A node of upstream's kubelet on containerd, on this machine. */
export interface UpstreamNode {
  /** The usage of the kubelet, of containerd and of its shims. */
  usage(): ProcessUsage;
  close(): Promise<void>;
}

/** Starts upstream's kubelet on a containerd of its own. What it sets for the whole machine is restored at the end. */
export async function startUpstreamNode(options: UpstreamNodeOptions): Promise<UpstreamNode> {
  const before = settings.map((path) => [path, readFileSync(path, "utf8")] as const);
  const containerd = await startContainerd();
  for (const folder of cgroupFolders()) mkdirSync(folder, { recursive: true });
  const child = startKubelet(options, `unix://${join(containerd.root, "c.sock")}`);
  const isPart = (command: string): boolean =>
    command.includes(options.kubelet) || command.includes(containerd.root);
  return {
    usage: () => usageOf((pid) => isPart(commandOf(pid))),
    async close() {
      await ended(child);
      await containerd.close();
      // It mounts its root directory on itself.
      await runChild("umount", [rootOf(options)]);
      for (const [path, text] of before) writeFileSync(path, text);
      for (const folder of cgroupFolders()) removeTree(folder);
    },
  };
}

function startKubelet(
  { kubelet, home, bootstrapKubeconfig }: UpstreamNodeOptions,
  endpoint: string,
): ChildProcess {
  const root = rootOf({ home });
  mkdirSync(root);
  const config = join(root, "config.json");
  writeFileSync(config, JSON.stringify({ ...configuration, containerRuntimeEndpoint: endpoint }));
  const log = openSync(join(home, "kubelet.log"), "w");
  const args = [
    ...["--config", config, "--root-dir", root, "--cert-dir", join(root, "pki")],
    ...["--bootstrap-kubeconfig", bootstrapKubeconfig, "--kubeconfig", join(root, "kubeconfig")],
    ...["--hostname-override", "upstream", "--node-ip", hostAddress() ?? ""],
  ];
  return spawn(kubelet, args, { stdio: ["ignore", log, log] });
}

const rootOf = ({ home }: Pick<UpstreamNodeOptions, "home">): string => join(home, "kubelet");

const cgroup = "wherry-bench";

const configuration = {
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  failCgroupV1: false,
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${cgroup}`,
  oomScoreAdj: 0,
  serverTLSBootstrap: true,
  rotateCertificates: true,
  failSwapOn: false,
};

/** What upstream's kubelet sets for the whole machine. */
const settings = ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"].map((name) =>
  join("/proc/sys", name),
);

/** The folders of its cgroups, one in each hierarchy of version 1. */
const cgroupFolders = (): readonly string[] =>
  readdirSync("/sys/fs/cgroup").map((name) => join("/sys/fs/cgroup", name, cgroup));

function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    // It has ended.
    return "";
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill();
  });
