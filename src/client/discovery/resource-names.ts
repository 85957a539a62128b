import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import { NoMatchError, noSuchType, type PartialResource } from "./mapping-errors.ts";
import type { Mapped, RestMapping } from "./rest-mapping.ts";
import { incomplete, type ServerApis } from "./server-apis.ts";

/** The names of a server's resources. */
export interface KnownNames {
  readonly apis: ServerApis;
  readonly mapping: RestMapping;
  readonly onWarning?: ((text: string) => void) | undefined;
}

/**
 * Finds the kind of a name on a command line: `deploy`, `deployments.apps`, `deployments.v1.apps`,
 * `Deployment`.
 */
export function namedKind(known: KnownNames, text: string): Mapped {
  const { mapping, apis } = known;
  const { full, short } = parsed(text);
  const kind = (full && kindOf(known, full)) ?? kindOf(known, short);
  if (kind) return mapping.mappingOf(kind, [kind.version]);
  // Resource names have priority over kinds.
  for (const { group, version, resource } of full ? [full, short] : [short])
    try {
      return mapping.mappingOf({ group, kind: resource }, [version]);
    } catch (error) {
      if (!(error instanceof NoMatchError)) throw error;
    }
  throw noSuchType(short.resource, incomplete(apis));
}

/** Finds the kinds of comma-separated names, each kind once; a category names several kinds. */
export function namedKinds(known: KnownNames, text: string): Mapped[] {
  const found = new Map<string, Mapped>();
  for (const name of text.split(",").flatMap((part) => inCategory(known.apis, part) ?? part)) {
    const kind = namedKind(known, name);
    found.set(`${apiVersionOf(kind)} ${kind.kind}`, kind);
  }
  return [...found.values()];
}

/** Splits a name at its dots: `a.b.c` is RESOURCE.VERSION.GROUP or RESOURCE.GROUP. */
function parsed(text: string): {
  readonly full: PartialResource | undefined;
  readonly short: PartialResource;
} {
  const [resource = "", second = "", ...rest] = text.split(".");
  const short = { resource, version: "", group: text.slice(resource.length + 1) };
  if (rest.length === 0) return { full: undefined, short };
  return { full: { resource, version: second, group: rest.join(".") }, short };
}

function kindOf(known: KnownNames, resource: PartialResource): Mapped | undefined {
  try {
    return known.mapping.kindOf(expanded(known, resource));
  } catch (error) {
    if (error instanceof NoMatchError) return undefined;
    throw error;
  }
}

/** Expands a short name to its resource; other names are returned unchanged. */
function expanded({ apis, onWarning }: KnownNames, given: PartialResource): PartialResource {
  const isOf = (group: string): boolean => given.group === "" || given.group === group;
  const isWhole = apis.resources.some(
    ({ group, plural, singular }) =>
      isOf(group) && (given.resource === plural || given.resource === singular),
  );
  if (isWhole) return given;

  const meant = apis.resources.filter(({ shortNames }) => shortNames.includes(given.resource));
  const [first, ...others] = meant.filter(({ group }) => isOf(group));
  if (first) {
    const seen = new Set([nameOf(first)]);
    for (const other of others.map(nameOf)) {
      if (!seen.has(other))
        onWarning?.(
          `short name ${quote(given.resource)} could also match lower priority resource ${other}`,
        );
      seen.add(other);
    }
    // As in kubectl, a version after a short name is ignored.
    return { group: first.group, version: "", resource: first.plural };
  }
  const near = meant.find(({ group }) => group.startsWith(given.group));
  return near ? { ...given, group: near.group, resource: near.plural } : given;
}

const nameOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`;

function inCategory({ resources }: ServerApis, category: string): string[] | undefined {
  const found = resources.filter(({ categories }) => categories.includes(category));
  return found.length === 0 ? undefined : found.map(nameOf);
}
