import { parseBootstrapToken } from "../../../api/core/v1/bootstrap-token-secret.ts";
import { clusterInfo, clusterInfoKubeconfig } from "../../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { command } from "../../../cli/command.ts";
import { boolFlag, durationFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { ensureNodeAccess, joiningGroup } from "../../join/node-access.ts";
import { publicKeyPins } from "../../join/public-key-pin.ts";
import {
  addressIn,
  type ClusterAddress,
  publishClusterInfo,
} from "../../join/publish-cluster-info.ts";
import { expiration, newToken, tokenProblems, tokenSecret } from "./bootstrap-token.ts";
import { type TokenConnection, withCluster } from "./token-connection.ts";

/** Creates a token. */
export const createCommand = command({
  name: "create",
  short: "Create a token",
  long: `Create a bootstrap token and print it, or the command that adds a machine to the cluster with it.

Machines that join need some roles, and the ConfigMap cluster-info in kube-public, which says how to
reach the API server. "wherry server" and "wherry up" create them; on other clusters this command
does, with the address of the kubeconfig.`,
  arguments: "[TOKEN]",
  arity: { max: 1 },
  flags: {
    ttl: durationFlag({
      usage: "how long the token is valid; 0 means that it does not expire",
      default: 24 * 3_600_000,
    }),
    description: stringFlag({ usage: "what the token is for" }),
    usages: stringsFlag({
      usage: "what the token may be used for: signing, authentication",
      default: ["signing", "authentication"],
    }),
    groups: stringsFlag({
      usage: "the groups of the user that authenticates with the token",
      default: [joiningGroup],
    }),
    "print-join-command": boolFlag({
      usage: "print the command that adds a machine to the cluster",
    }),
  },
  async run(context) {
    const { flags, args, streams, signal } = context;
    const [given = newToken()] = args;
    const token = parseBootstrapToken(given);
    const problems = tokenProblems(flags);
    if (!token) problems.push('the bootstrap token was not of the form "[a-z0-9]{6}.[a-z0-9]{16}"');
    if (flags.ttl < 0) problems.push("--ttl must not be negative");
    if (!token || problems.length > 0) throw new UsageError(problems);
    return withCluster(context, async (cluster) => {
      const { client } = cluster;
      await ensureNodeAccess(client);
      const address = await ensureClusterInfo(cluster);
      const expires = expiration(flags.ttl, Date.now());
      const secret = tokenSecret(token, { ...flags, expires });
      await client.create(Secret, secret, { signal }).catch((error: unknown) => {
        if (!StatusError.is(error, "AlreadyExists")) throw error;
        throw new Error(`a token with id "${token.id}" already exists`);
      });
      if (!flags["print-join-command"]) {
        streams.stdout.write(`${given}\n`);
        return 0;
      }
      if (isLocal(address.server))
        streams.stderr.write(
          `warning: other machines cannot reach ${address.server}; start the server with --bind-address and an address that they can reach\n`,
        );
      streams.stdout.write(`${joinCommand(address, given)}\n`);
      return 0;
    });
  },
});

/** The address that cluster-info publishes; that of the kubeconfig is published if there is none. */
async function ensureClusterInfo({ client, connection }: TokenConnection): Promise<ClusterAddress> {
  const found = await client.get(ConfigMap, clusterInfo).catch((error: unknown) => {
    if (!StatusError.is(error, "NotFound")) throw error;
    return undefined;
  });
  const published = addressIn(found?.data?.[clusterInfoKubeconfig] ?? "");
  if (published) return published;
  const ca = await connection.authorities?.();
  if (!ca) throw new Error("no CA certificates found in kubeconfig");
  const server = String(connection.server).replace(/\/$/, "");
  const address = { server, ca, serverName: connection.serverName };
  await publishClusterInfo(client, address);
  return address;
}

/** The command that adds a machine to a cluster. */
function joinCommand({ server, ca }: ClusterAddress, token: string): string {
  const pins = publicKeyPins(ca).map((pin) => ` --discovery-token-ca-cert-hash ${pin}`);
  return `wherry join ${server.replace("https://", "")} --token ${token}${pins.join("")}`;
}

const isLocal = (server: string): boolean =>
  /^https:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(server);
