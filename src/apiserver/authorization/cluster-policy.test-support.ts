import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import { rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { User } from "../request/identity.ts";
import { removeObject } from "../verbs/delete.ts";
import { resources } from "../verbs/verb-parts.test-support.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { type Attributes, pathAttributes, resourceAttributes } from "./attributes.ts";

/** A role or a binding, as tests write it: in a namespace, or of the cluster where there is none. */
export interface PolicyObject {
  readonly kind: "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding";
  readonly namespace?: string;
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly Subject[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
}

/** Writes an object of a policy, whatever is there. */
export async function writePolicy(parts: VerbParts, object: PolicyObject): Promise<void> {
  const { kind: name, namespace, roleRef, ...rest } = object;
  const address = addressOf(object);
  const whole = {
    kind: name,
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name: object.name, ...(namespace !== undefined && { namespace }) },
    ...(rest.rules && { rules: rest.rules }),
    ...(rest.subjects && { subjects: rest.subjects }),
    ...(roleRef && { roleRef: { apiGroup: rbacGroup, ...roleRef } }),
  };
  const ifRevision = parts.reader.cache.of(address.kind).get(keyIn(address))?.revision ?? 0;
  await parts.committer.put(address, { object: whole as ApiObject, ifRevision });
}

export async function removePolicy(parts: VerbParts, object: PolicyObject): Promise<void> {
  const address = addressOf(object);
  const found = parts.reader.cache.of(address.kind).get(keyIn(address));
  if (found) await removeObject(parts, address, found.revision);
}

function addressOf({ kind: name, namespace = "", name: own }: PolicyObject): Address {
  const kind = resources.findKind(rbacGroup, "v1", name) as AnyKind;
  return { kind, namespace, name: own };
}

const keyIn = ({ kind, namespace, name }: Address): string =>
  `/registry/${kind.storagePrefix}/${namespace === "" ? "" : `${namespace}/`}${name}`;

export const user = (name: string): Subject => ({ kind: "User", apiGroup: rbacGroup, name });
export const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbacGroup, name });
export const account = (name: string, namespace?: string): Subject => ({
  kind: "ServiceAccount",
  name,
  ...(namespace !== undefined && { namespace }),
});

/** A request in words: `get pods/log named web in team`, `list deployments.apps`, `get /healthz`. */
export function asked(who: User, request: string): Attributes {
  const path = /^(\S+) (\/\S*)$/.exec(request);
  if (path) return pathAttributes(who, path[1] ?? "", path[2] ?? "");
  const words = /^(\S+) ([\w*-]+)(?:\.([\w.-]+))?(?:\/(\S+))?(?: named (\S+))?(?: in (\S+))?$/.exec(
    request,
  );
  if (!words) throw new Error(`no request: ${request}`);
  const [, verb = "", resource = "", groupName = "", subresource = "", name = "", namespace = ""] =
    words;
  return resourceAttributes(who, verb, {
    group: groupName,
    resource,
    subresource,
    name,
    namespace,
  });
}
