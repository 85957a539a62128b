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
  name: string(1).doc("Whose it is."),
  extension: raw(2).doc("Anything that they need."),
}).doc("What a program other than ours keeps in a kubeconfig.");
export interface NamedExtension extends Infer<typeof NamedExtension> {}

export const Cluster = struct(named("Cluster"), {
  server: string(1).doc("The URL of the server."),
  "tls-server-name": string(2).doc("The name in the server's certificate, where it is another."),
  "insecure-skip-tls-verify": bool(3).doc("Whether any certificate of the server will do."),
  "certificate-authority": string(4).doc("A file of who may sign the server's certificate."),
  "certificate-authority-data": bytes(5).doc("The same, PEM in base64; it wins."),
  "proxy-url": string(6).doc("The proxy by which the server is reached: http, https or socks5."),
  "disable-compression": bool(7).doc("Whether answers must not be compressed."),
  extensions: list(8, NamedExtension).doc("What others need to know."),
}).doc("Where a server is, and how it is known.");
export interface Cluster extends Infer<typeof Cluster> {}

const AuthProviderConfig = struct(named("AuthProviderConfig"), {
  name: string(1).doc("Which one."),
  config: stringMap(2).doc("Configuration of the provider."),
}).doc("A way to log in that older clients had built in.");

const ExecEnvVar = struct(named("ExecEnvVar"), {
  name: string(1).doc("Its name."),
  value: string(2).doc("Its value."),
}).doc("A variable of a plugin's environment.");

export const ExecConfig = struct(named("ExecConfig"), {
  command: string(1).doc("The program."),
  args: strings(2).doc("What it is started with."),
  env: list(3, ExecEnvVar).doc("What is in its environment beside what is in ours."),
  apiVersion: string(4).doc("The version in which it is spoken to."),
  installHint: string(5).doc("The hint for users who do not have the program."),
  provideClusterInfo: bool(6).doc("Whether it gets information about the cluster."),
  interactiveMode: string(7).doc("Whether it may ask its user: Never, IfAvailable or Always."),
}).doc("A program that knows the credentials.");
export interface ExecConfig extends Infer<typeof ExecConfig> {}

export const AuthInfo = struct(named("AuthInfo"), {
  "client-certificate": string(1).doc("A file with a certificate of the user."),
  "client-certificate-data": bytes(2).doc("The same, PEM in base64; it wins."),
  "client-key": string(3).doc("A file with its private key."),
  "client-key-data": bytes(4).doc("The same, PEM in base64; it wins."),
  token: string(5).doc("A bearer token."),
  tokenFile: string(6).doc("A file with one, which may change."),
  as: string(7).doc("In whose name calls are made."),
  "as-uid": string(8).doc("Their id."),
  "as-groups": strings(9).doc("Their groups."),
  "as-user-extra": mapOf(10, listType(stringType)).doc("What else is to be known of them."),
  username: string(11).doc("A name for basic authentication."),
  password: string(12).doc("Its password."),
  "auth-provider": message(13, AuthProviderConfig).doc("A way to log in that is gone."),
  exec: message(14, ExecConfig).doc("A program that knows the credentials."),
  extensions: list(15, NamedExtension).doc("What others need to know."),
}).doc("Who somebody is, and how they show it.");
export interface AuthInfo extends Infer<typeof AuthInfo> {}

export const Context = struct(named("Context"), {
  cluster: string(1).doc("The name of a cluster."),
  user: string(2).doc("The name of a user."),
  namespace: string(3).doc("Where objects are that do not say it."),
  extensions: list(4, NamedExtension).doc("What others need to know."),
}).doc("Somebody at a cluster.");
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
  colors: bool(1).doc("Whether there should be colours."),
  extensions: list(2, NamedExtension).doc("What others prefer."),
}).doc("What its owner prefers.");

export const Kubeconfig = struct(named("Config"), {
  kind: string(1).doc("Config."),
  apiVersion: string(2).doc("v1."),
  preferences: message(3, Preferences).doc("What its owner prefers."),
  clusters: list(4, NamedCluster).doc("Where servers are."),
  users: list(5, NamedAuthInfo).doc("Who somebody is."),
  contexts: list(6, NamedContext).doc("Who is meant where."),
  "current-context": string(7).doc("Which of the contexts counts."),
  extensions: list(8, NamedExtension).doc("What others need to know."),
}).doc("Clusters, users, and which of them belong together.");
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
