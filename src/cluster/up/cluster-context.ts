import { deleteEntry, setEntry } from "../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf, type Kubeconfig, type Section } from "../../kubeconfig/kubeconfig.ts";

/** What our entries in a kubeconfig are known by. */
const mark = "wherry.cluster";

const allSections: readonly Section[] = ["clusters", "users", "contexts"];

/** The kubeconfig with a cluster's context in it, which is the current one; throws where its name is somebody else's. */
export function withClusterContext(
  config: Kubeconfig,
  name: string,
  admin: Kubeconfig,
): Kubeconfig {
  const foreign = foreignEntry(config, name);
  if (foreign !== undefined)
    throw new Error(
      `the kubeconfig has ${foreign} "${name}" already, which is not of this cluster: choose another name with "wherry up NAME", or rename it there`,
    );
  const [cluster] = entriesOf(admin, "clusters").values();
  const [user] = entriesOf(admin, "users").values();
  const extensions = [{ name: mark, extension: { name } }];
  const before = entriesOf(config, "contexts").get(name);
  let after = setEntry(config, "clusters", { name, ...cluster, extensions });
  after = setEntry(after, "users", { name, ...user, extensions });
  after = setEntry(after, "contexts", {
    name,
    // A namespace that its user has chosen stays.
    ...(before?.namespace && { namespace: before.namespace }),
    cluster: name,
    user: name,
    extensions,
  });
  return { ...after, "current-context": name };
}

/** The kubeconfig without what was put there of a cluster; what is current goes back to what it was. */
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

/** The kubeconfig with the context current that was before a cluster's; as it is where there was none, or another is by now. */
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

/** Whether a kubeconfig has an entry of a name that is no cluster's of ours. */
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
