import { deleteEntry, setEntry } from "../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf, type Kubeconfig, type Section } from "../../kubeconfig/kubeconfig.ts";

/** The extension that marks our entries in a kubeconfig. */
const mark = "wherry.cluster";

const allSections: readonly Section[] = ["clusters", "users", "contexts"];

/** Adds a cluster's context to a kubeconfig and makes it current; throws if a foreign entry has its name. */
export function withClusterContext(
  config: Kubeconfig,
  name: string,
  admin: Kubeconfig,
): Kubeconfig {
  const foreign = foreignEntry(config, name);
  if (foreign !== undefined)
    throw new Error(
      `the kubeconfig has ${foreign} "${name}" that does not belong to this cluster: choose another cluster name with "wherry up NAME", or rename that entry`,
    );
  const [cluster] = entriesOf(admin, "clusters").values();
  const [user] = entriesOf(admin, "users").values();
  const extensions = [{ name: mark, extension: { name } }];
  const before = entriesOf(config, "contexts").get(name);
  let after = setEntry(config, "clusters", { name, ...cluster, extensions });
  after = setEntry(after, "users", { name, ...user, extensions });
  after = setEntry(after, "contexts", {
    name,
    // Keep the namespace that the user chose for this context.
    ...(before?.namespace && { namespace: before.namespace }),
    cluster: name,
    user: name,
    extensions,
  });
  return { ...after, "current-context": name };
}

/** Renews what a kubeconfig has of a cluster; entries that are missing, or are not ours, stay as they are. */
export function withRenewedCluster(
  config: Kubeconfig,
  name: string,
  admin: Kubeconfig,
): Kubeconfig {
  const extensions = [{ name: mark, extension: { name } }];
  let after = config;
  for (const section of ["clusters", "users"] as const) {
    const [renewed] = entriesOf(admin, section).values();
    if (renewed && isOurs(after, section, name))
      after = setEntry(after, section, { name, ...renewed, extensions });
  }
  return after;
}

/** Removes a cluster's entries from a kubeconfig, and makes the previous context current again. */
export function withoutClusterContext(
  config: Kubeconfig,
  name: string,
  previous: string | undefined,
): Kubeconfig {
  let after = config;
  for (const section of allSections)
    if (isOurs(after, section, name)) after = deleteEntry(after, section, name);
  const current = after["current-context"];
  if (current !== name || entriesOf(after, "contexts").has(name)) return after;
  const { "current-context": _, ...rest } = after;
  return entriesOf(after, "contexts").has(previous ?? "")
    ? { ...rest, "current-context": previous ?? "" }
    : { ...rest, "current-context": "" };
}

/** Makes the previous context current again; unchanged if there was none, or the user has switched since. */
export function withPreviousContext(
  config: Kubeconfig,
  name: string,
  previous: string | undefined,
): Kubeconfig {
  const isThere = previous !== undefined && entriesOf(config, "contexts").has(previous);
  if (config["current-context"] !== name || !isThere || !isOurs(config, "contexts", name))
    return config;
  return { ...config, "current-context": previous };
}

/** Finds an entry of this name that Wherry did not add to the kubeconfig. */
function foreignEntry(config: Kubeconfig, name: string): string | undefined {
  const found = allSections.find(
    (section) => entriesOf(config, section).has(name) && !isOurs(config, section, name),
  );
  return found && `a ${found.slice(0, -1)}`;
}

function isOurs(config: Kubeconfig, section: Section, name: string): boolean {
  const { extensions } = entriesOf(config, section).get(name) ?? {};
  return extensions?.some((one) => one.name === mark) ?? false;
}
