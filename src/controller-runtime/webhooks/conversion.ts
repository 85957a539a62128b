import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ConversionHandler } from "./webhook-definition.ts";

/** How objects of a version become those of the hub, the version in between, and the other way round. */
export interface Conversion<Hub, HubInput> {
  readonly version: ResourceKind<KubernetesObject>;
  // Methods, so that conversions of any version fit into one list.
  toHub(object: KubernetesObject): HubInput;
  fromHub(object: Hub): object;
}

export interface ConversionDefinition<V extends KubernetesObject, VI, Hub, HubInput> {
  readonly hub: ResourceKind<Hub, HubInput>;
  readonly version: ResourceKind<V, VI>;
  /** Returns the object in the hub's version. Metadata, apiVersion and kind are kept where it has none. */
  toHub(object: V): NoInfer<HubInput>;
  /** Returns the object in this version. */
  fromHub(object: Hub): NoInfer<VI>;
}

/**
 * Declares how a version of a custom kind is converted:
 *
 * ```ts
 * conversion({
 *   hub: Widget,
 *   version: WidgetV1beta1,
 *   toHub: ({ spec }) => ({ spec: { size: Number(spec.size) } }),
 *   fromHub: ({ spec }) => ({ spec: { size: String(spec.size) } }),
 * });
 * ```
 */
export function conversion<V extends KubernetesObject, VI, Hub extends KubernetesObject, HI>(
  definition: ConversionDefinition<V, VI, Hub, HI>,
): Conversion<Hub, HI> {
  const { version } = definition;
  return {
    version,
    toHub: (object) => definition.toHub(object as V),
    fromHub: (object) => definition.fromHub(object) as object,
  };
}

/** Converts objects through the hub. */
export function conversionHandler<Hub extends KubernetesObject, HI>(
  hub: ResourceKind<Hub, HI>,
  conversions: readonly Conversion<Hub, HI>[],
): ConversionHandler {
  const others = new Map(conversions.map((one) => [apiVersionOf(one.version), one]));
  const between = (apiVersion: string): Conversion<Hub, HI> | undefined => {
    if (apiVersion === apiVersionOf(hub)) return undefined;
    const found = others.get(apiVersion);
    if (found) return found;
    throw new Error(`${hub.kind} has no version ${quote(apiVersion)}`);
  };
  return async ({ desiredAPIVersion, objects }) => {
    const to = between(desiredAPIVersion);
    return objects.map((object) => {
      if (object.apiVersion === desiredAPIVersion) return object;
      const from = between(object.apiVersion);
      const inHub = from ? completed(from.toHub(object), object, apiVersionOf(hub)) : object;
      return to ? completed(to.fromHub(inHub as Hub), object, desiredAPIVersion) : inHub;
    });
  };
}

/** A converted object; of its metadata, servers take labels and annotations only. */
function completed(converted: unknown, from: KubernetesObject, apiVersion: string) {
  if (!isMap(converted)) throw new TypeError(`the converted ${from.kind} is no object`);
  const { apiVersion: _, kind: _kind, metadata, ...rest } = converted;
  const { labels, annotations } = { ...from.metadata, ...(isMap(metadata) ? metadata : {}) };
  return {
    apiVersion,
    kind: from.kind,
    metadata: { ...from.metadata, labels, annotations },
    ...rest,
  };
}
