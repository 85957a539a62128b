import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { type Environment, now } from "../objects/environment.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { anyKind } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import { serverContext } from "../server-context.ts";
import { trackFields } from "../verbs/patch/field-management.ts";

/** The label that names the manager of an IPAddress. */
export const managedBy = "ipaddress.kubernetes.io/managed-by";
export const allocatorName = "ipallocator.k8s.io";
export const familyLabel = "ipaddress.kubernetes.io/ip-family";

/** The service that an address belongs to. */
export interface Parent {
  readonly namespace: string;
  readonly name: string;
}

export type MakeIpAddress = (address: string, service: Parent) => ApiObject;

export interface IpAddressMakerOptions {
  readonly resources: Resources;
  readonly environment: Environment;
}

/** Makes the IPAddress object of a service's address as a create through the API would. */
export function ipAddressMaker({ resources, environment }: IpAddressMakerOptions): MakeIpAddress {
  const kind = anyKind(IPAddress);
  /** The managedFields of all IPAddresses, which differ only in the time. */
  let owners: ObjectDraft["metadata"]["managedFields"];
  return (address, { namespace, name }) => {
    const time = now(environment);
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
      trackFields({ resources, environment }, { kind, subresource: "" }, write);
      owners = draft.metadata.managedFields;
    }
    draft.metadata.managedFields = owners?.map((entry) => ({ ...entry, time }));
    draft.metadata.uid = environment.entropy.uuid();
    draft.metadata.creationTimestamp = time;
    return kind.form.canonical(draft) as ApiObject;
  };
}

/** The family of an address in its canonical form. */
export const familyOfName = (address: string): "IPv4" | "IPv6" =>
  address.includes(":") ? "IPv6" : "IPv4";
