import type { Clock } from "../base/clock.ts";
import { answered, answeredObject } from "./answer.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./call-options.ts";
import { type Impersonation, impersonationHeaders } from "./impersonated-user.ts";
import { completed, type ObjectList } from "./object-list.ts";
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
  create<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  /** Replaces an object; one with a version only if nobody has changed it since. */
  update<O, I>(
    kind: ResourceKind<O, I>,
    object: NoInfer<I>,
    options?: WriteOptions & PartOption,
  ): Promise<O>;
  patch<O, I>(
    kind: ResourceKind<O, I>,
    key: ObjectKey,
    patch: Patch<NoInfer<I>>,
    options?: WriteOptions & PartOption,
  ): Promise<O>;
  /** Says how an object should be, and leaves to others what it does not name. */
  apply<O, I>(
    kind: ResourceKind<O, I>,
    object: NoInfer<I>,
    options: ApplyOptions & PartOption,
  ): Promise<O>;
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
  create<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  update<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options?: WriteOptions): Promise<O>;
  patch<O, I>(
    kind: ResourceKind<O, I>,
    patch: Patch<NoInfer<I>>,
    options?: WriteOptions,
  ): Promise<O>;
  apply<O, I>(kind: ResourceKind<O, I>, object: NoInfer<I>, options: ApplyOptions): Promise<O>;
}

/** A call of any path. */
export interface RawRequest extends Pick<TransportRequest, "method" | "path" | "body" | "signal"> {
  readonly query?: QueryParameters;
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
  /**
   * Whether objects are written without their empty lists and maps, which protobuf cannot carry.
   * Kubernetes' own components write protobuf, so that such a field has no owner.
   */
  readonly omitEmpty?: boolean | undefined;
  /** How calls that the server asks to make again are made again. */
  readonly retry?: RetryOptions | undefined;
  /** Is told what the server warns of. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** A client over a transport. */
export function createClient(transport: Transport, options: ClientOptions): Client {
  const { clock, retry, onWarning, impersonate, omitEmpty, namespace = "default" } = options;
  const send = retrying(transport, clock, retry);
  const identity = impersonate ? impersonationHeaders(impersonate) : undefined;

  const raw = ({ query, headers, ...request }: RawRequest): Promise<TransportResponse> =>
    send({
      ...request,
      query: query ? queryText(query) : "",
      headers: identity ? { ...identity, ...headers } : (headers ?? {}),
    });
  const call = async (called: Called, request: RawRequest): Promise<unknown> => {
    const { kind, answer = kind } = called;
    const accept = acceptOf(answer, called.isList ?? false);
    const headers = accept ? { accept, ...request.headers } : request.headers;
    const about = { method: request.method, kind, name: called.name };
    return answered(await raw(headers ? { ...request, headers } : request), { onWarning, about });
  };
  const pathOf = (kind: ResourceKind, key: ObjectKey, subresource?: string): string =>
    resourcePath(kind, { ...key, namespace: key.namespace ?? namespace, subresource });

  /** An object as it is written as a whole. */
  const written = (kind: ResourceKind, object: unknown): WrittenObject => {
    const whole = withKind(kind, object);
    return omitEmpty && kind.struct ? withoutEmpty(kind.struct, whole) : whole;
  };

  /** Sends an object, or a change of one. */
  const write = async (called: Called, written: Written, how: WriteOptions): Promise<unknown> => {
    const { method, path, body, type, force } = written;
    const { signal } = how;
    const query = { ...writeQuery(how, options.fieldManager), force };
    const headers = type ? { "content-type": type } : undefined;
    return call(called, { method, path, query, body, signal, ...(headers && { headers }) });
  };

  return {
    namespace,
    clock,
    raw,
    as: (user) => createClient(transport, { ...options, impersonate: user }),

    async get<O>(kind: ResourceKind<O>, key: ObjectKey, how: GetOptions & PartOption = {}) {
      const { resourceVersion, subresource, signal } = how;
      const path = pathOf(kind, key, subresource);
      const request = { method: "GET", path, query: { resourceVersion }, signal } as const;
      return (await call({ kind, name: key.name }, request)) as O;
    },

    async list<O>(kind: ResourceKind<O>, how: ListOptions = {}) {
      const { signal, ...query } = how;
      const path = resourcePath(kind, how);
      const request = { method: "GET", path, query: listQuery(query), signal } as const;
      return completed(kind, (await call({ kind, isList: true }, request)) as ObjectList<O>);
    },

    watch<O>(kind: ResourceKind<O>, how: WatchOptions = {}) {
      const { signal, ...query } = how;
      const accept = acceptOf(kind, false);
      const request = {
        method: "GET",
        query: watchQuery(query),
        headers: accept ? { accept } : {},
      } as const;
      const open = async (): Promise<TransportResponse> =>
        raw({ ...request, path: resourcePath(kind, how), signal });
      return watchStream<O>(open, { onWarning, about: { method: "GET", kind } });
    },

    async create<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions = {}) {
      const body = written(kind, object);
      const path = resourcePath(kind, { namespace: body.metadata?.namespace ?? namespace });
      // Not its name: of what is yet to be created, refusals speak without one.
      return (await write({ kind }, { method: "POST", path, body }, how)) as O;
    },

    async update<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions & PartOption = {}) {
      const body = written(kind, object);
      const key = writtenKey(body);
      const path = pathOf(kind, key, how.subresource);
      return (await write({ kind, name: key.name }, { method: "PUT", path, body }, how)) as O;
    },

    async patch<O, I>(
      kind: ResourceKind<O, I>,
      key: ObjectKey,
      patch: Patch<I>,
      how: WriteOptions & PartOption = {},
    ) {
      const path = pathOf(kind, key, how.subresource);
      const written = { method: "PATCH", path, ...patchBody(patch) } as const;
      return (await write({ kind, name: key.name }, written, how)) as O;
    },

    async apply<O, I>(kind: ResourceKind<O, I>, object: I, how: ApplyOptions & PartOption) {
      const body = withKind(kind, object);
      const key = writtenKey(body);
      const path = pathOf(kind, key, how.subresource);
      const written = { method: "PATCH", path, body, type: applyType, force: how.force } as const;
      return (await write({ kind, name: key.name }, written, how)) as O;
    },

    async delete<O>(kind: ResourceKind<O>, key: ObjectKey, how: DeleteOptions = {}) {
      const path = pathOf(kind, key);
      const request = {
        method: "DELETE",
        path,
        body: deleteBody(how),
        signal: how.signal,
      } as const;
      return answeredObject<O>(kind, await call({ kind, name: key.name }, request));
    },

    async deleteCollection(kind: ResourceKind, how: DeleteOptions & SelectOptions) {
      const { labelSelector, fieldSelector, signal } = how;
      const path = resourcePath(kind, how);
      const query = listQuery({ labelSelector, fieldSelector });
      await call({ kind }, { method: "DELETE", path, query, body: deleteBody(how), signal });
    },

    subresource(owner, key, name) {
      const path = pathOf(owner, key, name);
      const called = { kind: owner, name: key.name };
      const put = (method: "POST" | "PUT") =>
        async function written<O, I>(kind: ResourceKind<O, I>, object: I, how: WriteOptions = {}) {
          const body = withKind(kind, object);
          return (await write({ ...called, answer: kind }, { method, path, body }, how)) as O;
        };
      return {
        async get<O>(kind: ResourceKind<O>, { resourceVersion, signal }: GetOptions = {}) {
          const request = { method: "GET", path, query: { resourceVersion }, signal } as const;
          return (await call({ ...called, answer: kind }, request)) as O;
        },
        create: put("POST"),
        update: put("PUT"),
        async patch<O, I>(kind: ResourceKind<O, I>, patch: Patch<I>, how: WriteOptions = {}) {
          const written = { method: "PATCH", path, ...patchBody(patch) } as const;
          return (await write({ ...called, answer: kind }, written, how)) as O;
        },
        async apply<O, I>(kind: ResourceKind<O, I>, object: I, how: ApplyOptions) {
          const body = withKind(kind, object);
          const { force } = how;
          const written = { method: "PATCH", path, body, type: applyType, force } as const;
          return (await write({ ...called, answer: kind }, written, how)) as O;
        },
      };
    },
  };
}

/** What is called, for the words of a refusal, and what it is asked to answer with. */
interface Called {
  readonly kind: ResourceKind;
  readonly name?: string;
  readonly isList?: boolean;
  /** The kind of the answer, where it is another. */
  readonly answer?: ResourceKind;
}

/** An object that is sent, or a change of one, as what. */
interface Written {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body: object;
  readonly type?: string;
  readonly force?: boolean | undefined;
}
