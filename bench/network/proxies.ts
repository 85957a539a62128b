import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CrashNamespace,
  connectToServer,
  openCrashNamespace,
  serverAddress,
} from "../../scripts/proofs/proxy-crash/crash-namespaces.ts";
import { startTraffic } from "../../scripts/proofs/proxy-crash/traffic.ts";
import { Node } from "../../src/api/core/v1/node/node.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { newDirectory, startProcess } from "../../test/support/server-process.test-support.ts";
import { wherryProgram } from "../../test/wherry-program.ts";
import { median, verdict } from "../engine/engine-verdict.ts";
import { createServices, moveProbe, probeAddress, probeEndpoints } from "./bench-services.ts";
import { fullSyncMs, type MeasuredProxy, startMeasuredProxy } from "./measured-proxy.ts";
import { measureTransfers } from "./transfers.ts";

/** What a proxy takes; times in milliseconds, the rest as ratios to the address of the pod. */
interface Figures {
  /** From objects to the kernel, of all services at the start. */
  readonly programmed: number;
  /** From the write of an endpoint until connections lead there. */
  readonly change: number;
  readonly throughput: number;
  readonly latency: number;
  readonly connecting: number;
}

const counts = [1000, 5000] as const;
const changes = 7;

/** Measures `wherry proxy`, and kube-proxy if its path is given, each in namespaces of its own on one API server. */
export async function measureProxies(kubeProxy: string | undefined): Promise<void> {
  const directory = newDirectory();
  await mustRun("sh", ["-ec", `ip link set lo up; ip address add ${serverAddress}/32 dev lo`]);
  const server = await startProcess(directory.data, {
    flags: [
      ...["--bind-address", "0.0.0.0", "--advertise-address", serverAddress],
      ...["--service-cluster-ip-range", "10.96.0.0/16"],
    ],
  });
  try {
    const { client } = await connect({ path: join(directory.data, "admin.kubeconfig") });
    await client.create(Node, {
      metadata: { name: "node-1" },
      spec: { podCIDRs: ["10.88.0.0/24"] },
    });
    const config = writeConfiguration(directory);
    let made = 0;
    const slopes: { ours: number; theirs: number }[] = [];
    for (const count of counts) {
      await createServices(client, { from: made, to: count });
      made = count;
      const ours = await measure([process.execPath, wherryProgram(), "proxy"], config, client);
      const theirs = kubeProxy ? await measure([kubeProxy], config, client) : recorded[count];
      const reference = kubeProxy ? "kube-proxy in this run" : "kube-proxy as it was recorded";
      console.log(`${count} services × 10 endpoints; reference: ${reference}`);
      verdict("all programmed, once known", ours.programmed, theirs.programmed, { unit: "ms" });
      verdict("a change, from write to effect", ours.change, theirs.change, {
        unit: "ms",
        most: 50,
      });
      verdict("throughput, ClusterIP to pod", ours.throughput, theirs.throughput, { unit: "×" });
      verdict("latency, ClusterIP to pod", ours.latency, theirs.latency, { unit: "×" });
      verdict("connecting, ClusterIP to pod", ours.connecting, theirs.connecting, { unit: "×" });
      slopes.push({ ours: ours.change, theirs: theirs.change });
    }
    const [few, many] = slopes;
    if (few && many)
      console.log(
        `slope of a change: ${((many.ours - few.ours) / 4).toFixed(1)} ms for each 1000 services; reference ${((many.theirs - few.theirs) / 4).toFixed(1)} ms`,
      );
  } finally {
    await server.end("SIGKILL");
    directory.remove();
  }
}

async function measure(
  program: readonly string[],
  config: string,
  client: Client,
): Promise<Figures> {
  const opened = await Promise.all([0, 1, 2].map(openCrashNamespace));
  const [node, backend, pod] = opened as [CrashNamespace, CrashNamespace, CrashNamespace];
  let proxy: MeasuredProxy | undefined;
  try {
    await connectToServer(node, `node-${++namespaces}`, nodeAddress);
    await connectPod(node, backend, { link: "backend", network: "10.88.1", own: probeEndpoints });
    await connectPod(node, pod, { link: "client", network: "10.88.2", own: [] });
    await moveProbe(client, probeEndpoints[0]);
    proxy = startMeasuredProxy(node, [...program, "--config", config]);
    const programmed = await fullSyncMs(nodeAddress, proxy);
    const traffic = await startTraffic(pod, backend, probeEndpoints);
    try {
      const until = async (endpoint: string): Promise<void> => {
        while ((await traffic.probe("tcp", probeAddress)) !== endpoint);
      };
      await until(probeEndpoints[0]);
      const times: number[] = [];
      for (let i = 1; i <= changes; i++) {
        const endpoint = probeEndpoints[i % 2] ?? "";
        const start = performance.now();
        await moveProbe(client, endpoint);
        await until(endpoint);
        times.push(performance.now() - start);
      }
      const transfers = await measureTransfers(pod, backend, {
        addresses: probeEndpoints,
        direct: `${probeEndpoints[changes % 2]}:9000`,
        service: `${probeAddress}:81`,
      });
      return { programmed, change: median(times), ...transfers };
    } finally {
      traffic.close();
    }
  } finally {
    await proxy?.close();
    for (const namespace of opened) namespace.close();
  }
}

const nodeAddress = "192.0.2.2";
/** The name of a link may still be taken while its namespace ends. */
let namespaces = 0;

interface PodLink {
  readonly link: string;
  /** The first three numbers of the network between the node and the pod. */
  readonly network: string;
  readonly own: readonly string[];
}

async function connectPod(
  node: CrashNamespace,
  pod: CrashNamespace,
  { link, network, own }: PodLink,
): Promise<void> {
  await node.run(`
ip link add ${link} type veth peer name eth0 netns ${pod.pid}
ip address add ${network}.1/24 dev ${link}
ip link set ${link} up
${own.map((address) => `ip route add ${address} via ${network}.2 onlink dev ${link}`).join("\n")}`);
  await pod.run(`
${own.map((address) => `ip address add ${address}/32 dev lo`).join("\n")}
ip address add ${network}.2/24 dev eth0
ip link set eth0 up
ip route add default via ${network}.1`);
}

/** Writes the configuration of both programs; the machine keeps its settings of conntrack. */
function writeConfiguration(directory: { readonly path: string; readonly data: string }): string {
  const kubeconfig = join(directory.path, "proxy.kubeconfig");
  const admin = readFileSync(join(directory.data, "admin.kubeconfig"), "utf8");
  writeFileSync(kubeconfig, admin.replaceAll("127.0.0.1", serverAddress), { mode: 0o600 });
  const path = join(directory.path, "proxy.yaml");
  const configuration = {
    ...{ apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
    ...{ clientConnection: { kubeconfig }, hostnameOverride: "node-1", mode: "nftables" },
    ...{ bindAddress: nodeAddress, nftables: { minSyncPeriod: "1ms" }, oomScoreAdj: 0 },
    ...{ metricsBindAddress: `${nodeAddress}:10249`, healthzBindAddress: "" },
    ...{ detectLocalMode: "NodeCIDR", clusterCIDR: "10.88.0.0/16" },
    conntrack: {
      ...{ maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    },
  };
  writeFileSync(path, JSON.stringify(configuration));
  return path;
}

/** What kube-proxy v1.36.4 took in nftables mode on two cores that were busy with other work. */
const recorded: Readonly<Record<(typeof counts)[number], Figures>> = {
  1000: { programmed: 520, change: 880, throughput: 1, latency: 1.1, connecting: 1 },
  5000: { programmed: 4200, change: 2100, throughput: 0.9, latency: 1.2, connecting: 1 },
};
