import { apiVersionOf } from "../../schema/language/kind.ts";
import type { AnyKind } from "../objects/object.ts";
import { type Resources, servedSubresources } from "../objects/resources.ts";

/** Hashes a text, for the storage version of a resource. */
export type Hash = (text: string) => Uint8Array;

const serverAddresses = (address: string) => [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];

/** `/api`: the versions of the core group. */
export const coreVersions = (address: string): object => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: serverAddresses(address),
});

/** `/apis`: the named groups. */
export const groupList = ({ groups }: Pick<Resources, "groups">): object => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups
    .filter(({ name }) => name !== "")
    .map(({ name, versions }) => groupEntry(name, versions)),
});

/** `/apis/GROUP`. */
export function group({ groups }: Pick<Resources, "groups">, name: string): object | undefined {
  const found = name === "" ? undefined : groups.find((entry) => entry.name === name);
  return found && { kind: "APIGroup", apiVersion: "v1", ...groupEntry(name, found.versions) };
}

function groupEntry(name: string, versions: readonly string[]) {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1` and `/apis/GROUP/VERSION`: the resources of one version. */
export function resourceList(
  resources: Resources,
  at: { readonly group: string; readonly version: string },
  storageHash: (kind: AnyKind) => string,
): object | undefined {
  const kinds = resources.of(at.group, at.version);
  if (kinds.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(at.group !== "" && { apiVersion: "v1" }),
    groupVersion: apiVersionOf(at),
    resources: kinds.flatMap((kind) => [resource(kind, storageHash(kind)), ...subresources(kind)]),
  };
}

const resource = (kind: AnyKind, storageVersionHash: string) => ({
  name: kind.plural,
  singularName: kind.singular,
  namespaced: kind.scope === "Namespaced",
  kind: kind.kind,
  verbs: kind.verbs,
  ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
  ...(kind.categories.length > 0 && { categories: kind.categories }),
  ...(kind.isStored && { storageVersionHash }),
});

const subresources = (kind: AnyKind) =>
  servedSubresources(kind).map((name) => {
    const { response, verbs } = subresourceShape(kind, name);
    return {
      name: `${kind.plural}/${name}`,
      singularName: "",
      namespaced: kind.scope === "Namespaced",
      ...(response.group !== kind.group && { group: response.group, version: response.version }),
      kind: response.kind,
      verbs,
    };
  });

/** The kind and the verbs of a subresource. */
function subresourceShape(kind: AnyKind, name: string) {
  if (name === "scale")
    return {
      response: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: ["get", "patch", "update"],
    };
  if (name === "binding")
    return { response: { group: "", version: "v1", kind: "Binding" }, verbs: ["create"] };
  if (name === "eviction")
    return { response: { group: "policy", version: "v1", kind: "Eviction" }, verbs: ["create"] };
  if (name === "token")
    return {
      response: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
      verbs: ["create"],
    };
  const connection = connections[name];
  const response = {
    group: kind.group,
    version: kind.version,
    kind: `${kind.kind}${connection?.options ?? ""}`,
  };
  if (connection) return { response, verbs: connection.verbs };
  return { response, verbs: name === "finalize" ? ["update"] : ["get", "patch", "update"] };
}

/** Connections, with the kind of their options. */
const connections: Readonly<
  Record<string, { readonly options: string; readonly verbs: readonly string[] }>
> = {
  attach: { options: "AttachOptions", verbs: ["create", "get"] },
  exec: { options: "ExecOptions", verbs: ["create", "get"] },
  log: { options: "", verbs: ["get"] },
  portforward: { options: "PortForwardOptions", verbs: ["create", "get"] },
  proxy: { options: "ProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] },
};

/** Aggregated discovery: all groups in one document. `remote` has the resources of other servers. */
export function aggregated(
  resources: Pick<Resources, "groups" | "of"> & {
    remote?(group: string, version: string): object | undefined;
  },
  which: "core" | "named",
): object {
  const groups = resources.groups.filter(({ name }) => (name === "") === (which === "core"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((version) => {
        const remote = resources.remote?.(name, version);
        if (remote) return remote;
        const kinds = resources.of(name, version);
        if (kinds.length === 0) return { version, freshness: "Stale" };
        return { version, resources: kinds.map(discovered), freshness: "Current" };
      }),
    })),
  };
}

const discovered = (kind: AnyKind) => ({
  resource: kind.plural,
  responseKind: responseKind(kind, kind),
  scope: kind.scope,
  singularResource: kind.singular,
  verbs: kind.verbs,
  ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
  ...(kind.categories.length > 0 && { categories: kind.categories }),
  ...(servedSubresources(kind).length > 0 && {
    subresources: servedSubresources(kind).map((name) => {
      const { response, verbs } = subresourceShape(kind, name);
      return { subresource: name, responseKind: responseKind(kind, response), verbs };
    }),
  }),
});

/** The kind of a response; declared kinds do not repeat their own group and version. */
function responseKind(kind: AnyKind, response: Pick<AnyKind, "group" | "version" | "kind">) {
  const isTold = !kind.struct || response.group !== kind.group;
  const { group, version } = isTold ? response : { group: "", version: "" };
  return { group, version, kind: response.kind };
}
