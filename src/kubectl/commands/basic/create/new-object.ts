import { sortedKeys } from "../../../../schema/values/utf8-order.ts";

/** An object whose members are in the order of Go's structs, as upstream prints it. */
export interface NewObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: NewMetadata;
  readonly [member: string]: unknown;
}

export interface NewMetadata {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: StringMap | undefined;
  readonly annotations?: StringMap | undefined;
  readonly ownerReferences?: readonly object[] | undefined;
}

type StringMap = Readonly<Record<string, string>>;

/** An object of a kind, given as `apps/v1 Deployment`. */
export function newObject(type: string, metadata: NewMetadata, members: object): NewObject {
  const [apiVersion = "", kind = ""] = type.split(" ");
  return { kind, apiVersion, metadata: newMetadata(metadata), ...members };
}

function newMetadata(given: NewMetadata): NewMetadata {
  const { name, namespace = "", labels, annotations, ownerReferences = [] } = given;
  return {
    name,
    ...(namespace !== "" && { namespace }),
    ...mapMember("labels", labels),
    ...mapMember("annotations", annotations),
    ...(ownerReferences.length > 0 && { ownerReferences }),
  };
}

/** A member that Go leaves out if it is empty, with its keys sorted. */
export function mapMember<V>(
  name: string,
  map: Readonly<Record<string, V>> | undefined,
): Readonly<Record<string, Readonly<Record<string, V>>>> {
  const keys = sortedKeys(map ?? {});
  if (map === undefined || keys.length === 0) return {};
  return { [name]: Object.fromEntries(keys.map((key) => [key, map[key] as V])) };
}
