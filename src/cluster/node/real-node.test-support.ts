import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import { type Log, noLog } from "../../base/log.ts";
import { type Client, createClient } from "../../client/client.ts";
import { EngineImages } from "../../engine/cri/engine-images.ts";
import { EngineRuntime } from "../../engine/cri/engine-runtime.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { openEngine } from "../../engine/engine.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { fixedCredentials } from "../../kubeconfig/credentials.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { defaultKubeletConfiguration } from "../../kubelet/config/default-kubelet-configuration.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { unmountBelow } from "../../kubelet/host/volumes/mounts.ts";
import type { Kubelet } from "../../kubelet/kubelet.ts";
import { removePodRules } from "../../network/pods/pod-rules.ts";
import { routedNetwork } from "../../network/pods/routed-network.ts";
import { removePolicyTables } from "../../network/policies/nft.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { ensureNodePki } from "../../platform/pki/pki.ts";
import { realClock } from "../../platform/real-clock.ts";
import { mustRun } from "../../platform/run-child.ts";
import { yamlToJson } from "../../schema/yaml/yaml.ts";
import { startServer } from "../commands/server/server-command.ts";
import { checkGates } from "../flags/check-feature-gates.ts";
import type { NetworkPartName } from "./network-part-names.ts";
import type { NodeRuntime } from "./node-runtime.ts";
import { type RunningNode, startNode } from "./start-node.ts";

/** A cluster with one node that runs real containers, in this process. */
export interface RealNode {
  readonly root: string;
  readonly client: Client;
  readonly kubeconfig: string;
  readonly nodeName: string;
  /** The agent that runs now. */
  readonly kubelet: Kubelet;
  /** The folder of all that the node writes: the engine, the kubelet, logs. */
  readonly disk: string;
  /** The cgroup above those of all pods. */
  readonly cgroupRoot: string;
  /** The port of its API. */
  readonly port: number;
  /** Stops the API server, and starts it again. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Stops the agent and the engine, and starts new ones. */
  restartNode(): Promise<void>;
  pod(name: string): Promise<Pod>;
}

export interface RealNodeOptions {
  /** Whether the node does not know of the API server. */
  readonly isStandalone?: boolean;
  /** Differences from the usual configuration. */
  readonly configuration?: Partial<KubeletConfiguration>;
  /** Features that are on in the API server and the agent; API versions that they need are served. */
  readonly features?: readonly string[];
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** The size of a file system of its own for all that the node writes; by default it shares that of the machine. */
  readonly diskBytes?: number;
  /** Its runtime; by default the engine in this process. */
  readonly runtime?: NodeRuntime;
  /** The parts of the cluster's network that the node provides. */
  readonly network?: readonly NetworkPartName[];
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Starts a cluster with a real node, until the test ends. Its pods can use the test's image. */
export async function startRealNode(options: RealNodeOptions = {}): Promise<RealNode> {
  const node = await openRealNode(options);
  onTestFinished(node.close);
  return node;
}

/** Starts such a cluster for several tests, until it is closed. */
export async function openRealNode(
  options: RealNodeOptions = {},
): Promise<RealNode & { readonly close: () => Promise<void> }> {
  const root = mkdtempSync(join(tmpdir(), "wherry-node-"));
  // The root of a pod with users of its own must be able to enter.
  chmodSync(root, 0o711);
  const data = join(root, "server");
  const { diskBytes, clock = realClock, log = noLog, features = [] } = options;
  const disk = diskBytes === undefined ? root : await mountDisk(join(root, "disk"), diskBytes);
  const serve = (port: number) =>
    startServer({
      ...{ dir: data, host: "127.0.0.1", port, nodes: 0 },
      core: { kubelet: { preferredAddressTypes: ["InternalIP"] } },
      features: new Set(features),
      ...(options.runtimeConfig && { runtimeConfig: options.runtimeConfig }),
      log: { level: "error", format: "" },
    });
  const first = await serve(0);
  let server: typeof first | undefined = first;
  const url = `https://127.0.0.1:${first.port}`;
  const nodeName = "node-1";
  const now = new Date();
  const pki = await ensureNodePki(join(root, "pki"), join(data, "pki"), {
    ...{ nodeName, ips: ["127.0.0.1"], now },
  });
  // Nodes of other tests are in the same network namespace.
  const podCidr = `10.198.${7 + (process.pid % 240)}.0/24`;
  const cgroupRoot = `/wherry-node-${root.slice(-6)}`;
  const authorities = async () => first.rootCa;
  const openEngineRuntime = async (): Promise<NodeRuntime> => {
    const network = routedNetwork({
      ...{ podCidr, folder: join(disk, "addresses"), log },
    });
    const engine = await openEngine({
      ...{ dataDir: join(disk, "engine"), runDir: join(root, "run"), network },
      ...{ clock: realClock, log, registryHosts: [] },
    });
    const images = new EngineImages({ ...engine, clock: realClock });
    if ((await images.listImages()).length === 0)
      await engine.images.load(ociArchive(busyboxImage(), testImage));
    return {
      runtime: new EngineRuntime({
        ...engine,
        clock: realClock,
        readYaml: yamlToJson,
        version: "test",
      }),
      images,
      close: () => engine.close(),
    };
  };
  const open = async () => {
    const engine = options.runtime ?? (await openEngineRuntime());
    const node = await startNode({
      ...(!options.isStandalone && {
        connection: { server: url, authorities, credentials: fixedCredentials(pki.client) },
      }),
      ...{ certDir: join(root, "pki"), clientCa: first.rootCa, log, clock },
      ...{ rootDir: join(disk, "kubelet"), name: nodeName, nodeIPs: ["127.0.0.1"] },
      ...{ podCidr, network: options.network },
      configuration: {
        ...testConfiguration(root, cgroupRoot),
        podLogsDir: join(disk, "logs"),
        featureGates: Object.fromEntries(features.map((name) => [name, true])),
        ...options.configuration,
      },
      ...{ runtime: engine.runtime, images: engine.images, followNetwork: engine.followNetwork },
    });
    if (server) await node.started;
    return { node, engine };
  };
  mkdirSync(join(disk, "logs"));
  mkdirSync(manifestsOf(root));
  let running = await open();
  const closeAgent = async (): Promise<void> => {
    await running.node.close();
    await running.engine.close();
  };
  const transport = httpsTransport({
    server: url,
    authorities,
    credentials: fixedCredentials(await adminOf(data)),
  });
  const client = createClient(transport, { clock: realClock });
  return {
    ...{ root, disk, client, nodeName, cgroupRoot, kubeconfig: first.kubeconfig },
    get kubelet() {
      return running.node.kubelet;
    },
    get port() {
      return running.node.port;
    },
    async stopServer() {
      await server?.close();
      server = undefined;
    },
    async startServer() {
      server = await serve(first.port);
    },
    async restartNode() {
      await closeAgent();
      running = await open();
    },
    pod: (name) => client.get(Pod, { namespace: "default", name }),
    async close() {
      await running.node.close();
      await removePods(running);
      await running.engine.close();
      await removePodRules();
      if (options.network?.includes("policies")) await removePolicyTables();
      transport.close();
      await server?.close();
      await (await openCgroups()).remove(cgroupRoot);
      await unmountBelow(root);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function adminOf(data: string) {
  const { readFileSync } = await import("node:fs");
  const read = (name: string) => readFileSync(join(data, "pki", name), "utf8");
  return { cert: read("admin.crt"), key: read("admin.key") };
}

async function mountDisk(path: string, bytes: number): Promise<string> {
  mkdirSync(path);
  await mustRun("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=700`, "tmpfs", path]);
  return path;
}

async function removePods({ node }: { readonly node: RunningNode }): Promise<void> {
  const { runtime } = node.kubelet;
  for (const { id } of await runtime.listPodSandboxes()) await runtime.removePodSandbox(id);
}

/** The folder of a node's static pods. */
export const manifestsOf = (root: string): string => join(root, "manifests");

const testConfiguration = (root: string, cgroupRoot: string): KubeletConfiguration => ({
  ...defaultKubeletConfiguration((settings) => checkGates(new Map(Object.entries(settings)))),
  ...{ address: "127.0.0.1", port: 0, healthzPort: 0, podLogsDir: join(root, "logs") },
  ...{ staticPodPath: manifestsOf(root), fileCheckFrequency: "5s" },
  ...{ clusterDomain: "cluster.local", clusterDNS: ["10.0.0.10"] },
  ...{ cgroupDriver: "cgroupfs", cgroupRoot },
  tlsCertFile: join(root, "pki", "kubelet.crt"),
  tlsPrivateKeyFile: join(root, "pki", "kubelet.key"),
});
