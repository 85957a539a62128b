import { open } from "node:fs/promises";
import { isDns1123Label } from "../schema/values/names.ts";
import { quote } from "../schema/values/quote.ts";
import { faultList } from "./fault-list.ts";
import { fileFault } from "./file-fault.ts";
import {
  type AuthInfo,
  type Cluster,
  type Context,
  entriesOf,
  isEmptyKubeconfig,
  type Kubeconfig,
} from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { parseProxyUrl } from "./proxies/proxy-choice.ts";

/** client-go's message for an empty kubeconfig. */
export const nothingProvided =
  "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";
const noServer = "cluster has no server defined";

/** Throws all errors of a kubeconfig, whose paths must be resolved. */
export async function validateKubeconfig(config: Kubeconfig): Promise<void> {
  if (isEmptyKubeconfig(config)) throw invalid([nothingProvided]);
  const current = config["current-context"];
  const contexts = entriesOf(config, "contexts");
  const faults: string[] = [];
  if (current && !contexts.has(current)) faults.push(contextMissing(current));
  for (const [name, context] of contexts) faults.push(...contextFaults(config, name, context));
  for (const [name, user] of entriesOf(config, "users"))
    faults.push(...(await userFaults(name, user)));
  for (const [name, cluster] of entriesOf(config, "clusters"))
    faults.push(...(await clusterFaults(name, cluster)));
  if (faults.length > 0) throw invalid(faults);
}

/** A context of a kubeconfig, with its user and cluster. */
export interface ChosenContext {
  readonly name: string;
  readonly context: Context;
  readonly user: AuthInfo;
  readonly cluster: Cluster;
}

/** The named context, or the current one; throws the errors that make it unusable. */
export async function chosenContext(
  config: Kubeconfig,
  asked: string | undefined,
): Promise<ChosenContext> {
  const contexts = entriesOf(config, "contexts");
  if (asked && !contexts.has(asked))
    throw new KubeconfigError(`context ${quote(asked)} does not exist`);
  const name = asked || config["current-context"] || "";
  const context = contexts.get(name) ?? {};
  const user = entriesOf(config, "users").get(context.user ?? "") ?? {};
  const cluster = entriesOf(config, "clusters").get(context.cluster ?? "") ?? {};
  const faults: string[] = [];
  if (name !== "" && !contexts.has(name)) faults.push(contextMissing(name));
  faults.push(...(await userFaults(context.user ?? "", user)));
  faults.push(...(await clusterFaults(context.cluster ?? "", cluster)));
  if (faults.length === 1 && faults[0] === noServer) throw invalid([nothingProvided]);
  if (faults.length > 0) throw invalid(faults);
  return { name, context, user, cluster };
}

const invalid = (faults: readonly string[]): KubeconfigError =>
  new KubeconfigError(`invalid configuration: ${faultList(faults)}`, { faults });

const contextMissing = (name: string): string =>
  `context was not found for specified context: ${name}`;

function contextFaults(
  config: Kubeconfig,
  name: string,
  { user, cluster, namespace }: Context,
): string[] {
  const faults: string[] = [];
  if (name === "") faults.push("empty context name is not allowed");
  if (!user) faults.push(`user was not specified for context ${quote(name)}`);
  else if (!entriesOf(config, "users").has(user))
    faults.push(`user ${quote(user)} was not found for context ${quote(name)}`);
  if (!cluster) faults.push(`cluster was not specified for context ${quote(name)}`);
  else if (!entriesOf(config, "clusters").has(cluster))
    faults.push(`cluster ${quote(cluster)} was not found for context ${quote(name)}`);
  if (namespace && isDns1123Label(namespace).length > 0)
    faults.push(
      `namespace ${quote(namespace)} for context ${quote(name)} does not conform to the kubernetes DNS_LABEL rules`,
    );
  return faults;
}

async function clusterFaults(name: string, cluster: Cluster): Promise<string[]> {
  const isEmpty = Object.values(cluster).every((member) => !member || isEmptyList(member));
  if (isEmpty) return [noServer];
  const faults: string[] = [];
  if (!cluster.server)
    faults.push(
      name === ""
        ? "default cluster has no server defined"
        : `no server found for cluster ${quote(name)}`,
    );
  const proxy = cluster["proxy-url"];
  if (proxy) {
    try {
      parseProxyUrl(proxy);
    } catch (fault) {
      const why = (fault as Error).message;
      faults.push(`invalid 'proxy-url' ${quote(proxy)} for cluster ${quote(name)}: ${why}`);
    }
  }
  const file = cluster["certificate-authority"];
  if (file && cluster["certificate-authority-data"])
    faults.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  faults.push(...(await unreadable("certificate-authority", file, name)));
  return faults;
}

const isEmptyList = (member: unknown): boolean => Array.isArray(member) && member.length === 0;

async function userFaults(name: string, user: AuthInfo): Promise<string[]> {
  const methods = [
    ...(user.token ? ["token"] : []),
    ...(user.username || user.password ? ["basicAuth"] : []),
  ];
  const faults = [...(await certificateFaults(name, user)), ...execFaults(name, user)];
  if (methods.length > 1)
    faults.push(
      `more than one authentication method found for ${name}; found [${methods.join(" ")}], only one is allowed`,
    );
  const isMore =
    user["as-uid"] || user["as-groups"]?.length || Object.keys(user["as-user-extra"] ?? {}).length;
  if (isMore && !user.as)
    faults.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return faults;
}

async function certificateFaults(name: string, user: AuthInfo): Promise<string[]> {
  const cert = user["client-certificate"];
  const key = user["client-key"];
  const certData = user["client-certificate-data"];
  const keyData = user["client-key-data"];
  if (!cert && !certData) return [];
  const faults: string[] = [];
  if (cert && certData)
    faults.push(
      `client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`,
    );
  if (key && keyData)
    faults.push(
      `client-key-data and client-key are both specified for ${name}; client-key-data will override`,
    );
  if (!key && !keyData)
    faults.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  faults.push(...(await unreadable("client-cert", cert, name)));
  faults.push(...(await unreadable("client-key", key, name)));
  return faults;
}

function execFaults(name: string, { exec, "auth-provider": provider }: AuthInfo): string[] {
  if (!exec) return [];
  const faults: string[] = [];
  const use = `for ${name} to use exec authentication plugin`;
  if (provider)
    faults.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  if (!exec.command) faults.push(`command must be specified ${use}`);
  if (!exec.apiVersion) faults.push(`apiVersion must be specified ${use}`);
  for (const variable of exec.env ?? [])
    if (!variable.name) faults.push(`env variable name must be specified ${use}`);
  const mode = interactiveMode(exec);
  if (mode === "") faults.push(`interactiveMode must be specified ${use}`);
  else if (!modes.has(mode)) faults.push(`invalid interactiveMode for ${name}: ${quote(mode)}`);
  return faults;
}

const modes: ReadonlySet<string> = new Set(["Never", "IfAvailable", "Always"]);

/** Whether a plugin may prompt the user; old versions need not set it. */
export function interactiveMode({
  interactiveMode: mode,
  apiVersion,
}: NonNullable<AuthInfo["exec"]>): string {
  if (mode) return mode;
  return /^client\.authentication\.k8s\.io\/v1(?:alpha|beta)1$/.test(apiVersion ?? "")
    ? "IfAvailable"
    : "";
}

async function unreadable(what: string, path: string | undefined, name: string): Promise<string[]> {
  if (!path) return [];
  try {
    await (await open(path)).close();
    return [];
  } catch (cause) {
    return [`unable to read ${what} ${path} for ${name} due to ${fileFault("open", path, cause)}`];
  }
}
