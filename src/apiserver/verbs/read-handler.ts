import { badRequest, methodNotAllowed, pathNotFound } from "../../api/meta/v1/status-error.ts";
import { listOptions, parseVersion } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import {
  addressOf,
  answerContext,
  type ResourceRequest,
  shown,
} from "../request/resource-request.ts";
import { listResponse, objectResponse } from "../request/respond.ts";
import type { ComputedObjects } from "../subresources/computed-objects.ts";
import { computedWatchResponse, watchResponse } from "../watch/watch-response.ts";
import { list, reach } from "./list.ts";
import { selectionOf } from "./selection.ts";

/** Reads one object. */
export async function getObject(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, parts } = request;
  if (query.flag("export"))
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  if (!kind.isStored) {
    const wanted = { ...computedFor(request), name: path.name };
    const object = await (computedOf(request).get?.(kind, wanted) ?? notServed());
    return objectResponse(kind, object, { ...answerContext(request), status: 200 });
  }
  const version = query.text("resourceVersion");
  await reach(parts.reader, parseVersion(version));
  const address = addressOf(request);
  // As upstream, a client that names no version sees what the webhook makes of the object now.
  const stored =
    kind.converter && version === ""
      ? await parts.reader.readAnew(address)
      : await parts.reader.read(address);
  return shown(request, stored, 200);
}

/** Lists the selected objects, or a page of them. */
export async function listObjects(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, parts } = request;
  const options = listOptions(query);
  const selection = selectionOf(kind, options);
  const page = kind.isStored
    ? await list(parts.reader, { kind, namespace: path.namespace, options, selection })
    : await (computedOf(request).list?.(kind, { ...computedFor(request), selection }) ??
        notServed());
  return listResponse(kind, page, answerContext(request));
}

function computedOf({ kind, parts }: ResourceRequest): ComputedObjects {
  const found = parts.computed(kind);
  if (!found) throw pathNotFound();
  return found;
}

const computedFor = ({ path: { namespace }, attributes: { user }, request }: ResourceRequest) => ({
  namespace,
  user,
  signal: request.signal,
});

function notServed(): never {
  throw methodNotAllowed();
}

/** Streams the changes of the selected objects; a path under `watch/` can name a single object. */
export async function watchObjects(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, parts } = request;
  const options = { ...listOptions(query), watch: true };
  const named =
    path.name === ""
      ? options
      : { ...options, fieldSelector: withName(options.fieldSelector, path.name) };
  const selection = selectionOf(kind, named);
  const context = { options, selection, ...answerContext(request) };
  if (!kind.isStored) {
    const events = computedOf(request).watch?.(kind, { ...computedFor(request), selection });
    return computedWatchResponse(request, context, events ?? notServed());
  }
  const version = parseVersion(options.resourceVersion);
  if (options.sendInitialEvents) await reach(parts.reader, version);
  const { cache } = parts.reader;
  if (options.resourceVersion === "" || options.sendInitialEvents) await cache.fresh();
  if (kind.converter) await cache.converted.ready(kind, cache.of(kind));
  return watchResponse(request, context);
}

const withName = (selector: string, name: string): string =>
  selector === "" ? `metadata.name=${name}` : `${selector},metadata.name=${name}`;
