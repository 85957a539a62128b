import { DeleteOptions } from "../../api/meta/v1/options.ts";
import { Status } from "../../api/meta/v1/status.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { encodeJson } from "../../schema/json/json.ts";
import type { Stored } from "../objects/stored.ts";
import { listOptions } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import {
  addressOf,
  answerContext,
  type ResourceRequest,
  requestContext,
} from "../request/resource-request.ts";
import { answer, listResponse, objectResponse } from "../request/respond.ts";
import { checkDeleteOptions, type Deletion, deleteObject } from "./delete.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { list } from "./list.ts";
import { selectionOf } from "./selection.ts";

/** Deletes an object. */
export async function deleteOne(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, parts } = request;
  const options = deleteOptions(request);
  const context = deletionContext(request, options);
  const { object, gone } = await deleteObject(parts, addressOf(request), { options, context });
  // Upstream sends 202 for a pending deletion only to clients that set orphanDependents.
  const status = !gone && options.orphanDependents === false ? 202 : 200;
  if (!gone || kind.strategy.deleteReturnsObject)
    return objectResponse(kind, object, { ...answerContext(request), status });
  const { name, uid } = object.metadata;
  const done = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(kind.group !== "" && { group: kind.group }), kind: kind.plural, uid },
  };
  return answer(200, done, { ...answerContext(request), struct: Status });
}

function deleteOptions({ request, query, kind, warnings, audit }: ResourceRequest): DeleteOptions {
  const { ignoreStoreReadErrorWithClusterBreakingPotential: _, ...options } = readDeleteOptions(
    request,
    query,
  );
  const isSent = request.value !== undefined || (request.body?.length ?? 0) > 0;
  if (isSent) audit?.sentText(() => optionsText(options));
  checkDeleteOptions(options);
  const { dependentsWarning } = kind.strategy;
  const { propagationPolicy, orphanDependents } = options;
  if (dependentsWarning && propagationPolicy === undefined && orphanDependents === undefined)
    warnings.push(dependentsWarning);
  return options;
}

/** Options that were sent, under the version that upstream's audit names, whatever the client's was. */
const optionsText = ({ kind: _, apiVersion: __, ...options }: DeleteOptions): string =>
  encodeJson(DeleteOptions, {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/__internal",
    ...options,
  });

const deletionContext = (request: ResourceRequest, options: DeleteOptions) =>
  requestContext(request, {
    dryRun: (options.dryRun?.length ?? 0) > 0,
    given: options,
  });

/** Deletes all objects that are selected. */
export async function deleteCollection(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, parts } = request;
  const listing = listOptions(query);
  const selection = selectionOf(kind, listing);
  const options = deleteOptions(request);
  const page = await list(parts.reader, {
    kind,
    namespace: path.namespace,
    options: listing,
    selection,
  });
  const deletion = { options, context: deletionContext(request, options), isOneOfMany: true };
  for (const stored of page.objects) await deleteEach(request, stored, deletion);
  return listResponse(kind, page, answerContext(request));
}

/** Ignores NotFound: another request may have deleted the object. */
async function deleteEach(
  { kind, parts }: ResourceRequest,
  { object }: Pick<Stored, "object">,
  deletion: Deletion,
): Promise<void> {
  const { name = "", namespace = "" } = object.metadata;
  try {
    await deleteObject(parts, { kind, namespace, name }, deletion);
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
  }
}
