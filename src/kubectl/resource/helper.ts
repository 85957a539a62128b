import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client, RawRequest } from "../../client/client.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import { type QueryParameters, resourcePath } from "../../client/resource-path.ts";
import { type WatchStream, watchStream } from "../../client/watch-stream.ts";
import { quote } from "../../schema/values/quote.ts";
import { jsonText } from "../print/json-text.ts";

/** How the requests of a command differ from plain ones. */
export interface HelperOptions {
  readonly subresource?: string | undefined;
  /** Whether the server checks the request without storing the result. */
  readonly isDryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: string | undefined;
  /** The media types of responses, such as tables; JSON if not given. */
  readonly accept?: string | undefined;
  /** More parameters of all requests. */
  readonly query?: QueryParameters | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface ListParameters {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
export type PatchType = keyof typeof patchTypes;

/** Requests for the objects of one kind, by name and namespace. */
export interface Helper {
  get(place: ObjectPlace): Promise<DynamicObject>;
  list(namespace: string, parameters?: ListParameters): Promise<DynamicObject>;
  watch(namespace: string, parameters?: ListParameters): WatchStream<DynamicObject>;
  /** Creates an object; its resourceVersion is left out. */
  create(namespace: string, object: object): Promise<DynamicObject>;
  /** Replaces an object; with `overwrite` it takes the version of the server if it has none. */
  replace(place: ObjectPlace, object: DynamicObject, overwrite?: boolean): Promise<DynamicObject>;
  patch(place: ObjectPlace, patch: Patch): Promise<DynamicObject>;
  /** Deletes an object; resolves with it, or with a Status. */
  delete(place: ObjectPlace, options?: object): Promise<DynamicObject>;
}

export interface Patch {
  readonly type: PatchType;
  readonly body: object | string | Uint8Array;
  /** Takes over the fields of other field managers; only for server-side apply. */
  readonly force?: boolean | undefined;
}

/** Sends requests for objects of a kind that discovery found. */
export function helper(client: Client, kind: DiscoveredKind, options: HelperOptions = {}): Helper {
  const { subresource, isDryRun, fieldManager, fieldValidation, accept, query, signal } = options;
  const dryRun = isDryRun ? "All" : undefined;
  const path = (place: { readonly namespace: string; readonly name?: string }): string =>
    resourcePath(kind, {
      ...(place.namespace !== "" && { namespace: place.namespace }),
      ...(place.name !== undefined && { name: place.name, subresource: subresource || undefined }),
    });
  const send = async (request: RawRequest, name?: string): Promise<DynamicObject> => {
    const headers = { accept: accept ?? "application/json", ...request.headers };
    const response = await client.raw({
      ...request,
      query: { ...request.query, ...query },
      headers,
      signal,
    });
    return (await decodeResponse(response, {
      onWarning: options.onWarning,
      request: { method: request.method, kind, name },
    })) as DynamicObject;
  };
  const written = { dryRun, fieldManager: fieldManager || undefined, fieldValidation };

  const get: Helper["get"] = (place) => send({ method: "GET", path: path(place) }, place.name);
  return {
    get,
    list: (namespace, parameters = {}) =>
      send({ method: "GET", path: path({ namespace }), query: listQuery(parameters) }),
    watch: (namespace, parameters = {}) =>
      watchStream<DynamicObject>(
        () =>
          client.raw({
            method: "GET",
            path: path({ namespace }),
            query: { ...listQuery(parameters), watch: true, ...query },
            headers: { accept: accept ?? "application/json" },
            signal,
          }),
        { onWarning: options.onWarning, request: { method: "GET", kind } },
      ),
    create(namespace, object) {
      const body = `${jsonText(withoutVersion(object))}\n`;
      return send({ method: "POST", path: path({ namespace }), query: written, body });
    },
    async replace(place, object, overwrite) {
      const sent = overwrite ? await withServerVersion(object, () => get(place)) : object;
      const body = `${jsonText(sent)}\n`;
      return send({ method: "PUT", path: path(place), query: written, body }, place.name);
    },
    patch(place, { type, body, force }) {
      const headers = { "content-type": patchTypes[type] };
      const request = { method: "PATCH", path: path(place), headers, body } as const;
      return send({ ...request, query: { ...written, force } }, place.name);
    },
    delete(place, deleteOptions = {}) {
      const body = isDryRun ? { ...deleteOptions, dryRun: ["All"] } : deleteOptions;
      return send({ method: "DELETE", path: path(place), body }, place.name);
    },
  };
}

function listQuery({ limit, ...parameters }: ListParameters): QueryParameters {
  return { ...parameters, ...(limit && { limit }) };
}

function withoutVersion(object: object): object {
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: string } };
  if (!metadata?.resourceVersion) return object;
  const { resourceVersion: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with the version of the server's; the server rejects it if it cannot be read. */
async function withServerVersion(
  object: DynamicObject,
  get: () => Promise<DynamicObject>,
): Promise<DynamicObject> {
  if (object.metadata.resourceVersion) return object;
  const current = await get().catch(() => undefined);
  const { resourceVersion } = current?.metadata ?? {};
  return resourceVersion
    ? { ...object, metadata: { ...object.metadata, resourceVersion } }
    : object;
}

/** Adds to an error of a list request what was searched for; `resource` is its name in the message. */
export function listError(error: unknown, resource: string, parameters: ListParameters): unknown {
  if (!StatusError.is(error, "BadRequest", "NotFound")) return error;
  const { labelSelector = "", fieldSelector = "" } = parameters;
  const subject = quote(resource);
  const message =
    labelSelector === "" && fieldSelector === ""
      ? `Unable to list ${subject}: ${error.message}`
      : `Unable to find ${subject} that match label selector ${quote(labelSelector)}, field selector ${quote(fieldSelector)}: ${error.message}`;
  const { reason, details, code } = error;
  return new StatusError(reason, message, { details, code, cause: error });
}
