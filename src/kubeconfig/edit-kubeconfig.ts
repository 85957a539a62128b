import { readFile } from "node:fs/promises";
import { quote } from "../schema/values/quote.ts";
import { fileFault } from "./file-fault.ts";
import {
  type AuthInfo,
  type Cluster,
  entriesOf,
  type Kubeconfig,
  type Section,
  type SectionValues,
  withEntries,
} from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

/** A context as `kubectl config get-contexts` lists it. */
export interface ContextSummary {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** The contexts of a kubeconfig, by name. */
export function listContexts(config: Kubeconfig): ContextSummary[] {
  const summaries = [...entriesOf(config, "contexts")].map(([name, context]) => ({
    name,
    isCurrent: name === config["current-context"],
    cluster: context.cluster ?? "",
    user: context.user ?? "",
    namespace: context.namespace ?? "",
  }));
  return summaries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The kubeconfig with another current context. */
export function useContext(config: Kubeconfig, name: string): Kubeconfig {
  if (name === "") throw new KubeconfigError("empty context names are not allowed");
  if (!entriesOf(config, "contexts").has(name))
    throw new KubeconfigError(`no context exists with the name: ${quote(name)}`);
  return { ...config, "current-context": name };
}

/** The kubeconfig with a context under another name; it stays current if it was. */
export function renameContext(config: Kubeconfig, from: string, to: string): Kubeconfig {
  const contexts = entriesOf(config, "contexts");
  const context = contexts.get(from);
  if (to === "") throw new KubeconfigError("You must specify a new non-empty context name");
  if (!context)
    throw new KubeconfigError(`cannot rename the context ${quote(from)}, it's not in the config`);
  if (contexts.has(to))
    throw new KubeconfigError(
      `cannot rename the context ${quote(from)}, the context ${quote(to)} already exists in the config`,
    );
  contexts.delete(from);
  const renamed = withEntries(config, "contexts", contexts.set(to, context));
  return config["current-context"] === from ? { ...renamed, "current-context": to } : renamed;
}

/**
 * The kubeconfig with members of a cluster, user or context set; creates the entry if needed. A member
 * that is undefined is removed.
 */
export function setEntry<S extends Section>(
  config: Kubeconfig,
  section: S,
  { name, ...change }: { readonly name: string } & Partial<SectionValues[S]>,
): Kubeconfig {
  const entries = entriesOf(config, section);
  const changed = Object.entries({ ...entries.get(name), ...change }).filter(
    ([, member]) => member !== undefined,
  );
  const entry = Object.fromEntries(changed) as unknown as SectionValues[S];
  return withEntries(config, section, entries.set(name, entry));
}

/** The kubeconfig without a cluster, user or context. */
export function deleteEntry(config: Kubeconfig, section: Section, name: string): Kubeconfig {
  const entries = entriesOf(config, section);
  if (!entries.delete(name))
    throw new KubeconfigError(`cannot delete ${section.slice(0, -1)} ${name}, not in the config`);
  return withEntries(config, section, entries as Map<string, never>);
}

/** Only the entries that the current context uses. */
export function minifiedKubeconfig(config: Kubeconfig): Kubeconfig {
  const current = config["current-context"];
  if (!current) throw new KubeconfigError("current-context must exist in order to minify");
  const context = entriesOf(config, "contexts").get(current);
  if (!context) throw new KubeconfigError(`cannot locate context ${current}`);
  const { user, cluster } = context;
  if (cluster && !entriesOf(config, "clusters").has(cluster))
    throw new KubeconfigError(`cannot locate cluster ${cluster}`);
  if (user && !entriesOf(config, "users").has(user))
    throw new KubeconfigError(`cannot locate user ${user}`);
  const only = <T extends { readonly name?: string | undefined }>(
    items: readonly T[] | null | undefined,
    name: string | undefined,
  ): T[] => (items ?? []).filter((item) => name !== undefined && item.name === name);
  return {
    ...config,
    contexts: only(config.contexts, current),
    clusters: only(config.clusters, cluster),
    users: only(config.users, user),
  };
}

/** The kubeconfig with the content of referenced files embedded; its paths must be resolved. */
export async function flattenedKubeconfig(config: Kubeconfig): Promise<Kubeconfig> {
  const users = new Map<string, AuthInfo>();
  for (const [name, user] of entriesOf(config, "users")) {
    const withCertificate = await embedded(user, "client-certificate", "client-certificate-data");
    users.set(name, await embedded(withCertificate, "client-key", "client-key-data"));
  }
  const clusters = new Map<string, Cluster>();
  for (const [name, cluster] of entriesOf(config, "clusters"))
    clusters.set(
      name,
      await embedded(cluster, "certificate-authority", "certificate-authority-data"),
    );
  return withEntries(withEntries(config, "users", users), "clusters", clusters);
}

async function embedded<T extends object>(
  entry: T,
  file: keyof T & string,
  data: keyof T & string,
): Promise<T> {
  const { [file]: path, ...rest } = entry;
  if (!path) return entry;
  if (entry[data]) throw new KubeconfigError("cannot have values for both path and contents");
  try {
    const content = await readFile(String(path));
    return { ...rest, [data]: content.toString("base64") } as unknown as T;
  } catch (cause) {
    throw new KubeconfigError(fileFault("open", String(path), cause), { cause });
  }
}
