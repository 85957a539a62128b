import { hostname } from "node:os";
import type { Log } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import type { ContainerPolicy } from "../../../kubelet/garbage/container-garbage.ts";
import { placeProcesses } from "../../../kubelet/host/cgroups/place-processes.ts";
import { machineProblems } from "../../../kubelet/host/machine/machine-problems.ts";
import type { CloudProvider } from "../../../kubelet/node/node-config.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { openProcessMover } from "../../../platform/cgroups/move-process.ts";
import { hostAddress } from "../../../platform/host-address.ts";
import { notifyReady } from "../../../platform/notify-systemd.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { systemRandom } from "../../../platform/system-entropy.ts";
import { durationMillis } from "../../../schema/values/duration.ts";
import { parseQuantity, quantityValue } from "../../../schema/values/quantity.ts";
import { userAgentOf } from "../../component/component-connection.ts";
import { shownMetrics } from "../../flags/metrics-flags.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import { lockFile } from "../../node/lock-file.ts";
import { openNodeRuntime } from "../../node/node-runtime.ts";
import {
  type NodeConnection,
  type NodeConnectionOptions,
  openNodeConnection,
} from "../../node/open-node-connection.ts";
import { openNodeTracing } from "../../node/open-node-tracing.ts";
import { setUpOwnProcess } from "../../node/own-process.ts";
import { startNode } from "../../node/start-node.ts";
import { debugLevel } from "../../opening/file-levels.ts";
import { type LogChoice, openLog } from "../../opening/open-log.ts";
import { splitLog } from "../../opening/split-log.ts";
import { kubernetesVersion } from "../../version.ts";
import { nodeFlags } from "./flags/node-flags.ts";
import { isUnspecified, readNodeIps } from "./flags/node-ips.ts";
import { machineIdentity } from "./machine-identity.ts";
import { type NodeOptions, nodeOptions } from "./node-options.ts";

/** Runs the agent of a machine in the foreground until a signal stops it; containers run on. */
export const nodeCommand = command({
  name: "node",
  short: "Run the agent of a node",
  long: `Run the agent of a node in the foreground: it registers this machine with the cluster of
--kubeconfig, and runs the pods bound to it. It takes the place of a kubelet and a container runtime: its
flags and its configuration file (--config, a KubeletConfiguration) are the kubelet's.

By default an engine in the same process runs the containers, by runc and conmon; with
--container-runtime-endpoint unix:///PATH, containerd, CRI-O or "wherry engine" does.

A machine without the file --kubeconfig joins with the credentials of --bootstrap-kubeconfig, such as a token:
it requests a client certificate, and writes the file. "wherry join" does all of that.

Containers outlive the agent: it can be stopped, killed and upgraded at any time. Pods run on while the
API server cannot be reached, and their statuses are written when it is back.

Exit codes: 0 when stopped, 1 when it could not start, 2 when flags or configuration are invalid.`,
  examples: `  # With the credentials of a node, and a configuration file
  wherry node --kubeconfig /etc/kubernetes/kubelet.conf --config /var/lib/kubelet/config.yaml

  # On containerd
  wherry node --kubeconfig kubelet.conf --container-runtime-endpoint unix:///run/containerd/containerd.sock`,
  flags: nodeFlags,
  async run({ flags, given, streams, signal }) {
    const options = await nodeOptions({ flags, given });
    const { config } = options;
    let verbosity = Number(config.logging.verbosity);
    const log = openLog(logOf(config, given, () => verbosity));
    for (const warning of options.warnings) log.warn("configuration warning", { warning });
    const { lockFile: lockPath, exitOnLockContention } = options.flags;
    const lock = lockPath === "" ? undefined : await lockFile(lockPath, realClock);
    const problems = await machineProblems(config);
    if (problems.length > 0) throw new Error(problems.join("; "));
    const name = (options.flags.hostnameOverride || hostname()).trim().toLowerCase();
    const { ips: addresses, invalid } = readNodeIps(options.flags.nodeIp);
    if (invalid.length > 0)
      log.info("Could not parse some node IP(s), ignoring them", { IPs: invalid });
    const nodeIPs = addresses.length > 0 ? addresses : [hostAddress() ?? "127.0.0.1"];
    const podCidr = config.podCIDR || undefined;
    await setUpOwnProcess({ ...config, log });
    const places = await placeConfigured(config, log);
    const runtime = await openNodeRuntime({
      endpoint: config.containerRuntimeEndpoint ?? "",
      imageEndpoint: config.imageServiceEndpoint ?? "",
      timeoutMs: durationMillis(config.runtimeRequestTimeout),
      ...{ dataDir: options.flags.dataDir, runDir: options.flags.runDir, log },
      cgroupDriver: config.cgroupDriver === "systemd" ? "systemd" : "cgroupfs",
      ...{ ociRuntime: options.flags.ociRuntime, ociRuntimes: options.flags.ociRuntimes },
      podCidr,
      cniConfigDir: options.flags.cniConfDir,
      cniPluginDirs: options.flags.cniBinDir,
    });
    const tracing = config.tracing && openNodeTracing(config.tracing, { name, log });
    const metrics = new MetricsRegistry(shownMetrics(config.showHiddenMetricsForVersion ?? ""));
    let api: NodeConnection | undefined;
    try {
      api = await connectionOf(options, { nodeName: name, metrics, log, signal });
      const node = await startNode({
        ...runtime,
        ...tracing?.services(runtime),
        tracer: tracing?.tracer,
        ...{ name, nodeIPs, podCidr, log, configuration: config },
        cloudProvider: cloudProviderOf(options),
        containerPolicy: containerPolicyOf(options),
        runtimeCgroup: options.flags.runtimeCgroups,
        machineInfo: await machineIdentity({
          machineIds: given.has("machine-id-file") ? flags["machine-id-file"] : undefined,
          bootIds: given.has("boot-id-file") ? flags["boot-id-file"] : undefined,
        }),
        allocatableIgnoresEviction: options.flags.allocatableIgnoresEviction,
        ...{ rootDir: options.flags.rootDir, dataDir: options.flags.dataDir },
        network: options.flags.network,
        routedNodes: options.flags.routedNodes,
        labels: options.flags.nodeLabels,
        credentialProviders: credentialProviders(options),
        ...{ connection: api?.connection, metrics, certDir: options.flags.certDir },
        flags: shownFlags(nodeFlags, flags),
        setVerbosity(value) {
          verbosity = value;
        },
      });
      try {
        await Promise.race([node.started, aborted(signal)]);
        streams.stdout.write("ready\n");
        await notifyReady();
        // Another agent that waits for the lock takes over.
        const ends = [aborted(signal)];
        if (lock && exitOnLockContention) ends.push(lock.contended(signal));
        await Promise.race(ends);
      } finally {
        await node.close();
      }
    } finally {
      await api?.close();
      await runtime.close();
      await tracing?.close();
      places?.close();
      await lock?.close();
    }
    return 0;
  },
});

/** Only a format that was chosen replaces ours, which depends on whether somebody reads along. */
const logOf = (
  { logging }: KubeletConfiguration,
  given: ReadonlySet<string>,
  verbosity: () => number,
): LogChoice => ({
  level: () => (verbosity() >= debugLevel ? "debug" : "info"),
  format: given.has("logging-format") || logging.format === "json" ? logging.format : "",
  fileLevels: logging.vmodule ?? [],
  ...splitOf(logging),
});

/** Where the log goes, if errors have a stream of their own or other messages are kept for a while. */
function splitOf(logging: KubeletConfiguration["logging"]): Partial<LogChoice> {
  const format = logging.format === "json" ? "json" : "text";
  const { splitStream = false, infoBufferSize } = logging.options[format];
  const bufferBytes = quantityValue(parseQuantity(infoBufferSize));
  if (!splitStream && bufferBytes === 0) return {};
  const log = splitLog({
    ...{ bufferBytes, flushMs: durationMillis(String(logging.flushFrequency)), clock: realClock },
    errors: (text) => void process.stderr.write(text),
    others: (text) => void (splitStream ? process.stdout : process.stderr).write(text),
  });
  process.once("exit", log.flush);
  return { format, write: log.write };
}

/**
 * How the node calls the API server of its kubeconfig; undefined without one. A machine that joins waits here for its
 * client certificate.
 */
async function connectionOf(
  { flags, config }: NodeOptions,
  given: Pick<NodeConnectionOptions, "nodeName" | "metrics" | "log" | "signal">,
): Promise<NodeConnection | undefined> {
  if (flags.kubeconfig === "") return undefined;
  return openNodeConnection({
    ...given,
    kubeconfig: flags.kubeconfig,
    bootstrapKubeconfig: flags.bootstrapKubeconfig || undefined,
    certDir: flags.certDir,
    rotates: config.rotateCertificates ?? false,
    userAgent: userAgentOf({ component: "kubelet", version: kubernetesVersion }),
    clock: realClock,
    random: systemRandom,
  });
}

/** Moves processes to the cgroups that the configuration names. */
async function placeConfigured(
  { kubeletCgroups: kubeletCgroup = "", systemCgroups: systemCgroup = "" }: KubeletConfiguration,
  log: Log,
): Promise<{ close(): void } | undefined> {
  if (kubeletCgroup === "" && systemCgroup === "") return undefined;
  return placeProcesses({
    ...{ kubeletCgroup, systemCgroup, clock: realClock, log },
    cgroups: await openCgroups(),
    mover: await openProcessMover(),
  });
}

function cloudProviderOf({ flags }: NodeOptions): CloudProvider | undefined {
  if (flags.cloudProvider === "") return undefined;
  const { ips: given } = readNodeIps(flags.nodeIp);
  const specified = given.filter((address) => !isUnspecified(address));
  return { hasAddress: given.length > 0, addresses: specified.join(",") };
}

const containerPolicyOf = ({ flags }: NodeOptions): ContainerPolicy => ({
  minAgeMs: flags.minimumContainerTtlMs,
  maxPerContainer: flags.maximumDeadContainersPerContainer,
  maxContainers: flags.maximumDeadContainers,
});

function credentialProviders({ flags }: NodeOptions) {
  const { imageCredentialProviderConfig: config, imageCredentialProviderBinDir: binDir } = flags;
  return config === "" ? undefined : { config, binDir };
}
