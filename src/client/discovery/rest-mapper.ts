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

/** A kind that was found at run time. */
export type FoundKind = ResourceKind<DynamicObject, object>;

/**
 * Finds kinds by their names. What is not found is looked for once more in what the server serves by
 * then, as for a definition that was just created; a `NoMatchError` says that it is not there.
 */
export interface RestMapper {
  /** The kind of this name, in the version that the server prefers where none is given. */
  kind(
    names: { readonly group: string; readonly kind: string; readonly version?: string | undefined },
    options?: CallOptions,
  ): Promise<FoundKind>;
  kindOf(
    object: Pick<KubernetesObject, "apiVersion" | "kind">,
    options?: CallOptions,
  ): Promise<FoundKind>;
  /** What a person has typed: `deploy`, `deployments.apps`, `deployments.v1.apps`, `Deployment`. */
  named(text: string, options?: CallOptions): Promise<FoundKind>;
  /** What names separated by commas stand for, each kind once; categories stand for several: `all,cm`. */
  allNamed(text: string, options?: CallOptions): Promise<readonly FoundKind[]>;
}

export interface RestMapperOptions {
  /** Is told of short names that could mean something else. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** A mapper over what discovery learns. */
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
