import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import { NoMatchError, noSuchType, type PartialResource } from "./mapping-errors.ts";
import type { Mapped, RestMapping } from "./rest-mapping.ts";
import { incomplete, type ServerApis } from "./server-apis.ts";

/** What is known of a server's names. */
export interface KnownNames {
  readonly apis: ServerApis;
  readonly mapping: RestMapping;
  readonly onWarning?: ((text: string) => void) | undefined;
}

/**
 * What a name stands for that a person has typed: `deploy`, `deployments.apps`, `deployments.v1.apps`,
 * `Deployment`.
 */
export function namedKind(known: KnownNames, text: string): Mapped {
  const { mapping, apis } = known;
  const { full, short } = parsed(text);
  const kind = (full && kindOf(known, full)) ?? kindOf(known, short);
  if (kind) return mapping.mappingOf(kind, [kind.version]);
  // A name that is no resource's may be a kind's.
  for (const { group, version, resource } of full ? [full, short] : [short])
    try {
      return mapping.mappingOf({ group, kind: resource }, [version]);
    } catch (error) {
      if (!(error instanceof NoMatchError)) throw error;
    }
  throw noSuchType(short.resource, incomplete(apis));
}

/** What names stand for that are separated by commas, each once; categories stand for several. */
export function namedKinds(known: KnownNames, text: string): Mapped[] {
  const found = new Map<string, Mapped>();
  for (const name of text.split(",").flatMap((part) => inCategory(known.apis, part) ?? part)) {
    const kind = namedKind(known, name);
    found.set(`${apiVersionOf(kind)} ${kind.kind}`, kind);
  }
  return [...found.values()];
}

/** A name with its parts, which are read in two ways where there are enough of them. */
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

/** The resource that a short name stands for; a name that is no short one stays as it is. */
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
    // The version that was typed is not looked at: so it has always been.
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
