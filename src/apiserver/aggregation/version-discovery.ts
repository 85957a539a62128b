/** The resources of one version of a group, in the form of aggregated discovery. */
export interface VersionDiscovery {
  readonly version: string;
  readonly resources?: readonly object[];
  /** Whether the server that serves them could be reached. */
  readonly freshness?: "Current" | "Stale";
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The versions in an APIGroupDiscoveryList of another server, by group and version: `apps/v1`. */
export function discoveredVersions(list: unknown): Map<string, VersionDiscovery> {
  const found = new Map<string, VersionDiscovery>();
  for (const group of objectsIn(fieldsOf(list).items)) {
    const name = textIn(fieldsOf(group.metadata).name);
    for (const entry of objectsIn(group.versions)) {
      const version = textIn(entry.version);
      const resources = objectsIn(entry.resources).map(resourceOf);
      found.set(`${name}/${version}`, {
        version,
        ...(resources.length > 0 && { resources }),
      });
    }
  }
  return found;
}

const resourceOf = (resource: Fields): Fields => ({
  resource: textIn(resource.resource),
  responseKind: kindIn(resource.responseKind),
  scope: textIn(resource.scope),
  singularResource: textIn(resource.singularResource),
  verbs: textsIn(resource.verbs) ?? null,
  ...names(resource),
  ...nonEmpty("subresources", objectsIn(resource.subresources).map(subresourceOf)),
});

const subresourceOf = (subresource: Fields): Fields => ({
  subresource: textIn(subresource.subresource),
  responseKind: kindIn(subresource.responseKind),
  ...nonEmpty("acceptedTypes", objectsIn(subresource.acceptedTypes).map(kindIn)),
  verbs: textsIn(subresource.verbs) ?? null,
});

/** The resources of an APIResourceList, which older servers have instead. */
export function listedResources(list: unknown): Fields[] {
  const listed = objectsIn(fieldsOf(list).resources);
  const found = new Map<string, Parent>();
  for (const resource of listed) {
    const name = textIn(resource.name);
    if (name.includes("/")) continue;
    found.set(name, {
      resource: name,
      responseKind: kindIn(resource),
      scope: scopeOf(resource),
      singularResource: textIn(resource.singularName),
      verbs: textsIn(resource.verbs) ?? null,
      ...names(resource),
    });
  }
  for (const resource of listed) {
    const name = textIn(resource.name);
    const slash = name.indexOf("/");
    if (slash < 0) continue;
    const [parent, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    const scope = scopeOf(resource);
    const known = found.get(parent) ?? parentOf(parent, scope);
    if (known.scope !== scope)
      throw new Error(
        `Error: Parent ${parent} (scope: ${known.scope}) and subresource ${subresource} (scope: ${scope}) scope do not match`,
      );
    const kind = textIn(resource.kind) === "" ? kindIn({}) : kindIn(resource);
    const entry = { subresource, responseKind: kind, verbs: textsIn(resource.verbs) ?? null };
    found.set(parent, { ...known, subresources: [...(known.subresources ?? []), entry] });
  }
  return [...found.values()];
}

type Parent = Fields & { readonly scope: string; readonly subresources?: readonly Fields[] };

/** A resource of which only a subresource is known, such as the metrics of pods. */
const parentOf = (resource: string, scope: string): Parent => ({
  resource,
  responseKind: kindIn({}),
  scope,
  singularResource: "",
  verbs: null,
});

const scopeOf = ({ namespaced }: Fields): string =>
  namespaced === true ? "Namespaced" : "Cluster";

const names = ({ shortNames, categories }: Fields): Fields => ({
  ...nonEmpty("shortNames", textsIn(shortNames) ?? []),
  ...nonEmpty("categories", textsIn(categories) ?? []),
});

const nonEmpty = (name: string, list: readonly unknown[]): Fields =>
  list.length > 0 ? { [name]: list } : {};

function kindIn(value: unknown): Kind {
  const { group, version, kind } = fieldsOf(value);
  return { group: textIn(group), version: textIn(version), kind: textIn(kind) };
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
const textsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(textIn) : undefined;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const objectsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
