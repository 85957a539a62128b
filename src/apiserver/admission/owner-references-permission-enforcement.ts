import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { quote } from "../../schema/values/quote.ts";
import {
  type Attributes as RequestedAccess,
  resourceAttributes,
} from "../authorization/attributes.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { Resources } from "../objects/resources.ts";
import type { AdmissionPlugin, Attributes } from "./admission.ts";
import type { PluginSetup } from "./plugins.ts";
import { rejection } from "./rejection.ts";

/** Changing owners needs the right to delete the object; blocking an owner, to set its finalizers. */
export function ownerReferencesPermissionEnforcement({
  access,
  resources,
}: Pick<PluginSetup, "access" | "resources">): AdmissionPlugin {
  /** The reason why something is not allowed; undefined if it is. */
  const denied: Denied = async (attributes) => {
    const { verdict, reason } = await access.authorizer.authorize(attributes);
    return verdict === "allow" ? undefined : `${reason}, <nil>`;
  };
  return {
    name: "OwnerReferencesPermissionEnforcement",
    operations: ["CREATE", "UPDATE"],

    async validate(attributes) {
      const { operation, address, subresource, object, old } = attributes;
      const { group, plural } = address.kind;
      // Old kubelets spoil the owners there, but cannot change them.
      if (group === "" && plural === "pods" && subresource === "status") return;
      const [now, before] = [ownersOf(object), ownersOf(old)];
      if (sameJson(now, before)) return;
      // A caller that creates an object need not be allowed to delete it.
      if (operation !== "CREATE") await checkDeletion(attributes, denied);
      const blocking = newlyBlocking(now, before);
      if (blocking.length > 0) await checkOwners(attributes, { resources, blocking, denied });
    },
  };
}

type Denied = (attributes: RequestedAccess) => Promise<string | undefined>;

async function checkDeletion(attributes: Attributes, denied: Denied): Promise<void> {
  const { address, subresource, context } = attributes;
  const { group, version, plural: resource } = address.kind;
  const namespace = namespaceOf(attributes);
  const own = { group, version, resource, subresource, namespace, name: address.name };
  const why = await denied(resourceAttributes(context.user, "delete", own));
  if (why !== undefined)
    throw rejection(attributes, `cannot set an ownerRef on a resource you can't delete: ${why}`);
}

async function checkOwners(
  attributes: Attributes,
  {
    resources,
    blocking,
    denied,
  }: { resources: Resources; blocking: readonly OwnerReference[]; denied: Denied },
): Promise<void> {
  const { user } = attributes.context;
  const anything = { group: "*", version: "*", resource: "*", name: "*" };
  if ((await denied(finalizersOf(user, anything))) === undefined) return;
  const owners = blocking.flatMap((ref) =>
    kindsOf(resources, ref, (why) => rejection(attributes, why)).map((kind) => ({ kind, ref })),
  );
  for (const { kind, ref } of owners) {
    const { group, version, plural: resource } = kind;
    // An owner that is in a namespace is in that of the object.
    const namespace = kind.scope === "Namespaced" ? namespaceOf(attributes) : "";
    const owner = { group, version, resource, name: ref.name, namespace };
    const why = await denied(finalizersOf(user, owner));
    if (why !== undefined)
      throw rejection(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
      );
  }
}

const ownersOf = (object: Partial<ApiObject> | undefined): readonly OwnerReference[] =>
  object?.metadata?.ownerReferences ?? [];

/** A request for a namespace is one in that namespace. */
const namespaceOf = ({ address }: Attributes): string =>
  address.kind.group === "" && address.kind.plural === "namespaces"
    ? address.name
    : address.namespace;

/** The owners that are held, and were not before. */
function newlyBlocking(
  now: readonly OwnerReference[],
  before: readonly OwnerReference[],
): readonly OwnerReference[] {
  const held = new Map(before.map(({ uid, blockOwnerDeletion }) => [uid, blockOwnerDeletion]));
  return now.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !held.get(uid));
}

const finalizersOf = (
  user: RequestedAccess["user"],
  owner: Partial<RequestedAccess>,
): RequestedAccess => resourceAttributes(user, "update", { ...owner, subresource: "finalizers" });

/** The kinds that a reference may name: its version does not count. */
function kindsOf(
  resources: Resources,
  { apiVersion, kind }: OwnerReference,
  refuse: (why: string) => Error,
): readonly AnyKind[] {
  const parts = apiVersion.split("/");
  const [group = ""] = parts.length > 1 ? parts : [""];
  const unknown = (why: string) =>
    refuse(
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
    );
  if (parts.length > 2) throw unknown(`unexpected GroupVersion string: ${apiVersion}`);
  const found = resources.kinds.filter((one) => one.group === group && one.kind === kind);
  if (found.length === 0)
    throw unknown(`no matches for kind ${quote(kind)} in version ${quote(apiVersion)}`);
  return found.filter((one, i) => found.findIndex(({ plural }) => plural === one.plural) === i);
}
