import type { Address } from "../objects/address.ts";
import type { ApiObject } from "../objects/object.ts";
import type { Resources } from "../objects/resources.ts";

/** An object that every new cluster has. */
export interface FirstObject {
  readonly object: ApiObject;
  /** The field manager that owns its fields, if it is not the server as such. */
  readonly fieldManager?: string;
}

/** The address of an object; undefined if its kind is not served. */
export function findAddress(
  resources: Resources,
  { apiVersion, kind: name, metadata }: Pick<ApiObject, "apiVersion" | "kind" | "metadata">,
): Address | undefined {
  const kind = resources.findVersion(apiVersion, name);
  return kind && { kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
