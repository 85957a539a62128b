import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import { type HelperOptions, helper } from "./helper.ts";
import { type Info, kindOf } from "./info.ts";

/** Requests the object that an info names. If it is not found, the error may be that its namespace is missing. */
export async function requestedObject(
  client: Client,
  info: Info,
  options: HelperOptions = {},
): Promise<DynamicObject> {
  const { subresource, namespace } = info;
  try {
    return await helper(client, kindOf(info), { ...options, subresource }).get(info);
  } catch (error) {
    if (!StatusError.is(error, "NotFound") || namespace === "" || namespace === "default")
      throw error;
    throw (await namespaceError(client, namespace, options)) ?? error;
  }
}

/** The error that a namespace does not exist; undefined if it does, or if that is not known. */
async function namespaceError(
  client: Client,
  namespace: string,
  { accept, query, signal, onWarning }: HelperOptions,
): Promise<unknown> {
  try {
    const path = `/api/v1/namespaces/${namespace}`;
    const headers = { accept: accept ?? "application/json" };
    const request = { method: "GET", path, headers, signal } as const;
    const response = await client.raw({ ...request, ...(query && { query }) });
    await decodeResponse(response, { onWarning });
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return error;
  }
  return undefined;
}
