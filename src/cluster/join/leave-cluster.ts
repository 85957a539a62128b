import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { mountsBelow } from "../../engine/snapshots/overlay-mount.ts";
import { embeddedEngine } from "../../kubelet/config/fields/field-kinds.ts";
import { removeNodeNetwork } from "../../network/remove-node-network.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { yamlToJson } from "../../schema/yaml/yaml.ts";
import { openNodeRuntime } from "../node/node-runtime.ts";
import {
  configurationText,
  type JoinFolders,
  joinedConfiguration,
  joinedFiles,
} from "./joined-node.ts";

/**
 * Undoes what makes this machine a node: its pods end, and what the agent has made in the kernel and in its root
 * directory is removed. Images and the data of local volumes stay. Rejects before anything is removed if an agent still
 * runs; resolves with what could not be removed.
 */
export async function leaveCluster(folders: JoinFolders, log: Log): Promise<readonly string[]> {
  const rootDir = resolve(folders.rootDir);
  const dataDir = resolve(folders.dataDir);
  const configuration = await readConfiguration(joinedFiles(rootDir).configuration);
  await removePods({ ...folders, dataDir }, { configuration, log });
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    await act().catch((error: unknown) => problems.push(`${what}: ${errorMessage(error)}`));
  };
  await attempt("cgroups of pods", () => removeCgroups(configuration));
  problems.push(...(await removeNodeNetwork({ addresses: join(dataDir, "addresses"), log })));
  await attempt("files of the node", () => removeFiles(rootDir));
  return problems;
}

/** What of the kubelet's configuration says where pods are. */
interface LeftConfiguration {
  readonly cgroupDriver?: string;
  readonly cgroupRoot?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly clusterDNS?: readonly string[];
}

const readConfiguration = async (path: string): Promise<LeftConfiguration> =>
  readYaml(await readFile(path, "utf8").catch(() => ""));

const readYaml = (text: string): LeftConfiguration =>
  text === "" ? {} : (yamlToJson(text) as LeftConfiguration);

/** Ends all pods of this machine, in the engine or in another runtime. */
async function removePods(
  { dataDir, runDir }: JoinFolders,
  { configuration, log }: { readonly configuration: LeftConfiguration; readonly log: Log },
): Promise<void> {
  const { runtime, close } = await openNodeRuntime({
    endpoint: configuration.containerRuntimeEndpoint ?? embeddedEngine,
    imageEndpoint: "",
    ...{ dataDir, runDir, log, podCidr: undefined },
    cgroupDriver: configuration.cgroupDriver === "systemd" ? "systemd" : "cgroupfs",
    cniConfigDir: "/etc/cni/net.d",
    cniPluginDirs: ["/opt/cni/bin", "/usr/lib/cni"],
  });
  try {
    const sandboxes = await runtime.listPodSandboxes();
    await Promise.all(
      sandboxes.map(async ({ id }) => {
        await runtime.stopPodSandbox(id);
        await runtime.removePodSandbox(id);
      }),
    );
  } finally {
    await close();
  }
}

async function removeCgroups({ cgroupDriver, cgroupRoot = "" }: LeftConfiguration): Promise<void> {
  if (cgroupDriver === "systemd") await runChild("systemctl", ["stop", "kubepods.slice"]);
  else await (await openCgroups()).remove(join("/", cgroupRoot, "kubepods"));
}

/** Removes what agents have written. While anything is mounted there, what is below may be somebody else's. */
async function removeFiles(rootDir: string): Promise<void> {
  const mounts = [...(await mountsBelow(rootDir))].reverse();
  if (mounts.length > 0) await mustRun("umount", ["--", ...mounts]);
  const left = await mountsBelow(rootDir);
  if (left.length > 0) throw new Error(`still mounted: ${left.join(", ")}`);
  const { configuration, kubeconfig } = joinedFiles(rootDir);
  const isOwn = await isJoinedConfiguration(rootDir);
  for (const name of await readdir(rootDir))
    if (agentFiles.has(name) || name.endsWith("_state"))
      await rm(join(rootDir, name), { recursive: true, force: true });
  if (isOwn) await rm(configuration, { force: true });
  // At last: it says that this machine has something to leave.
  await rm(kubeconfig, { force: true });
  // What a user has put there stays, such as profiles and credentials of registries.
  await rmdir(rootDir).catch(() => {});
}

/** What agents write to their root directory, beside states. */
const agentFiles = new Set([
  ...["pods", "memory-volumes", "images", "logs", "checkpoints", "pki", "bootstrap-kubeconfig"],
  ...["plugins", "plugins_registry", "pod-resources", "device-plugins", "image_manager"],
]);

/** Whether the configuration is the one that joining has written. */
async function isJoinedConfiguration(rootDir: string): Promise<boolean> {
  const { configuration, ca } = joinedFiles(rootDir);
  const text = await readFile(configuration, "utf8").catch(() => "");
  const { clusterDNS: [clusterDns = ""] = [], cgroupDriver } = readYaml(text);
  const written = joinedConfiguration({ ca, clusterDns, hasSystemd: cgroupDriver === "systemd" });
  return text === configurationText(written);
}
