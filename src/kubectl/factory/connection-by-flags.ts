import { resolve } from "node:path";
import type { Values } from "../../cli/flag.ts";
import { contextConnection } from "../../kubeconfig/context-connection.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import { inClusterConnection, isInCluster } from "../../kubeconfig/in-cluster.ts";
import {
  type AuthInfo,
  type Cluster,
  entriesOf,
  type Kubeconfig,
  withEntries,
} from "../../kubeconfig/kubeconfig.ts";
import { KubeconfigError } from "../../kubeconfig/kubeconfig-error.ts";
import { loadKubeconfig, resolvedKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { chosenContext, nothingProvided } from "../../kubeconfig/validate-kubeconfig.ts";
import type { connectionFlags } from "../program/global-flags.ts";
import type { Environment } from "../program/kubectl-command.ts";

type ConnectionFlags = Values<typeof connectionFlags>;

/** How to reach the server that the flags and the kubeconfig name. */
export interface FlaggedConnection {
  readonly transport: HttpsTransportOptions;
  readonly namespace: string;
  /** Whether a flag names the namespace. */
  readonly isNamespaceGiven: boolean;
}

export interface ConnectionSurroundings extends KubeconfigSurroundings {
  /** Whether a credential plugin may prompt the user. */
  readonly isTerminal: boolean;
  /** Whether a command reads objects from standard input, so that nobody can be prompted from now on. */
  isStdinUsed(): boolean;
  /** Throws if the user does not let a program provide credentials. */
  readonly checkPlugin?: ((program: string) => void) | undefined;
}

export interface KubeconfigSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  /** Called with each file that was loaded. */
  onLoaded(path: string): void;
}

/** Loads the kubeconfig and applies the flags to it. */
export async function flaggedKubeconfig(
  flags: ConnectionFlags,
  { env, cwd, onLoaded }: KubeconfigSurroundings,
): Promise<Kubeconfig> {
  const path = flags.kubeconfig || undefined;
  const config = resolvedKubeconfig(await loadKubeconfig({ path, env, cwd, onLoaded }));
  return withFlags(config, flags, cwd);
}

/** Finds out how to reach the server; without any configuration it is localhost, or the cluster of the pod. */
export async function connectionByFlags(
  flags: ConnectionFlags,
  around: ConnectionSurroundings,
): Promise<FlaggedConnection> {
  const { env, isTerminal, isStdinUsed, checkPlugin } = around;
  const config = await flaggedKubeconfig(flags, around);
  const isNamespaceGiven = flags.namespace !== "";
  try {
    const chosen = await chosenContext(config, flags.context || undefined);
    const namespace = flags.namespace || chosen.context.namespace || "default";
    const transport = contextConnection(chosen, { env, isTerminal, isStdinUsed, checkPlugin });
    return { transport, namespace, isNamespaceGiven };
  } catch (thrown) {
    const error = withTypedPaths(thrown, flags, around.cwd);
    const isEmpty = (error as Error).message === `invalid configuration: ${nothingProvided}`;
    if (!isEmpty) throw error;
    if (await isInCluster({ env })) {
      const inside = await inClusterConnection({ env });
      return { ...inside, namespace: flags.namespace || inside.namespace, isNamespaceGiven };
    }
    const transport = contextConnection({ cluster: { server: localServer }, user: {} }, { env });
    return { transport, namespace: flags.namespace || "default", isNamespaceGiven };
  }
}

/** Faults name the files of flags as they were typed. */
function withTypedPaths(error: unknown, flags: ConnectionFlags, cwd: string): unknown {
  if (!(error instanceof KubeconfigError) || error.faults.length === 0) return error;
  const paths = [
    flags["certificate-authority"],
    flags["client-certificate"],
    flags["client-key"],
  ].filter((path) => path !== "");
  const typed = (text: string): string =>
    paths.reduce((all, path) => all.replaceAll(resolve(cwd, path), path), text);
  const faults = error.faults.map(typed);
  return new KubeconfigError(typed(error.message), { faults, cause: error });
}

const localServer = "http://localhost:8080";

/** Names of the entries that hold what flags say, where the kubeconfig has no context. */
const flagged = "";

/** The kubeconfig with the flags written into its current context, cluster and user. */
function withFlags(config: Kubeconfig, flags: ConnectionFlags, cwd: string): Kubeconfig {
  const contextName = flags.context || config["current-context"] || flagged;
  const contexts = entriesOf(config, "contexts");
  const context = contexts.get(contextName) ?? {};
  const clusterName = flags.cluster || context.cluster || flagged;
  const userName = flags.user || context.user || flagged;
  checkNamed(config, flags);
  const clusters = entriesOf(config, "clusters");
  const users = entriesOf(config, "users");
  const cluster = { ...clusters.get(clusterName), ...clusterChanges(flags, cwd) };
  const user = changedUser(users.get(userName) ?? {}, flags, cwd);
  if (Object.keys(cluster).length > 0) clusters.set(clusterName, cluster);
  if (Object.keys(user).length > 0) users.set(userName, user);
  const changed = withEntries(withEntries(config, "clusters", clusters), "users", users);
  const isMissing = contextName !== flagged && !contexts.has(contextName);
  if (isMissing) return changed;
  contexts.set(contextName, { ...context, cluster: clusterName, user: userName });
  return withEntries(changed, "contexts", contexts);
}

function checkNamed(config: Kubeconfig, flags: ConnectionFlags): void {
  if (flags.cluster !== "" && !entriesOf(config, "clusters").has(flags.cluster))
    throw new Error(`no server found for cluster "${flags.cluster}"`);
  if (flags.user !== "" && !entriesOf(config, "users").has(flags.user))
    throw new Error(`auth info "${flags.user}" does not exist`);
}

function clusterChanges(flags: ConnectionFlags, cwd: string): Cluster {
  const authority = flags["certificate-authority"];
  const insecure = flags["insecure-skip-tls-verify"];
  return {
    ...(flags.server !== "" && { server: flags.server }),
    ...(flags["tls-server-name"] !== "" && { "tls-server-name": flags["tls-server-name"] }),
    ...(insecure && { "insecure-skip-tls-verify": true }),
    // Without verification, authorities of the kubeconfig do not count.
    ...(insecure && { "certificate-authority": "", "certificate-authority-data": "" }),
    ...(authority !== "" && {
      "certificate-authority": resolve(cwd, authority),
      "certificate-authority-data": "",
    }),
    ...(flags["disable-compression"] && { "disable-compression": true }),
  };
}

function changedUser(user: AuthInfo, flags: ConnectionFlags, cwd: string): AuthInfo {
  const { token, username, password } = flags;
  const cert = flags["client-certificate"];
  const key = flags["client-key"];
  const isBasic = username !== "" || password !== "";
  const extra: Record<string, string[]> = {};
  for (const pair of flags["as-user-extra"]) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    extra[name] = [...(extra[name] ?? []), equals < 0 ? "" : pair.slice(equals + 1)];
  }
  return {
    ...user,
    ...(cert !== "" && {
      "client-certificate": resolve(cwd, cert),
      "client-certificate-data": "",
    }),
    ...(key !== "" && { "client-key": resolve(cwd, key), "client-key-data": "" }),
    // A token replaces other credentials of the kubeconfig, and so does a password.
    ...((token !== "" || isBasic) && {
      token,
      tokenFile: "",
      username,
      password,
      exec: undefined,
    }),
    ...(flags.as !== "" && { as: flags.as }),
    ...(flags["as-uid"] !== "" && { "as-uid": flags["as-uid"] }),
    ...(flags["as-group"].length > 0 && { "as-groups": flags["as-group"] }),
    ...(Object.keys(extra).length > 0 && { "as-user-extra": extra }),
  };
}
