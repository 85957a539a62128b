import { apiVersionOf } from "../../schema/language/kind.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { now, type Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { trackFields } from "../verbs/patch/field-management.ts";

/** Who made an IPAddress, as a label says. */
export const managedBy = "ipaddress.kubernetes.io/managed-by";
export const allocatorName = "ipallocator.k8s.io";
export const familyLabel = "ipaddress.kubernetes.io/ip-family";

/** The service that an address belongs to. */
export interface Parent {
  readonly namespace: string;
  readonly name: string;
}

export type MakeIpAddress = (address: string, service: Parent) => ApiObject;

/** Makes the objects that say whose an address is, as a client of the API would have them made. */
export function ipAddressMaker(registry: () => Registry, kind: AnyKind): MakeIpAddress {
  /** Who owns the fields of all of them, which are the same; worked out once. */
  let owners: ObjectDraft["metadata"]["managedFields"];
  return (address, { namespace, name }) => {
    const time = now(registry());
    const draft: ObjectDraft = {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: {
        name: address,
        labels: {
          [familyLabel]: familyOfName(address),
          [managedBy]: allocatorName,
        },
      },
      spec: { parentRef: { resource: "services", namespace, name } },
    };
    if (!owners) {
      const write = { draft, old: undefined, context: serverContext() };
      trackFields(registry(), { kind, subresource: "" }, write);
      owners = draft.metadata.managedFields;
    }
    draft.metadata.managedFields = owners?.map((entry) => ({ ...entry, time }));
    draft.metadata.uid = registry().entropy.uuid();
    draft.metadata.creationTimestamp = time;
    return kind.form.canonical(draft) as ApiObject;
  };
}

/** The family of an address in its canonical form. */
export const familyOfName = (address: string): "IPv4" | "IPv6" =>
  address.includes(":") ? "IPv6" : "IPv4";
