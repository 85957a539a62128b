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

/** The `Accept` header of a request for metadata only; undefined for other requests. */
export function acceptOf({ isMetadataOnly }: ResourceKind, isList: boolean): string | undefined {
  if (!isMetadataOnly) return undefined;
  const as = isList ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}

/** The query of a list request. */
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

/** The query of a watch request. */
export function watchQuery(options: Omit<WatchOptions, keyof CallOptions>) {
  const { sendInitialEvents, allowWatchBookmarks = true, ...rest } = options;
  // Servers require a resourceVersionMatch for initial events.
  const match = options.resourceVersionMatch ?? (sendInitialEvents ? "NotOlderThan" : undefined);
  return {
    watch: true,
    ...listQuery({ ...rest, resourceVersionMatch: match }),
    allowWatchBookmarks: allowWatchBookmarks || undefined,
    sendInitialEvents,
  };
}

/** The query of a write request; `own` is the client's default field manager. */
export const writeQuery = (
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
  own: string | undefined,
) => ({
  dryRun: dryRun ? "All" : undefined,
  fieldManager: fieldManager ?? own,
  fieldValidation,
});

/** The body of a delete request. */
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

/** An object to write; fields that the server sets may be missing. */
export interface WrittenObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** Adds apiVersion and kind to an object that has none. */
export function withKind(kind: ResourceKind, object: unknown): WrittenObject {
  const { apiVersion, kind: name, ...rest } = object as Partial<KubernetesObject>;
  if (apiVersion !== undefined && name !== undefined) return object as WrittenObject;
  const own = { apiVersion: apiVersion ?? apiVersionOf(kind), kind: name ?? kind.kind };
  return { ...own, ...rest } as WrittenObject;
}

/** Removes empty lists and maps, as encoding to protobuf would. */
export const withoutEmpty = (struct: Struct, object: WrittenObject): WrittenObject =>
  canonicalise(struct, object) as WrittenObject;

/** The key of an object to write; the name is empty if the server generates it. */
export const writtenKey = ({ metadata = {} }: WrittenObject): ObjectKey => ({
  name: metadata.name ?? "",
  namespace: metadata.namespace,
});
