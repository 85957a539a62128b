import { message, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isValidIp } from "../../../schema/values/ip.ts";
import {
  isDns1123Subdomain,
  type Messages,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue, type UpdateCheck } from "../../meta/v1/kind.ts";

/** All versions of the kind, which are equal. */
export function ipAddressIn(version: string) {
  return {
    group: "networking.k8s.io",
    version,
    kind: "IPAddress",
    plural: "ipaddresses",
    shortNames: ["ip"],
    scope: "Cluster",
    doc: "An address that is taken; its name is the address.",
    name: (name: string): Messages => isValidIp(name),
    fields: fieldsOf(version),
    rules: [validateIpAddress],
    firstUpdateRules: (_object: Body, _old: Body, { create }: UpdateCheck) => create(),
    updateRules({ spec }: Body, old: Body, { at }: UpdateCheck): void {
      if (!sameValue(spec.parentRef, old.spec.parentRef))
        at.invalid("spec.parentRef", shownParent(spec.parentRef), "field is immutable");
    },
    columns: [
      nameColumn,
      {
        name: "ParentRef",
        type: "string",
        description:
          "ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.",
        cell: ({ spec }: Body) => formatParent(spec.parentRef),
      },
      { ...ageColumn, unnamed: true },
    ],
  } as const;
}

export const IPAddress = kind(ipAddressIn("v1"));
export interface IPAddress extends ObjectOf<typeof IPAddress> {}

function fieldsOf(version: string) {
  const ParentReference = struct(`io.k8s.api.networking.${version}.ParentReference`, {
    group: string(1).doc("API group of the object; without it, the core group."),
    resource: string(2).expected().doc("Resource of the object, in the plural."),
    namespace: string(3).doc("Namespace of the object."),
    name: string(4).expected().doc("Name of the object."),
  }).doc("The object that an address belongs to.");
  const IPAddressSpec = struct(`io.k8s.api.networking.${version}.IPAddressSpec`, {
    parentRef: message(1, ParentReference)
      .expected()
      .doc("The object that the address belongs to. Never changes."),
  }).doc("Whom an address belongs to.");
  return { spec: value(2, IPAddressSpec).expected().doc("Whom the address belongs to.") };
}
type Body = ObjectValue<ReturnType<typeof fieldsOf>>;
type Parent = Body["spec"]["parentRef"] | undefined;

function validateIpAddress({ spec }: Body, at: At): void {
  const parent: Parent = spec.parentRef;
  if (!parent) {
    at.required("spec.parentRef");
    return;
  }
  const here = at.child("spec").child("parentRef");
  const { group, resource, name, namespace } = parent;
  if (group) here.invalidEach("group", group, isDns1123Subdomain(group));
  if (!resource) here.required("resource");
  else here.invalidEach("resource", resource, pathSegmentName(resource));
  if (!name) here.required("name");
  else here.invalidEach("name", name, pathSegmentName(name));
  if (namespace) here.invalidEach("namespace", namespace, pathSegmentName(namespace));
}

/** A reference as upstream holds it in memory, and shows it. */
const shownParent = (parent: Parent): object | null =>
  parent
    ? {
        Group: parent.group ?? "",
        Resource: parent.resource ?? "",
        Namespace: parent.namespace ?? "",
        Name: parent.name ?? "",
      }
    : null;

function formatParent(parent: Parent): string {
  if (!parent) return "<none>";
  const { group, resource, namespace, name } = parent;
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
  return [kind, ...(namespace ? [namespace] : []), name].join("/");
}
