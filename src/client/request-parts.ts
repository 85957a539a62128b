import { apiVersionOf } from "../schema/language/kind.ts";
import { canonicalise } from "../schema/language/normalise.ts";
import type { Struct } from "../schema/language/struct.ts";
import {
  type CallOptions,
  type DeleteOptions,
  type ListOptions,
  selectorText,
  type WatchOptions,
  type WriteOptions,
} from "./call-options.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "./resource-kind.ts";

/** How metadata alone is asked for; undefined where nothing special is. */
export function acceptOf({ isMetadataOnly }: ResourceKind, isList: boolean): string | undefined {
  if (!isMetadataOnly) return undefined;
  const as = isList ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}

/** The query of a list. */
export const listQuery = ({
  namespace: _,
  labelSelector,
  fieldSelector,
  ...rest
}: Omit<ListOptions, keyof CallOptions>) => ({
  labelSelector: selectorText(labelSelector),
  fieldSelector: selectorText(fieldSelector),
  ...rest,
});

/** The query of a watch. */
export function watchQuery(how: Omit<WatchOptions, keyof CallOptions>) {
  const { sendInitialEvents, allowWatchBookmarks = true, ...rest } = how;
  // A stream of initial events must not be older than the latest, unless something else is said.
  const match = how.resourceVersionMatch ?? (sendInitialEvents ? "NotOlderThan" : undefined);
  return {
    watch: true,
    ...listQuery({ ...rest, resourceVersionMatch: match }),
    allowWatchBookmarks: allowWatchBookmarks || undefined,
    sendInitialEvents,
  };
}

/** The query of a write; `own` is the field manager of calls that name none. */
export const writeQuery = (
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
  own: string | undefined,
) => ({
  dryRun: dryRun ? "All" : undefined,
  fieldManager: fieldManager ?? own,
  fieldValidation,
});

/** The body of a deletion. */
export function deleteBody({
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
  dryRun,
}: DeleteOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(preconditions && { preconditions }),
    ...(dryRun && { dryRun: ["All"] }),
  };
}

/** An object that may still lack what only the server knows. */
export interface WrittenObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** The object with what every object says of itself. */
export function withKind(kind: ResourceKind, object: unknown): WrittenObject {
  const { apiVersion, kind: name, ...rest } = object as Partial<KubernetesObject>;
  if (apiVersion !== undefined && name !== undefined) return object as WrittenObject;
  const own = { apiVersion: apiVersion ?? apiVersionOf(kind), kind: name ?? kind.kind };
  return { ...own, ...rest } as WrittenObject;
}

/** An object as protobuf would carry it: without empty lists and maps. */
export const withoutEmpty = (struct: Struct, object: WrittenObject): WrittenObject =>
  canonicalise(struct, object) as WrittenObject;

/** Where an object goes that is written; its name may be missing. */
export const writtenKey = ({ metadata = {} }: WrittenObject): ObjectKey => ({
  name: metadata.name ?? "",
  namespace: metadata.namespace,
});
