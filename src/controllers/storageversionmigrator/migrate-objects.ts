import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import type { ApiResource } from "../../client/discovery/server-apis.ts";
import { eachItem } from "../../client/pages.ts";
import { dynamicKind, metadataOnly } from "../../client/resource-kind.ts";
import { compareVersions, isAtLeast } from "../../client/resource-version.ts";
import { TransportError } from "../../client/transport.ts";

export interface MigrateOptions {
  readonly client: Client;
  readonly fieldManager: string;
  /** Objects of later versions are stored as they should be. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/**
 * Has the server store each object of a resource anew, unchanged. An object that has been changed, deleted or
 * created again meanwhile needs nothing: that is a conflict. Throws the error of the first object that fails.
 */
export async function migrateObjects(
  resource: ApiResource,
  { client, fieldManager, resourceVersion, signal }: MigrateOptions,
): Promise<void> {
  const kind = dynamicKind(resource);
  for await (const { metadata } of eachItem(client, metadataOnly(kind), { signal })) {
    const { name = "", namespace, uid, resourceVersion: own = "" } = metadata;
    if (compareVersions(own, resourceVersion) === undefined)
      throw new NotComparable(`resource version is not well formed: ${own}`);
    if (own !== resourceVersion && isAtLeast(own, resourceVersion)) continue;
    // With its uid, an object that is gone is not created; with its version, a later one is left alone.
    const body = {
      apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name, ...(namespace && { namespace }), uid, resourceVersion: own },
    };
    try {
      await client.apply(kind, body, { fieldManager, signal });
    } catch (error) {
      if (!StatusError.is(error, "Conflict")) throw error;
    }
  }
}

/** The versions of objects are no numbers. */
class NotComparable extends Error {
  override readonly name = "NotComparable";
}

/** Whether an error may be gone when it is tried again. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof TransportError || (error instanceof StatusError && temporary.has(error.reason));

const temporary: ReadonlySet<string> = new Set([
  "ServerTimeout",
  "TooManyRequests",
  "ServiceUnavailable",
  "InternalError",
  "Timeout",
  // Between two pages of the list; it begins again.
  "Expired",
]);
