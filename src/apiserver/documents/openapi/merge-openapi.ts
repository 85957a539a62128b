import { sameValue } from "../../../schema/language/validate.ts";
import type { Schema } from "../../../schema/openapi/openapi.ts";

type Named = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI 2 document that name each other. */
interface Parts {
  readonly paths: Named;
  readonly definitions: Named;
  readonly parameters: Named;
}

/**
 * Adds the paths of another server's OpenAPI 2 document that begin with a prefix, and all that they refer to.
 * Paths that exist stay as they are. A definition or parameter that differs from one of the same name is renamed.
 */
export function mergeOpenApi2(own: Schema, other: Schema, prefix: string): Schema {
  const known = partsOf(own);
  const added = reduced(
    partsOf(other),
    (path) => path.startsWith(prefix) && !has(known.paths, path),
  );
  const renames = new Map([
    ...renamesOf(known.definitions, added.definitions, definitions),
    ...renamesOf(known.parameters, added.parameters, parameters),
  ]);
  const renamed = renames.size === 0 ? added : renamedParts(added, renames);
  return {
    ...own,
    paths: sorted({ ...known.paths, ...renamed.paths }),
    definitions: sorted({
      ...known.definitions,
      ...withKinds(known.definitions, renamed.definitions),
    }),
    parameters: sorted({ ...renamed.parameters, ...known.parameters }),
  };
}

const definitions = "#/definitions/";
const parameters = "#/parameters/";
const kinds = "x-kubernetes-group-version-kind";

const partsOf = ({ paths, definitions, parameters }: Schema): Parts => ({
  paths: fieldsOf(paths),
  definitions: fieldsOf(definitions),
  parameters: fieldsOf(parameters),
});

/** Keeps some paths, and drops definitions and parameters that only other paths use. */
function reduced(parts: Parts, isKept: (path: string) => boolean): Parts {
  const paths = only(parts.paths, isKept);
  const before = referencesIn(parts);
  let kept: Parts = { ...parts, paths };
  for (;;) {
    const used = referencesIn(kept);
    const isUsed = (prefix: string) => (name: string) =>
      used.has(prefix + name) || !before.has(prefix + name);
    const next = {
      paths,
      definitions: only(kept.definitions, isUsed(definitions)),
      parameters: only(kept.parameters, isUsed(parameters)),
    };
    if (count(next) === count(kept)) return next;
    kept = next;
  }
}

const count = (parts: Parts): number =>
  Object.keys(parts.definitions).length + Object.keys(parts.parameters).length;

/** The references to rename, because another thing has that name. */
function renamesOf(known: Named, added: Named, prefix: string): [string, string][] {
  const renames: [string, string][] = [];
  const taken = new Set([...Object.keys(known), ...Object.keys(added)]);
  for (const [name, value] of Object.entries(added)) {
    if (!has(known, name) || sameButKinds(known[name], value)) continue;
    let to = name;
    for (let i = 2; to === name; i++) {
      const wanted = `${name}_v${i}`;
      const isSame = has(known, wanted) && sameButKinds(known[wanted], value);
      if (isSame || !taken.has(wanted)) to = wanted;
    }
    taken.add(to);
    renames.push([prefix + name, prefix + to]);
  }
  return renames;
}

function renamedParts(parts: Parts, renames: ReadonlyMap<string, string>): Parts {
  const names = (named: Named, prefix: string): Named =>
    Object.fromEntries(
      Object.entries(named).map(([name, value]) => [
        (renames.get(prefix + name) ?? prefix + name).slice(prefix.length),
        withReferences(value, renames),
      ]),
    );
  return {
    paths: names(parts.paths, ""),
    definitions: names(parts.definitions, definitions),
    parameters: names(parts.parameters, parameters),
  };
}

function withReferences(value: unknown, renames: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, renames));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === "$ref" && typeof item === "string"
        ? (renames.get(item) ?? item)
        : withReferences(item, renames),
    ]),
  );
}

/** All references in a part of a document. */
function referencesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [name, item] of Object.entries(value))
    if (name === "$ref" && typeof item === "string") found.add(item);
    else referencesIn(item, found);
  return found;
}

/** Definitions with the kinds that both sides have for them. */
function withKinds(known: Named, added: Named): Named {
  return Object.fromEntries(
    Object.entries(added).map(([name, value]) => {
      const existing = has(known, name) ? fieldsOf(known[name]) : undefined;
      if (!existing) return [name, value];
      const [own, other] = [listOf(existing[kinds]), listOf(fieldsOf(value)[kinds])];
      const more = other.filter((kind) => !own.some((one) => sameValue(one, kind)));
      if (more.length === 0) return [name, existing];
      return [name, { ...existing, [kinds]: [...own, ...more].sort(byKind) }];
    }),
  );
}

function byKind(a: unknown, b: unknown): number {
  const [first, second] = [kindText(a), kindText(b)];
  return first < second ? -1 : Number(first > second);
}

function kindText(kind: unknown): string {
  const fields = fieldsOf(kind);
  return `${fields.group}/${fields.version}.${fields.kind}`;
}

function sameButKinds(a: unknown, b: unknown): boolean {
  const { [kinds]: _, ...first } = fieldsOf(a);
  const { [kinds]: __, ...second } = fieldsOf(b);
  return sameValue(first, second);
}

const only = (named: Named, isKept: (name: string) => boolean): Named =>
  Object.fromEntries(Object.entries(named).filter(([name]) => isKept(name)));

const sorted = (named: Named): Named =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));

const has = (named: Named, name: string): boolean => Object.hasOwn(named, name);

const fieldsOf = (value: unknown): Named =>
  typeof value === "object" && value !== null ? (value as Named) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
