import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Lease } from "../../src/api/coordination/v1/lease.ts";
import { Node } from "../../src/api/core/v1/node/node.ts";
import { noLog } from "../../src/base/log.ts";
import { createClient } from "../../src/client/client.ts";
import { openNodeConnection } from "../../src/cluster/node/open-node-connection.ts";
import { renewNodePki } from "../../src/cluster/node/renew-node-pki.ts";
import { writeNodeCredentials } from "../../src/cluster/node/write-node-credentials.ts";
import { advertiseAddress } from "../../src/cluster/serving/advertise-address.ts";
import { listenRenewing } from "../../src/cluster/serving/listen-renewing.ts";
import type { ChangingValue } from "../../src/controller-runtime/reconcile/changing-value.ts";
import { httpsTransport } from "../../src/kubeconfig/https-transport.ts";
import type { Pki } from "../../src/platform/pki/pki.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { systemRandom } from "../../src/platform/system-entropy.ts";
import { formatTime, timeFromMillis } from "../../src/schema/values/time.ts";

export interface ProofNodeOptions {
  readonly name: string;
  /** A folder for its files. */
  readonly dir: string;
  readonly server: string;
  readonly clusterPki: string;
  readonly pki: ChangingValue<Pki>;
  readonly lifetimeMs: number;
}

/**
 * What is there of certificates in a node of `wherry up`: the server writes its credentials into a folder, its agent
 * calls the API server and is called by it, over connections of its own.
 */
export async function startProofNode({ name, dir, ...options }: ProofNodeOptions) {
  const folder = join(dir, name);
  mkdirSync(folder);
  // The server calls no node at a loopback address.
  const address = advertiseAddress("127.0.0.1");
  let renewals = 0;
  const write = () =>
    writeNodeCredentials({
      ...{ folder, nodeName: name, ips: [address], server: options.server },
      ...{ ca: options.pki.current.ca.cert, clusterPki: options.clusterPki },
      lifetimeMs: options.lifetimeMs,
    });
  const renewing = renewNodePki({
    pki: await write(),
    write: () => {
      renewals++;
      return write();
    },
    changes: options.pki,
    ...{ clock: realClock, log: noLog },
  });
  const { connection, close } = await openNodeConnection({
    ...{ kubeconfig: join(folder, "kubeconfig"), certDir: join(folder, "pki"), nodeName: name },
    ...{ rotates: false, clock: realClock, random: systemRandom, log: noLog },
    signal: new AbortController().signal,
  });
  const transport = httpsTransport(connection);
  const client = createClient(transport, { clock: realClock });
  const file = (flag: string, path: string) => ({ flag, path: join(folder, "pki", path) });
  const api = await listenRenewing({
    ...{ host: address, port: 0, log: noLog },
    serving: {
      certificate: { cert: file("cert", "kubelet.crt"), key: file("key", "kubelet.key") },
      clientCa: file("client-ca", "ca.crt"),
    },
    own: () => ({ pair: { cert: "", key: "" }, fileName: "kubelet", authorities: [] }),
    handler: async ({ peer }) => ({
      status: peer?.commonName === "kube-apiserver-kubelet-client" ? 200 : 401,
      headers: { "content-type": "text/plain" },
      body: peer?.commonName ?? "nobody",
    }),
  });
  await client.create(Node, { metadata: { name } });
  const time = (): string => formatTime(timeFromMillis(Date.now()));
  const ready = {
    ...{ type: "Ready", status: "True", reason: "KubeletReady", message: "ready" },
    ...{ lastHeartbeatTime: time(), lastTransitionTime: time() },
  };
  const status = {
    addresses: [{ type: "InternalIP", address }],
    daemonEndpoints: { kubeletEndpoint: { Port: api.port } },
    capacity: { pods: "10", cpu: "4", memory: "4Gi" },
    allocatable: { pods: "10", cpu: "4", memory: "4Gi" },
    conditions: [ready],
  };
  const merge = { status } as never;
  await client.patch(Node, { name }, { merge }, { subresource: "status" });
  const place = { namespace: "kube-node-lease", name };
  await client.create(Lease, {
    metadata: place,
    spec: { holderIdentity: name, leaseDurationSeconds: 40 },
  });
  return {
    name,
    /** How often its credentials were written again. */
    renewals: () => renewals,
    /** One sign of life, as the node. */
    async heartbeat() {
      const renewTime = new Date().toISOString().replace("Z", "000Z");
      await client.patch(Lease, place, { merge: { spec: { renewTime } } as never });
    },
    async close() {
      renewing.close();
      await api.close(1000);
      transport.close();
      await close();
    },
  };
}
