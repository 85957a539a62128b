import { bool, list, string, strings, value, wrappedList } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { stringType } from "../../../schema/language/type.ts";
import { typeMeta } from "./type-meta.ts";

export const GroupVersionForDiscovery = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery",
  {
    groupVersion: string(1).always().expected().doc("Group and version, such as `apps/v1`."),
    version: string(2).always().expected().doc("The version alone, such as `v1`."),
  },
).doc("One version of an API group.");
export interface GroupVersionForDiscovery extends Infer<typeof GroupVersionForDiscovery> {}

export const ServerAddressByClientCIDR = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR",
  {
    clientCIDR: string(1).always().expected().doc("The network that a client is in."),
    serverAddress: string(2).always().expected().doc("Where such a client reaches the server."),
  },
).doc("Where clients of a network find the server.");
export interface ServerAddressByClientCIDR extends Infer<typeof ServerAddressByClientCIDR> {}

export const APIGroup = struct("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup", {
  ...typeMeta,
  name: string(1).always().expected().doc("Name of the group."),
  versions: list(2, GroupVersionForDiscovery)
    .always()
    .expected()
    .atomic()
    .doc("The versions it is served in."),
  preferredVersion: value(3, GroupVersionForDiscovery).doc("The version a client should use."),
  serverAddressByClientCIDRs: list(4, ServerAddressByClientCIDR)
    .atomic()
    .doc("Where clients reach the server, by their network."),
}).doc("An API group, and the versions it is served in.");
export interface APIGroup extends Infer<typeof APIGroup> {}

export const APIGroupList = struct("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList", {
  ...typeMeta,
  groups: list(1, APIGroup).always().expected().atomic().doc("The groups."),
}).doc("The API groups that are served.");
export interface APIGroupList extends Infer<typeof APIGroupList> {}

export const APIVersions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions", {
  ...typeMeta,
  versions: strings(1).always().expected().atomic().doc("The versions it is served in."),
  serverAddressByClientCIDRs: list(2, ServerAddressByClientCIDR)
    .always()
    .expected()
    .atomic()
    .doc("Where clients reach the server, by their network."),
}).doc("The versions of the group without a name.");
export interface APIVersions extends Infer<typeof APIVersions> {}

export const APIResource = struct("io.k8s.apimachinery.pkg.apis.meta.v1.APIResource", {
  name: string(1).always().expected().doc("Plural name, with the subresource after a slash."),
  singularName: string(6).always().expected().doc("Singular name, for people."),
  namespaced: bool(2).always().expected().doc("Whether its objects live in namespaces."),
  group: string(8).doc("Group of the kind, where it is not that of the list."),
  version: string(9).doc("Version of the kind, where it is not that of the list."),
  kind: string(3).always().expected().doc("The kind of its objects."),
  verbs: wrappedList(4, stringType, "v1.Verbs")
    .always()
    .expected()
    .doc("What can be done with it."),
  shortNames: strings(5).atomic().doc("Shorter names that kubectl takes."),
  categories: strings(7).atomic().doc("Groups of resources it belongs to, such as `all`."),
  storageVersionHash: string(10).doc("Changes when objects are stored in another version."),
}).doc("A resource, and what can be done with it.");
export interface APIResource extends Infer<typeof APIResource> {}

export const APIResourceList = struct("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList", {
  ...typeMeta,
  groupVersion: string(1).always().expected().doc("Group and version of the resources."),
  resources: list(2, APIResource).always().expected().atomic().doc("The resources."),
}).doc("The resources of one version of a group.");
export interface APIResourceList extends Infer<typeof APIResourceList> {}
