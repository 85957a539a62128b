import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { hostAddress } from "../../../platform/host-address.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { componentConnection } from "../../component/component-connection.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import { openNodeRuntime } from "../../node/node-runtime.ts";
import { startNode } from "../../node/start-node.ts";
import { openLog } from "../../opening/open-log.ts";
import { kubernetesVersion } from "../../version.ts";
import { nodeFlags } from "./flags/node-flags.ts";
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
    const log = openLog();
    for (const warning of options.warnings) log.warn("configuration warning", { warning });
    const { kubeconfig } = options.flags;
    const name = (options.flags.hostnameOverride || hostname()).trim().toLowerCase();
    const nodeIPs = options.flags.nodeIp.split(",").filter((text) => text !== "");
    const address = nodeIPs[0] ?? hostAddress() ?? "127.0.0.1";
    const podCidr = config.podCIDR || undefined;
    const runtime = await openNodeRuntime({
      endpoint: config.containerRuntimeEndpoint ?? "",
      imageEndpoint: config.imageServiceEndpoint ?? "",
      ...{ dataDir: options.flags.dataDir, runDir: options.flags.runDir, log },
      cgroupDriver: config.cgroupDriver === "systemd" ? "systemd" : "cgroupfs",
      podCidr,
    });
    try {
      const node = await startNode({
        ...runtime,
        ...{ name, nodeIPs: [address], podCidr, log, configuration: config },
        rootDir: options.flags.rootDir,
        labels: options.flags.nodeLabels,
        credentialProviders: credentialProviders(options),
        connection:
          kubeconfig === ""
            ? undefined
            : await componentConnection(
                { kubeconfig, master: "" },
                { component: "kubelet", version: kubernetesVersion },
              ),
        serving: await servingPair(config, { name, address }),
        flags: shownFlags(nodeFlags, flags),
      });
      try {
        await Promise.race([node.started, aborted(signal)]);
        streams.stdout.write("ready\n");
        await aborted(signal);
      } finally {
        await node.close();
      }
    } finally {
      await runtime.close();
    }
    return 0;
  },
});

/** The certificate of the kubelet's API: that of the configuration, or one that it signs itself. */
async function servingPair(
  { tlsCertFile = "", tlsPrivateKeyFile = "" }: KubeletConfiguration,
  { name, address }: { readonly name: string; readonly address: string },
): Promise<KeyPair> {
  if (tlsCertFile === "") return selfSigned({ name, ips: [address], now: new Date() });
  const [cert, key] = await Promise.all([
    readFile(tlsCertFile, "utf8"),
    readFile(tlsPrivateKeyFile, "utf8"),
  ]);
  return { cert, key };
}

function credentialProviders({ flags }: NodeOptions) {
  const { imageCredentialProviderConfig: config, imageCredentialProviderBinDir: binDir } = flags;
  return config === "" ? undefined : { config, binDir };
}
