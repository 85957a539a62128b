import type { Clock } from "../base/clock.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./call-options.ts";
import { decodeResponse, remainingObject } from "./decode-response.ts";
import { type Impersonation, impersonationHeaders } from "./impersonated-user.ts";
import { type ObjectList, withItemKinds } from "./object-list.ts";
import { applyType, type Patch, patchBody } from "./patch.ts";
import {
  acceptOf,
  deleteBody,
  listQuery,
  type WrittenObject,
  watchQuery,
  withKind,
  withoutEmpty,
  writeQuery,
  writtenKey,
} from "./request-parts.ts";
import type { ObjectKey, ResourceKind } from "./resource-kind.ts";
import { type QueryParameters, queryText, resourcePath } from "./resource-path.ts";
import { type RetryOptions, retrying } from "./retrying.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { type WatchStream, watchStream } from "./watch-stream.ts";

/** Addresses a subresource that has the object's own kind: `status`, `resize`, `approval`. */
export interface SubresourceOption {
  readonly subresource?: string | undefined;
}

/**
 * Typed requests by kind. A rejected request throws a `StatusError`; a request without a response throws
 * a `TransportError`. Returned objects may be shared with caches: change a copy (`withChanges`).
 */
export interface Client {
  get<O>(
    kind: ResourceKind<O>,
    key: ObjectKey,
    options?: GetOptions & SubresourceOption,
  ): Promise<O>;
  list<O>(kind: ResourceKind<O>, options?: ListOptions): Promise<ObjectList<O>>;
  /** Streams changes. The server ends every watch after some minutes; informers start a new one. */
  watch<O>(kind: ResourceKind<O>, options?: WatchOptions): WatchStream<O>;
  create<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  /** Replaces an object. If it has a resourceVersion, a concurrent change is rejected as a conflict. */
  update<O, I>(
    kind: ResourceKind<O, I>,
    object: NoInfer<I>,
    options?: WriteOptions & SubresourceOption,
  ): Promise<O>;
  patch<O, I>(
    kind: ResourceKind<O, I>,
    key: ObjectKey,
    patch: Patch<NoInfer<I>>,
    options?: WriteOptions & SubresourceOption,
  ): Promise<O>;
  /** Server-side apply: sets the given fields and leaves those of other field managers as they are. */
  apply<O, I>(
    kind: ResourceKind<O, I>,
    object: NoInfer<I>,
    options: ApplyOptions & SubresourceOption,
  ): Promise<O>;
  /** Resolves with the object while it is still being deleted, with undefined once it is deleted. */
  delete<O>(kind: ResourceKind<O>, key: ObjectKey, options?: DeleteOptions): Promise<O | undefined>;
  deleteCollection(kind: ResourceKind, options: DeleteOptions & SelectOptions): Promise<void>;
  /** A subresource that has a kind of its own: `scale`, `eviction`, `token`, `binding`. */
  subresource(kind: ResourceKind, key: ObjectKey, name: string): Subresource;
  /** Sends any request and resolves with its response, whatever the status code. */
  raw(request: RawRequest): Promise<TransportResponse>;
  /** Returns a client that impersonates a user. */
  as(user: Impersonation): Client;
  /** The namespace of requests for namespaced objects that name none. */
  readonly namespace: string;
  /** The clock of retries and timeouts; helpers that wait on the client's behalf use it, too. */
  readonly clock: Clock;
}

/** Requests for one subresource; each takes the kind of the subresource, such as `Scale`. */
export interface Subresource {
  get<O>(kind: ResourceKind<O>, options?: GetOptions): Promise<O>;
  create<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  update<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  patch<O, I>(
    kind: ResourceKind<O, I>,
    patch: Patch<NoInfer<I>>,
    options?: WriteOptions,
  ): Promise<O>;
  apply<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options: ApplyOptions): Promise<O>;
}

/** A request for any path. */
export interface RawRequest extends Pick<TransportRequest, "method" | "path" | "body" | "signal"> {
  readonly query?: QueryParameters;
  readonly headers?: TransportRequest["headers"];
}

export interface ClientOptions {
  readonly clock: Clock;
  /** The namespace of requests for namespaced objects that name none. Default: `default`. */
  readonly namespace?: string | undefined;
  /** The user to impersonate. Default: no impersonation. */
  readonly impersonate?: Impersonation | undefined;
  /** The field manager of requests that name none. */
  readonly fieldManager?: string | undefined;
  /**
   * Leaves out empty lists and maps when objects are written, as protobuf does. Kubernetes' own
   * components write protobuf, so that their field managers never own an empty field.
   */
  readonly omitEmpty?: boolean | undefined;
  /** How requests are retried when the server sends `Retry-After`. */
  readonly retry?: RetryOptions | undefined;
  /** Called with each warning that the server sends. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** Creates a client that sends its requests through a transport. */
export function createClient(transport: Transport, options: ClientOptions): Client {
  const { clock, retry, onWarning, impersonate, fieldManager, omitEmpty } = options;
  const { namespace = "default" } = options;
  const send = retrying(transport, clock, retry);
  const identity = impersonate ? impersonationHeaders(impersonate) : undefined;

  const raw = ({ query, headers, ...request }: RawRequest): Promise<TransportResponse> =>
    send({
      ...request,
      query: query ? queryText(query) : "",
      headers: identity ? { ...identity, ...headers } : (headers ?? {}),
    });
  const call = async (target: Target, request: RawRequest): Promise<unknown> => {
    const { kind, responseKind = kind } = target;
    const accept = acceptOf(responseKind, target.isList ?? false);
    const headers = accept ? { accept, ...request.headers } : request.headers;
    const response = await raw(headers ? { ...request, headers } : request);
    const failed = { method: request.method, kind, name: target.name };
    return decodeResponse(response, { onWarning, request: failed });
  };
  const pathOf = (kind: ResourceKind, key: ObjectKey, subresource?: string): string =>
    resourcePath(kind, { ...key, namespace: key.namespace ?? namespace, subresource });

  /** Prepares an object for a create or update request. */
  const written = (kind: ResourceKind, object: unknown): WrittenObject => {
    const whole = withKind(kind, object);
    return omitEmpty && kind.struct ? withoutEmpty(kind.struct, whole) : whole;
  };

  /** Sends a create, update, patch or apply request. */
  const write = async (
    target: Target,
    written: WriteRequest,
    options: WriteOptions,
  ): Promise<unknown> => {
    const { method, path, body, type, force } = written;
    const { signal } = options;
    const query = { ...writeQuery(options, fieldManager), force };
    const headers = type ? { "content-type": type } : undefined;
    return call(target, { method, path, query, body, signal, ...(headers && { headers }) });
  };

  return {
    namespace,
    clock,
    raw,
    as: (user) => createClient(transport, { ...options, impersonate: user }),

    async get<O>(
      kind: ResourceKind<O>,
      key: ObjectKey,
      options: GetOptions & SubresourceOption = {},
    ) {
      const { resourceVersion, subresource, signal } = options;
      const path = pathOf(kind, key, subresource);
      const request = { method: "GET", path, query: { resourceVersion }, signal } as const;
      return (await call({ kind, name: key.name }, request)) as O;
    },

    async list<O>(kind: ResourceKind<O>, options: ListOptions = {}) {
      const { signal, ...query } = options;
      const path = resourcePath(kind, options);
      const request = { method: "GET", path, query: listQuery(query), signal } as const;
      return withItemKinds(kind, (await call({ kind, isList: true }, request)) as ObjectList<O>);
    },

    watch<O>(kind: ResourceKind<O>, options: WatchOptions = {}) {
      const { signal, ...query } = options;
      const accept = acceptOf(kind, false);
      const request = {
        method: "GET",
        query: watchQuery(query),
        headers: accept ? { accept } : {},
      } as const;
      const open = async (): Promise<TransportResponse> =>
        raw({ ...request, path: resourcePath(kind, options), signal });
      return watchStream<O>(open, { onWarning, request: { method: "GET", kind } });
    },

    async create<O, I>(kind: ResourceKind<O, I>, object: I, options: WriteOptions = {}) {
      const body = written(kind, object);
      const path = resourcePath(kind, { namespace: body.metadata?.namespace ?? namespace });
      // No name here: upstream's errors about a create request do not include it.
      return (await write({ kind }, { method: "POST", path, body }, options)) as O;
    },

    async update<O, I>(
      kind: ResourceKind<O, I>,
      object: I,
      options: WriteOptions & SubresourceOption = {},
    ) {
      const body = written(kind, object);
      const key = writtenKey(body);
      const path = pathOf(kind, key, options.subresource);
      return (await write({ kind, name: key.name }, { method: "PUT", path, body }, options)) as O;
    },

    async patch<O, I>(
      kind: ResourceKind<O, I>,
      key: ObjectKey,
      patch: Patch<I>,
      options: WriteOptions & SubresourceOption = {},
    ) {
      const path = pathOf(kind, key, options.subresource);
      const written = { method: "PATCH", path, ...patchBody(patch) } as const;
      return (await write({ kind, name: key.name }, written, options)) as O;
    },

    async apply<O, I>(
      kind: ResourceKind<O, I>,
      object: I,
      options: ApplyOptions & SubresourceOption,
    ) {
      const body = withKind(kind, object);
      const key = writtenKey(body);
      const path = pathOf(kind, key, options.subresource);
      const written = {
        method: "PATCH",
        path,
        body,
        type: applyType,
        force: options.force,
      } as const;
      return (await write({ kind, name: key.name }, written, options)) as O;
    },

    async delete<O>(kind: ResourceKind<O>, key: ObjectKey, options: DeleteOptions = {}) {
      const path = pathOf(kind, key);
      const request = {
        method: "DELETE",
        path,
        body: deleteBody(options),
        signal: options.signal,
      } as const;
      return remainingObject<O>(kind, await call({ kind, name: key.name }, request));
    },

    async deleteCollection(kind: ResourceKind, options: DeleteOptions & SelectOptions) {
      const { labelSelector, fieldSelector, signal } = options;
      const path = resourcePath(kind, options);
      const query = listQuery({ labelSelector, fieldSelector });
      await call({ kind }, { method: "DELETE", path, query, body: deleteBody(options), signal });
    },

    subresource(owner, key, name) {
      const path = pathOf(owner, key, name);
      const target = { kind: owner, name: key.name };
      const put = (method: "POST" | "PUT") =>
        async function written<O, I>(
          kind: ResourceKind<O, I>,
          object: I,
          options: WriteOptions = {},
        ) {
          const body = withKind(kind, object);
          return (await write(
            { ...target, responseKind: kind },
            { method, path, body },
            options,
          )) as O;
        };
      return {
        async get<O>(kind: ResourceKind<O>, { resourceVersion, signal }: GetOptions = {}) {
          const request = { method: "GET", path, query: { resourceVersion }, signal } as const;
          return (await call({ ...target, responseKind: kind }, request)) as O;
        },
        create: put("POST"),
        update: put("PUT"),
        async patch<O, I>(kind: ResourceKind<O, I>, patch: Patch<I>, options: WriteOptions = {}) {
          const written = { method: "PATCH", path, ...patchBody(patch) } as const;
          return (await write({ ...target, responseKind: kind }, written, options)) as O;
        },
        async apply<O, I>(kind: ResourceKind<O, I>, object: I, options: ApplyOptions) {
          const body = withKind(kind, object);
          const { force } = options;
          const written = { method: "PATCH", path, body, type: applyType, force } as const;
          return (await write({ ...target, responseKind: kind }, written, options)) as O;
        },
      };
    },
  };
}

/** The object that a request is about, for error texts, and the kind of the response. */
interface Target {
  readonly kind: ResourceKind;
  readonly name?: string;
  readonly isList?: boolean;
  /** The kind of the response, if it differs from `kind`. */
  readonly responseKind?: ResourceKind;
}

/** The path and body of a write request. */
interface WriteRequest {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body: object;
  readonly type?: string;
  readonly force?: boolean | undefined;
}
