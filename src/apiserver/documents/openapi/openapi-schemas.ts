import {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
} from "../../../api/meta/v1/discovery.ts";
import { ListMeta } from "../../../api/meta/v1/list-meta.ts";
import { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import { DeleteOptions } from "../../../api/meta/v1/options.ts";
import { Status } from "../../../api/meta/v1/status.ts";
import { WatchEvent } from "../../../api/meta/v1/watch-event.ts";
import { apiVersionOf, type ServedKind } from "../../../schema/language/kind.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import {
  type GroupVersionKind,
  type OpenApiVersion,
  patchName,
  patchSchema,
  type Schema,
  schemasOf,
} from "../../../schema/openapi/openapi.ts";
import { VersionInfo } from "./openapi-discovery.ts";
import type { Path } from "./openapi-operation.ts";
import { subresourceStructs } from "./openapi-subresources.ts";

export type GroupVersion = Pick<GroupVersionKind, "group" | "version">;

/** The structs that operations may refer to, and their kinds. */
export interface NamedStructs {
  readonly structs: ReadonlyMap<string, Struct>;
  readonly kinds: ReadonlyMap<string, readonly GroupVersionKind[]>;
  /** Writers of schemas without a struct, by name. */
  readonly others: ReadonlyMap<string, (version: OpenApiVersion) => Schema>;
}

export function namedStructs(served: readonly ServedKind[]): NamedStructs {
  const structs = new Map<string, Struct>();
  const kinds = new Map<string, readonly GroupVersionKind[]>();
  const add = (struct: Struct, ...gvk: readonly GroupVersionKind[]) => {
    structs.set(struct.name, struct);
    kinds.set(struct.name, gvk);
  };
  for (const struct of [APIGroup, APIGroupList, APIResourceList, APIVersions, Status])
    add(struct, { group: "", kind: struct.shortName, version: "v1" });
  for (const struct of [DeleteOptions, WatchEvent, VersionInfo]) add(struct);
  for (const { struct, ...gvk } of subresourceStructs) add(struct, gvk);
  const others = new Map<string, (version: OpenApiVersion) => Schema>();
  for (const { form, schemas } of served)
    if (schemas)
      for (const name of [form.name, form.listName])
        others.set(name, (version) => schemas(version)[name] ?? {});
  for (const { group, version, kind, struct, list } of served) {
    if (struct) add(struct, { group, kind, version });
    if (list) add(list, { group, kind: `${kind}List`, version });
  }
  return { structs, kinds, others };
}

/** The schemas that the operations of a document refer to, directly and indirectly. */
export function writeSchemas(
  paths: readonly Path[],
  version: OpenApiVersion,
  {
    structs,
    kinds,
    others: written,
    groupVersions,
  }: NamedStructs & { groupVersions: readonly GroupVersion[] },
): Readonly<Record<string, Schema>> {
  const names = new Map(paths.flatMap(schemaNames));
  const hasOthers = [...names.keys()].some((name) => written.has(name));
  const roots = [
    ...[...names.keys()].flatMap((name) => structs.get(name) ?? []),
    ...(hasOthers ? [ObjectMeta, ListMeta] : []),
  ];
  const schemas = schemasOf(roots, version, (name) =>
    name === DeleteOptions.name || name === WatchEvent.name
      ? inEveryGroup(name.slice(name.lastIndexOf(".") + 1), groupVersions)
      : (kinds.get(name) ?? []),
  );
  const others = [...names].filter(([name]) => !Object.hasOwn(schemas, name));
  const added = others.map(
    ([name, gvk]) => [name, written.get(name)?.(version) ?? bare(name, gvk)] as const,
  );
  const all = [...Object.entries(schemas), ...added];
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema of an undeclared type: any object. */
function bare(name: string, gvk: GroupVersionKind | undefined): Schema {
  if (name === patchName) return patchSchema;
  return { type: "object", ...(gvk && { "x-kubernetes-group-version-kind": [gvk] }) };
}

/** These kinds are registered in all groups. */
export function inEveryGroup(
  kind: string,
  groupVersions: readonly GroupVersion[],
): GroupVersionKind[] {
  const others = groupVersions
    .filter(({ group }) => group !== "")
    .sort((a, b) => (apiVersionOf(a) < apiVersionOf(b) ? -1 : 1));
  return [{ group: "", version: "v1" }, ...others].map(({ group, version }) => ({
    group,
    kind,
    version,
  }));
}

const schemaNames = ({ operations }: Path): [name: string, gvk: GroupVersionKind | undefined][] =>
  operations.flatMap(({ body, responses, kind }) =>
    [body?.schema, ...responses.map(({ schema }) => schema)].flatMap((name) =>
      name === undefined ? [] : [[name, kind] as [string, GroupVersionKind | undefined]],
    ),
  );
