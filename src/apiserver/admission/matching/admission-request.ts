import type { AnyKind } from "../../objects/object.ts";
import { type Attributes, operationOptions } from "../admission.ts";
import { type KindName, objectKindIn, requestedNamespace } from "./requested.ts";

/** A resource in one version. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request as webhooks and expressions see it, without its objects; what is empty is left out. */
export interface AdmissionRequest {
  readonly kind: KindName;
  readonly resource: ResourceName;
  readonly subResource?: string;
  readonly requestKind: KindName;
  readonly requestResource: ResourceName;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Attributes["operation"];
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly dryRun: boolean;
  /** Null where there are none. */
  readonly options: object | null;
}

/** The request whose object is seen as a kind; the members are in the order in which upstream writes them. */
export function admissionRequest(attributes: Attributes, seenAs: AnyKind): AdmissionRequest {
  const { operation, address, subresource, context } = attributes;
  const { name: username, uid, groups, extra = {} } = context.user;
  const namespace = requestedNamespace(attributes);
  return {
    kind: objectKindIn(seenAs, attributes),
    resource: resourceName(seenAs),
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: objectKindIn(address.kind, attributes),
    requestResource: resourceName(address.kind),
    ...(subresource !== "" && { requestSubResource: subresource }),
    ...(address.name !== "" && { name: address.name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: {
      ...(username !== "" && { username }),
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(Object.keys(extra).length > 0 && { extra }),
    },
    dryRun: context.dryRun,
    options: operationOptions(attributes) ?? null,
  };
}

const resourceName = ({ group, version, plural }: AnyKind): ResourceName => ({
  group,
  version,
  resource: plural,
});
