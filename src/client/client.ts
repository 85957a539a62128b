import type { Clock } from "../base/clock.ts";
import { apiVersionOf } from "../schema/kind.ts";
import { answered, answeredObject } from "./answer.ts";
import {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type SelectOptions,
  selectorText,
  type WatchOptions,
  type WriteOptions,
} from "./call-options.ts";
import { type Impersonation, impersonationHeaders } from "./impersonation.ts";
import { completed, type ObjectList } from "./object-list.ts";
import { type Patch, patchBody } from "./patch.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "./resource-kind.ts";
import { queryText, resourcePath } from "./resource-path.ts";
import { type RetryOptions, retrying } from "./retrying.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { type WatchStream, watchStream } from "./watch-stream.ts";

/** A part of an object that speaks the object's own kind: `status`, `resize`, `approval`. */
export interface PartOption {
  readonly subresource?: string | undefined;
}

/**
 * Calls of the API by kind. A refusal is thrown as a `StatusError`, and that there was no answer as a
 * `TransportError`. Objects that are handed out may be shared: make changes in a copy (`edited`).
 */
export interface Client {
  get<O>(kind: ResourceKind<O>, key: ObjectKey, options?: GetOptions & PartOption): Promise<O>;
  list<O>(kind: ResourceKind<O>, options?: ListOptions): Promise<ObjectList<O>>;
  /** Changes as they happen. It ends when the server ends it, which it does every few minutes. */
  watch<O>(kind: ResourceKind<O>, options?: WatchOptions): WatchStream<O>;
  create<O, I>(kind: ResourceKind<O, I>, object: I, options?: WriteOptions): Promise<O>;
  /** Replaces an object; one with a version only if nobody has changed it since. */
  update<O, I>(
    kind: ResourceKind<O, I>,
    object: I,
    options?: WriteOptions & PartOption,
  ): Promise<O>;
  patch<O, I>(
    kind: ResourceKind<O, I>,
    key: ObjectKey,
    patch: Patch<I>,
    options?: WriteOptions & PartOption & { readonly force?: boolean },
  ): Promise<O>;
  /** Says how an object should be, and leaves to others what it does not name. */
  apply<O, I>(kind: ResourceKind<O, I>, object: I, options: ApplyOptions & PartOption): Promise<O>;
  /** Resolves with the object where it is not gone yet, and with undefined where it is. */
  delete<O>(kind: ResourceKind<O>, key: ObjectKey, options?: DeleteOptions): Promise<O | undefined>;
  deleteCollection(kind: ResourceKind, options: DeleteOptions & SelectOptions): Promise<void>;
  /** A part of an object that speaks a kind of its own: `scale`, `eviction`, `token`, `binding`. */
  subresource(kind: ResourceKind, key: ObjectKey, name: string): Subresource;
  /** Any call; resolves with any answer. */
  raw(request: RawRequest): Promise<TransportResponse>;
  /** The same client in the name of another. */
  as(user: Impersonation): Client;
  /** Where objects are that do not say it. */
  readonly namespace: string;
  /** The time by which it waits, for those who wait with it. */
  readonly clock: Clock;
}

/** A part of an object, by the kind in which it is spoken to: `Scale` of `scale`, for example. */
export interface Subresource {
  get<O>(kind: ResourceKind<O>, options?: GetOptions): Promise<O>;
  create<O, I>(kind: ResourceKind<O, I>, object: I, options?: WriteOptions): Promise<O>;
  update<O, I>(kind: ResourceKind<O, I>, object: I, options?: WriteOptions): Promise<O>;
  patch<O, I>(kind: ResourceKind<O, I>, patch: Patch<I>, options?: WriteOptions): Promise<O>;
}

/** A call of any path. */
export interface RawRequest extends Pick<TransportRequest, "method" | "path" | "body" | "signal"> {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: TransportRequest["headers"];
}

export interface ClientOptions {
  readonly clock: Clock;
  /** Where objects are that do not say it; `default` if not given. */
  readonly namespace?: string | undefined;
  /** In whose name calls are made; in one's own if not given. */
  readonly impersonate?: Impersonation | undefined;
  /** What calls are made as when they do not say it themselves. */
  readonly fieldManager?: string | undefined;
  /** How calls that the server asks to make again are made again. */
  readonly retry?: RetryOptions | undefined;
  /** Is told what the server warns of. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** A client over a transport. */
export function createClient(transport: Transport, options: ClientOptions): Client {
  const { clock, retry, onWarning, impersonate, namespace = "default" } = options;
  const send = retrying(transport, clock, retry);
  const identity = impersonate ? impersonationHeaders(impersonate) : undefined;

  const raw = ({ query, headers, ...request }: RawRequest): Promise<TransportResponse> =>
    send({
      ...request,
      query: query ? queryText(query) : "",
      headers: identity ? { ...identity, ...headers } : (headers ?? {}),
    });
  const call = async (kind: ResourceKind, request: RawRequest): Promise<unknown> => {
    const accept = acceptOf(kind, false);
    const headers = accept ? { accept, ...request.headers } : request.headers;
    return answered(await raw(headers ? { ...request, headers } : request), onWarning);
  };
  const pathOf = (kind: ResourceKind, key: ObjectKey, subresource?: string): string => {
    if (key.name === "") throw new TypeError(`a name is needed to call one of ${kind.plural}`);
    return resourcePath(kind, { ...key, namespace: key.namespace ?? namespace, subresource });
  };
  const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions) => ({
    dryRun: dryRun ? "All" : undefined,
    fieldManager: fieldManager ?? options.fieldManager,
    fieldValidation,
  });

  return {
    namespace,
    clock,
    raw,
    as: (user) => createClient(transport, { ...options, impersonate: user }),

    async get<O>(kind: ResourceKind<O>, key: ObjectKey, how: GetOptions & PartOption = {}) {
      const { resourceVersion, subresource, signal } = how;
      const path = pathOf(kind, key, subresource);
      return (await call(kind, { method: "GET", path, query: { resourceVersion }, signal })) as O;
    },

    async list<O>(kind: ResourceKind<O>, how: ListOptions = {}) {
      const { signal, ...query } = how;
      const headers = { accept: acceptOf(kind, true) ?? "application/json" };
      const path = resourcePath(kind, how);
      const request = { method: "GET", path, query: listQuery(query), headers, signal } as const;
      return completed(kind, (await answered(await raw(request), onWarning)) as ObjectList<O>);
    },

    watch<O>(kind: ResourceKind<O>, how: WatchOptions = {}) {
      const { signal, sendInitialEvents, allowWatchBookmarks = true, ...rest } = how;
      const accept = acceptOf(kind, false);
      // A stream of initial events must not be older than the latest, unless something else is said.
      const match = how.resourceVersionMatch ?? (sendInitialEvents ? "NotOlderThan" : undefined);
      const query = {
        watch: true,
        ...listQuery({ ...rest, resourceVersionMatch: match }),
        allowWatchBookmarks: allowWatchBookmarks || undefined,
        sendInitialEvents,
      };
      const open = (ending: AbortSignal): Promise<TransportResponse> =>
        raw({
          method: "GET",
          path: resourcePath(kind, how),
          query,
          headers: accept ? { accept } : {},
          signal: ending,
        });
      return watchStream<O>(open, { signal, onWarning });
    },

    async create<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions = {}) {
      const body = withKind(kind, object);
      const path = resourcePath(kind, { namespace: body.metadata?.namespace ?? namespace });
      const query = writeQuery(how);
      return (await call(kind, { method: "POST", path, query, body, signal: how.signal })) as O;
    },

    async update<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions & PartOption = {}) {
      const body = withKind(kind, object);
      const path = pathOf(kind, nameOf(body), how.subresource);
      const query = writeQuery(how);
      return (await call(kind, { method: "PUT", path, query, body, signal: how.signal })) as O;
    },

    async patch<O, I>(
      kind: ResourceKind<O, I>,
      key: ObjectKey,
      patch: Patch<I>,
      how: WriteOptions & PartOption & { readonly force?: boolean } = {},
    ) {
      const { type, body } = patchBody(patch);
      const request = {
        method: "PATCH",
        path: pathOf(kind, key, how.subresource),
        query: { ...writeQuery(how), force: how.force },
        headers: { "content-type": type },
        body,
        signal: how.signal,
      } as const;
      return (await call(kind, request)) as O;
    },

    async apply<O, I>(kind: ResourceKind<O, I>, object: I, how: ApplyOptions & PartOption) {
      const body = withKind(kind, object);
      const request = {
        method: "PATCH",
        path: pathOf(kind, nameOf(body), how.subresource),
        query: { ...writeQuery(how), force: how.force },
        // JSON is YAML, and what says that it is needs no other form.
        headers: { "content-type": "application/apply-patch+yaml" },
        body,
        signal: how.signal,
      } as const;
      return (await call(kind, request)) as O;
    },

    async delete<O>(kind: ResourceKind<O>, key: ObjectKey, how: DeleteOptions = {}) {
      const path = pathOf(kind, key);
      const body = deleteBody(how);
      const answer = await call(kind, { method: "DELETE", path, body, signal: how.signal });
      return answeredObject<O>(kind, answer);
    },

    async deleteCollection(kind: ResourceKind, how: DeleteOptions & SelectOptions) {
      const path = resourcePath(kind, how);
      const { namespace: _, labelSelector, fieldSelector } = how;
      const query = listQuery({ labelSelector, fieldSelector });
      const body = deleteBody(how);
      await call(kind, { method: "DELETE", path, query, body, signal: how.signal });
    },

    subresource(owner, key, name) {
      const path = pathOf(owner, key, name);
      const write = (method: "POST" | "PUT") =>
        async function written<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions = {}) {
          const body = withKind(kind, object);
          const query = writeQuery(how);
          return (await call(kind, { method, path, query, body, signal: how.signal })) as O;
        };
      return {
        async get<O>(kind: ResourceKind<O>, { resourceVersion, signal }: GetOptions = {}) {
          const query = { resourceVersion };
          return (await call(kind, { method: "GET", path, query, signal })) as O;
        },
        create: write("POST"),
        update: write("PUT"),
        async patch<O, I>(kind: ResourceKind<O, I>, patch: Patch<I>, how: WriteOptions = {}) {
          const { type, body } = patchBody(patch);
          const headers = { "content-type": type };
          const { signal } = how;
          const request = { method: "PATCH", path, query: writeQuery(how), headers, body, signal };
          return (await call(kind, request as RawRequest)) as O;
        },
      };
    },
  };
}

/** How metadata alone is asked for; undefined where nothing special is. */
function acceptOf({ isMetadataOnly }: ResourceKind, isList: boolean): string | undefined {
  if (!isMetadataOnly) return undefined;
  const as = isList ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}

const listQuery = ({
  namespace: _,
  labelSelector,
  fieldSelector,
  ...rest
}: Omit<ListOptions, keyof CallOptions>) => ({
  labelSelector: selectorText(labelSelector),
  fieldSelector: selectorText(fieldSelector),
  ...rest,
});

/** An object that may still lack what only the server knows. */
interface Written {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** The object with what every object says of itself. */
function withKind(kind: ResourceKind, object: unknown): Written {
  const { apiVersion, kind: name } = object as Partial<KubernetesObject>;
  if (apiVersion !== undefined && name !== undefined) return object as Written;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...(object as object) } as Written;
}

const nameOf = ({ metadata = {} }: Written): ObjectKey => ({
  name: metadata.name ?? "",
  namespace: metadata.namespace,
});

function deleteBody({
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
