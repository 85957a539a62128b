import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { type Client, type ClientOptions, createClient } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { realClock } from "../platform/real-clock.ts";
import { systemRandom } from "../platform/system-entropy.ts";
import { contextConnection } from "./context-connection.ts";
import { type HttpsTransportOptions, httpsTransport } from "./https-transport.ts";
import { inClusterConnection, isInCluster } from "./in-cluster.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { type KubeconfigPlaces, loadKubeconfig, resolvedKubeconfig } from "./load-kubeconfig.ts";
import { parseKubeconfig } from "./parse-kubeconfig.ts";
import { chosenContext, nothingProvided } from "./validate-kubeconfig.ts";

export interface ConnectOptions
  extends KubeconfigPlaces,
    Omit<ClientOptions, "clock">,
    Pick<HttpsTransportOptions, "protocols" | "userAgent"> {
  /** The kubeconfig itself, instead of files. */
  readonly kubeconfig?: string | Kubeconfig | undefined;
  /** The context to use, if it is not the current one. */
  readonly context?: string | undefined;
  /** true: only the in-cluster configuration; false: never. By default it is used if there is no kubeconfig. */
  readonly inCluster?: boolean | undefined;
  /** The directory with the files of a pod's service account. */
  readonly serviceAccountDir?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** A client of a cluster, with its transport and clock: everything that informers and managers need. */
export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  /** The server's URL. */
  readonly server: string;
  /** The namespace of objects that do not name one. */
  readonly namespace: string;
  /** The name of the context; undefined with the in-cluster configuration. */
  readonly context: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts all calls and closes all connections. */
  close(): void;
}

/**
 * Connects to a cluster as kubectl does: with the given kubeconfig, the named file, the files of
 * `KUBECONFIG`, `~/.kube/config`, or the in-cluster configuration of a pod. Sends nothing yet.
 */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const { protocols, userAgent, clock = realClock } = options;
  const found = await findConnection({ ...options, clock });
  const transport = httpsTransport({
    ...found.transport,
    ...(protocols && { protocols }),
    ...(userAgent !== undefined && { userAgent }),
  });
  const { namespace = found.namespace, impersonate, fieldManager, retry, onWarning } = options;
  const how = { clock, namespace, impersonate, fieldManager, retry, onWarning };
  return {
    client: createClient(transport, how),
    transport,
    server: String(found.transport.server),
    namespace,
    context: found.context,
    clock,
    random: systemRandom,
    close: transport.close,
  };
}

/** How to reach a cluster, before any connection is opened. */
export interface FoundConnection {
  readonly transport: HttpsTransportOptions;
  readonly namespace: string;
  readonly context: string | undefined;
}

/** Resolves how to reach a cluster, as `connect` does. */
export async function findConnection(options: ConnectOptions): Promise<FoundConnection> {
  const { inCluster, context } = options;
  if (inCluster) return { ...(await inClusterConnection(options)), context: undefined };
  const config = await configOf(options);
  try {
    const chosen = await chosenContext(config, context);
    const { name, context: at } = chosen;
    const namespace = at.namespace || "default";
    return { transport: contextConnection(chosen, options), namespace, context: name };
  } catch (fault) {
    const isEmpty = (fault as Error).message === `invalid configuration: ${nothingProvided}`;
    if (!isEmpty || inCluster === false || !(await isInCluster(options))) throw fault;
    return { ...(await inClusterConnection(options)), context: undefined };
  }
}

async function configOf({ kubeconfig, ...places }: ConnectOptions): Promise<Kubeconfig> {
  if (typeof kubeconfig === "string") return parseKubeconfig(kubeconfig);
  return kubeconfig ?? resolvedKubeconfig(await loadKubeconfig(places));
}
