import { sameJson } from "../schema/json/json-value.ts";
import {
  bool,
  bytes,
  list,
  mapOf,
  message,
  raw,
  string,
  stringMap,
  strings,
  value,
} from "../schema/language/field.ts";
import { type Infer, struct } from "../schema/language/struct.ts";
import { listType, stringType } from "../schema/language/type.ts";

const named = (name: string): string => `io.k8s.client-go.tools.clientcmd.api.v1.${name}`;

export const NamedExtension = struct(named("NamedExtension"), {
  name: string(1).doc("The name of the extension."),
  extension: raw(2).doc("Data of any form."),
}).doc("Data of another program in a kubeconfig.");
export interface NamedExtension extends Infer<typeof NamedExtension> {}

export const Cluster = struct(named("Cluster"), {
  server: string(1).doc("The URL of the server."),
  "tls-server-name": string(2).doc("The name in the server's certificate, if it is not the host."),
  "insecure-skip-tls-verify": bool(3).doc(
    "Whether verification of the server's certificate is skipped.",
  ),
  "certificate-authority": string(4).doc("A file with the server's certificate authorities."),
  "certificate-authority-data": bytes(5).doc("The same, PEM in base64; it takes precedence."),
  "proxy-url": string(6).doc("The URL of a proxy for the server: http, https or socks5."),
  "disable-compression": bool(7).doc("Whether responses must not be compressed."),
  extensions: list(8, NamedExtension).doc("Data of other programs."),
}).doc("The URL of a server, and how it is verified.");
export interface Cluster extends Infer<typeof Cluster> {}

const AuthProviderConfig = struct(named("AuthProviderConfig"), {
  name: string(1).doc("The name of the provider."),
  config: stringMap(2).doc("Configuration of the provider."),
}).doc("An authentication provider of older clients.");

const ExecEnvVar = struct(named("ExecEnvVar"), {
  name: string(1).doc("The variable's name."),
  value: string(2).doc("The variable's value."),
}).doc("A variable of a plugin's environment.");

export const ExecConfig = struct(named("ExecConfig"), {
  command: string(1).doc("The program."),
  args: strings(2).doc("The program's arguments."),
  env: list(3, ExecEnvVar).doc("Additional environment variables."),
  apiVersion: string(4).doc("The version of ExecCredential to use."),
  installHint: string(5).doc("The hint for users who do not have the program."),
  provideClusterInfo: bool(6).doc("Whether it gets information about the cluster."),
  interactiveMode: string(7).doc("Whether it may prompt the user: Never, IfAvailable or Always."),
}).doc("A plugin program that provides credentials.");
export interface ExecConfig extends Infer<typeof ExecConfig> {}

export const AuthInfo = struct(named("AuthInfo"), {
  "client-certificate": string(1).doc("A file with a certificate of the user."),
  "client-certificate-data": bytes(2).doc("The same, PEM in base64; it takes precedence."),
  "client-key": string(3).doc("A file with its private key."),
  "client-key-data": bytes(4).doc("The same, PEM in base64; it takes precedence."),
  token: string(5).doc("A bearer token."),
  tokenFile: string(6).doc("A file with a bearer token, which may be replaced."),
  as: string(7).doc("The user to impersonate."),
  "as-uid": string(8).doc("The uid to impersonate."),
  "as-groups": strings(9).doc("The groups to impersonate."),
  "as-user-extra": mapOf(10, listType(stringType)).doc("Extra information to impersonate."),
  username: string(11).doc("The user name for basic authentication."),
  password: string(12).doc("The password for basic authentication."),
  "auth-provider": message(13, AuthProviderConfig).doc(
    "An authentication provider; no longer supported.",
  ),
  exec: message(14, ExecConfig).doc("A plugin program that provides credentials."),
  extensions: list(15, NamedExtension).doc("Data of other programs."),
}).doc("The credentials of a user.");
export interface AuthInfo extends Infer<typeof AuthInfo> {}

export const Context = struct(named("Context"), {
  cluster: string(1).doc("The name of a cluster."),
  user: string(2).doc("The name of a user."),
  namespace: string(3).doc("The namespace of objects that do not name one."),
  extensions: list(4, NamedExtension).doc("Data of other programs."),
}).doc("A cluster, and the user and namespace for it.");
export interface Context extends Infer<typeof Context> {}

export const NamedCluster = struct(named("NamedCluster"), {
  name: string(1).doc("Its name."),
  cluster: value(2, Cluster).doc("The cluster."),
}).doc("A cluster by its name.");
export interface NamedCluster extends Infer<typeof NamedCluster> {}

export const NamedAuthInfo = struct(named("NamedAuthInfo"), {
  name: string(1).doc("Its name."),
  user: value(2, AuthInfo).doc("The user."),
}).doc("A user by a name.");
export interface NamedAuthInfo extends Infer<typeof NamedAuthInfo> {}

export const NamedContext = struct(named("NamedContext"), {
  name: string(1).doc("Its name."),
  context: value(2, Context).doc("The context."),
}).doc("A context by its name.");
export interface NamedContext extends Infer<typeof NamedContext> {}

const Preferences = struct(named("Preferences"), {
  colors: bool(1).doc("Whether output should have colours."),
  extensions: list(2, NamedExtension).doc("Data of other programs."),
}).doc("The user's preferences.");

export const Kubeconfig = struct(named("Config"), {
  kind: string(1).doc("Config."),
  apiVersion: string(2).doc("v1."),
  preferences: message(3, Preferences).doc("The user's preferences."),
  clusters: list(4, NamedCluster).doc("Clusters by name."),
  users: list(5, NamedAuthInfo).doc("Users by name."),
  contexts: list(6, NamedContext).doc("Contexts by name."),
  "current-context": string(7).doc("The name of the context in use."),
  extensions: list(8, NamedExtension).doc("Data of other programs."),
}).doc("Clusters, users, and the contexts that combine them.");
/** A kubeconfig as it is written, including unknown fields. */
export interface Kubeconfig extends Infer<typeof Kubeconfig> {}

/** The named lists of a kubeconfig, and the field that holds each entry's value. */
export const sections = { clusters: "cluster", users: "user", contexts: "context" } as const;
export type Section = keyof typeof sections;

/** An entry of a section. */
export interface SectionValues {
  readonly clusters: Cluster;
  readonly users: AuthInfo;
  readonly contexts: Context;
}

/** The entries of a section by name, in order. */
export function entriesOf<S extends Section>(
  config: Kubeconfig,
  section: S,
): Map<string, SectionValues[S]> {
  const entries = new Map<string, SectionValues[S]>();
  for (const item of (config[section] ?? []) as readonly Readonly<Record<string, unknown>>[])
    entries.set(String(item.name ?? ""), (item[sections[section]] ?? {}) as SectionValues[S]);
  return entries;
}

/** The kubeconfig with these entries in a section; other fields of existing entries are kept. */
export function withEntries<S extends Section>(
  config: Kubeconfig,
  section: S,
  entries: ReadonlyMap<string, SectionValues[S]>,
): Kubeconfig {
  const before = new Map(
    ((config[section] ?? []) as readonly { readonly name?: string }[]).map((item) => [
      item.name ?? "",
      item,
    ]),
  );
  const items = [...entries].map(([name, entry]) => ({
    ...before.get(name),
    name,
    [sections[section]]: entry,
  }));
  return sameJson(items, config[section] ?? []) ? config : { ...config, [section]: items };
}

/** Whether a kubeconfig is empty. */
export function isEmptyKubeconfig(config: Kubeconfig): boolean {
  return (
    !config.clusters?.length &&
    !config.users?.length &&
    !config.contexts?.length &&
    !config["current-context"] &&
    !config.extensions?.length &&
    !config.preferences?.colors &&
    !config.preferences?.extensions?.length
  );
}
