import { noLog } from "../../base/log.ts";
import { noMetrics } from "../../base/metrics.ts";
import { createClient } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { fixedCredentials } from "../../kubeconfig/credentials.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { openNetworkPolicies } from "../../network/policies/network-policies.ts";
import { runNft } from "../../network/run-nft.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";

/** What the program is told. */
export interface PoliciesDriverOptions {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly nodeName: string;
  /** The network namespace of the node. */
  readonly namespace: string;
}

// A program that stands for the agent of a node: it keeps the policies of a namespace until its input ends.
const options = JSON.parse(process.argv[2] ?? "{}") as PoliciesDriverOptions;
const { server, ca, cert, key, nodeName, namespace } = options;
const transport = httpsTransport({
  ...{ server, authorities: async () => ca, credentials: fixedCredentials({ cert, key }) },
});
const client = createClient(transport, { clock: realClock });
const informers = createInformers({ client, clock: realClock, random: systemRandom });
openNetworkPolicies({
  ...{ nodeName, informers, clock: realClock, log: noLog, metrics: noMetrics },
  run: async (input) => {
    await runNft(input, ["nsenter", `--net=${namespace}`]);
    process.stdout.write("applied\n");
  },
});
process.stdin.resume().on("end", () => process.exit());
