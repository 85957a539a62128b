import type { CallOptions } from "../call-options.ts";
import {
  type DynamicObject,
  dynamicKind,
  type KubernetesObject,
  type ResourceKind,
} from "../resource-kind.ts";
import type { Discovery } from "./discovery.ts";
import { NoMatchError } from "./mapping-errors.ts";
import { type KnownNames, namedKind, namedKinds } from "./resource-names.ts";
import { restMapping } from "./rest-mapping.ts";
import { parseApiVersion, type ServerApis } from "./server-apis.ts";

/** A kind that was found by discovery. */
export type DiscoveredKind = ResourceKind<DynamicObject, object>;

/**
 * Finds kinds by name. If a name is unknown, discovery runs again once, since a CustomResourceDefinition
 * may have been created meanwhile; if it is still unknown, the promise rejects with a `NoMatchError`.
 */
export interface RestMapper {
  /** Finds a kind by group and name. Default of `version`: the one that the server prefers. */
  kind(
    names: { readonly group: string; readonly kind: string; readonly version?: string | undefined },
    options?: CallOptions,
  ): Promise<DiscoveredKind>;
  kindOf(
    object: Pick<KubernetesObject, "apiVersion" | "kind">,
    options?: CallOptions,
  ): Promise<DiscoveredKind>;
  /**
   * Finds the kind of a name on a command line: `deploy`, `deployments.apps`, `deployments.v1.apps`,
   * `Deployment`.
   */
  named(text: string, options?: CallOptions): Promise<DiscoveredKind>;
  /**
   * Finds the kinds of comma-separated names, each kind once; categories expand to their kinds:
   * `all,cm`.
   */
  allNamed(text: string, options?: CallOptions): Promise<readonly DiscoveredKind[]>;
}

export interface RestMapperOptions {
  /** Called when a short name is ambiguous. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** Creates a REST mapper that uses the results of discovery. */
export function createRestMapper(
  discovery: Discovery,
  { onWarning }: RestMapperOptions = {},
): RestMapper {
  let last: KnownNames | undefined;
  const names = (apis: ServerApis): KnownNames => {
    if (last?.apis !== apis) last = { apis, mapping: restMapping(apis), onWarning };
    return last;
  };
  const search = async <T>(
    find: (known: KnownNames) => T,
    { signal }: CallOptions = {},
  ): Promise<T> => {
    const before = discovery.known;
    const apis = await discovery.apis({ signal });
    try {
      return find(names(apis));
    } catch (error) {
      const isNew = apis !== before && !apis.isFromCache;
      if (!(error instanceof NoMatchError) || isNew) throw error;
      return find(names(await discovery.apis({ newerThan: apis, signal })));
    }
  };
  const kind: RestMapper["kind"] = ({ version, ...wanted }, options) => {
    const versions = version === undefined ? [] : [version];
    return search(({ mapping }) => dynamicKind(mapping.mappingOf(wanted, versions)), options);
  };

  return {
    kind,
    kindOf: ({ apiVersion, kind: name }, options) =>
      kind({ ...parseApiVersion(apiVersion), kind: name }, options),
    named: (text, options) => search((known) => dynamicKind(namedKind(known, text)), options),
    allNamed: (text, options) =>
      search((known) => namedKinds(known, text).map(dynamicKind), options),
  };
}
