import { createdAtColumn } from "../../api/meta/v1/created-at-column.ts";
import { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { canonicalise } from "../../schema/language/normalise.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";

/** How much of each object a table carries beside its cells. */
export type IncludeObject = "Metadata" | "Object" | "None";

export interface TableOptions {
  readonly now: number;
  readonly includeObject: IncludeObject;
  /** The version of meta.k8s.io that was asked for. */
  readonly version: string;
  /** Left out after the first table of a watch. */
  readonly headers: boolean;
}

/** Objects as a table, which clients show without knowing the kind. */
export function tableOf(
  kind: AnyKind,
  objects: readonly ApiObject[],
  { metadata, ...options }: TableOptions & { readonly metadata: object },
): object {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.headers
      ? kind.columns.filter(({ unnamed }) => !unnamed).map(definition)
      : [],
    rows:
      objects.length === 0 && isPlain(kind)
        ? null
        : objects.map((object) => rowOf(kind, object, options)),
  };
}

/** Whether upstream has no table of its own for the kind: its rows are null where there are none. */
const isPlain = ({ columns }: AnyKind): boolean =>
  columns.some((column: object) => column === createdAtColumn);

const definition = ({
  name,
  type,
  format,
  description,
  wide,
  priority,
}: AnyKind["columns"][number]) => ({
  name,
  type: type ?? "string",
  format: format ?? "",
  description: description ?? "",
  priority: priority ?? (wide ? 1 : 0),
});

function rowOf(
  kind: AnyKind,
  object: ApiObject,
  { now, includeObject, version }: TableOptions,
): object {
  const cells = kind.columns.map((column) => column.cell(object as never, { now }));
  const conditions = kind.rowConditions?.(object as never) ?? [];
  return {
    cells,
    ...(conditions.length > 0 && { conditions }),
    object: included(kind, object, { includeObject, version }),
  };
}

function included(
  kind: AnyKind,
  object: ApiObject,
  { includeObject, version }: { includeObject: IncludeObject; version: string },
): object | null {
  if (includeObject === "None") return null;
  if (includeObject === "Metadata") return partial(object, version, kind);
  return { ...object, kind: kind.kind, apiVersion: apiVersionOf(kind) };
}

/** The metadata of an object, as an object of its own. */
export const partial = (
  { metadata }: ApiObject,
  version: string,
  { fieldAnnotations, struct }: Pick<AnyKind, "fieldAnnotations" | "struct">,
): object => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata: withoutAnnotations(struct ? metadata : inOrder(metadata), fieldAnnotations),
});

/** The members of metadata of a custom object, which are sorted, in the order of PartialObjectMetadata. */
const inOrder = (metadata: ObjectMeta): ObjectMeta =>
  canonicalise(ObjectMeta, metadata) as ObjectMeta;

function withoutAnnotations(metadata: ObjectMeta, hidden: readonly string[]): ObjectMeta {
  if (hidden.length === 0) return metadata;
  const { annotations = {}, ...rest } = metadata;
  const shown = Object.entries(annotations).filter(([name]) => !hidden.includes(name));
  return shown.length > 0 ? { ...rest, annotations: Object.fromEntries(shown) } : rest;
}
