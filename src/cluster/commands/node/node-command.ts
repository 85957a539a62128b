import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import { intFlag, stringFlag } from "../../../cli/flag.ts";
import { hostAddress } from "../../../platform/host-address.ts";
import { componentConnection } from "../../component/component-connection.ts";
import { openNodeEngine } from "../../node/node-engine.ts";
import { startNode } from "../../node/start-node.ts";
import { openLog } from "../../opening/open-log.ts";
import { kubernetesVersion, version } from "../../version.ts";

/** Runs the agent of a machine in the foreground until a signal stops it; containers run on. */
export const nodeCommand = command({
  name: "node",
  short: "Run the agent of a node",
  long: `Run the agent of a node in the foreground: it registers this machine with a cluster, and runs the
pods bound to it. Containers outlive the agent: it can be stopped, killed and upgraded at any time.`,
  flags: {
    kubeconfig: stringFlag({ usage: "the kubeconfig `FILE` of the node" }),
    "hostname-override": stringFlag({
      usage: "the name of the node (default: that of the machine)",
    }),
    "node-ip": stringFlag({ usage: "the address of the node (default: one of the machine)" }),
    port: intFlag({ usage: "the port of the kubelet's API", default: 10250 }),
    "root-dir": stringFlag({ usage: "the `FOLDER` of the pods", default: "/var/lib/kubelet" }),
    "pod-logs-dir": stringFlag({
      usage: "the `FOLDER` of the pods' logs",
      default: "/var/log/pods",
    }),
    "data-dir": stringFlag({
      usage: "the `FOLDER` of images and containers",
      default: "/var/lib/wherry/engine",
    }),
    "run-dir": stringFlag({
      usage: "a `FOLDER` that does not survive a reboot, for sockets and namespaces",
      default: "/run/wherry/engine",
    }),
    "pod-cidr": stringFlag({ usage: "the range of the pods' addresses" }),
    "tls-cert-file": stringFlag({ usage: "the `FILE` of the kubelet's certificate" }),
    "tls-private-key-file": stringFlag({ usage: "the `FILE` of its key" }),
    "client-ca-file": stringFlag({ usage: "the `FILE` of the authority of the kubelet's clients" }),
  },
  async run({ flags, streams, signal }) {
    const log = openLog();
    const name = flags["hostname-override"] || hostname();
    const address = flags["node-ip"] || hostAddress() || "127.0.0.1";
    const podCidr = flags["pod-cidr"];
    const dataDir = resolve(flags["data-dir"]);
    const engine = await openNodeEngine({
      ...{ dataDir, runDir: resolve(flags["run-dir"]), podCidr: () => podCidr || undefined, log },
    });
    try {
      const node = await startNode({
        config: {
          ...{ name, address, port: flags.port, podCidr },
          capacity: {},
          info: {
            ...{
              architecture: "amd64",
              operatingSystem: "linux",
              kubeletVersion: kubernetesVersion,
            },
            ...{ bootID: "", containerRuntimeVersion: `wherry://${version}`, kernelVersion: "" },
            ...{ kubeProxyVersion: "", machineID: "", osImage: "", systemUUID: "" },
          },
        },
        connection: await componentConnection(
          { kubeconfig: flags.kubeconfig, master: "" },
          { component: "kubelet", version: kubernetesVersion },
        ),
        serving: {
          cert: await readFile(flags["tls-cert-file"], "utf8"),
          key: await readFile(flags["tls-private-key-file"], "utf8"),
        },
        clientCa: await readFile(flags["client-ca-file"], "utf8"),
        ...{ rootDir: flags["root-dir"], maxPods: 110, podsPerCore: 0, log },
        linux: {
          ...{ clusterDomain: "cluster.local", clusterDNS: ["10.0.0.10"] },
          ...{ resolvConf: "/etc/resolv.conf", podLogsDir: flags["pod-logs-dir"] },
          ...{ seccompDefault: false, cgroupsPerQOS: true, cgroupDriver: "cgroupfs" },
          ...{ cgroupRoot: "/", cpuCFSQuota: true, cpuCFSQuotaPeriod: 100_000 },
          ...{ singleProcessOOMKill: true, swapBehavior: "NoSwap" },
        },
        ...engine,
      });
      streams.stdout.write("ready\n");
      await aborted(signal);
      await node.close();
    } finally {
      await engine.close();
    }
    return 0;
  },
});
