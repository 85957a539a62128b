import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { isEncrypted, joined } from "../../store/encryption/transformer.ts";
import type { Store } from "../../store/store.ts";
import { isExpiring, type Reencrypted } from "../encryption/reencrypt.ts";
import { resourceOfKey } from "../encryption/resource-of-key.ts";
import { everyEntry } from "./every-entry.ts";
import { readStored } from "./stored-object.ts";

/**
 * Has a running server write every value again that is not stored as new values are: its objects are replaced by
 * themselves. The store is only read, as the server has it.
 */
export async function reencryptServed(
  store: Store,
  client: Pick<Client, "raw">,
  { signal, onProgress }: ReencryptServedOptions,
): Promise<Reencrypted> {
  let [seen, written] = [0, 0];
  const unreadable: string[] = [];
  for await (const { key, value } of everyEntry(store, "/registry/")) {
    signal.throwIfAborted();
    seen++;
    if (seen % 500 === 0) onProgress({ seen, written, unreadable });
    if (isExpiring(key)) continue;
    if (isEncrypted(value)) unreadable.push(key);
    else if (await store.isStale?.(key)) {
      await replace(client, pathOf(key, value), signal);
      if (await store.isStale?.(key))
        throw new Error(
          `the server did not encrypt ${key} as the configuration says: has it loaded the same one?`,
        );
      written++;
    }
  }
  return { seen, written, unreadable };
}

interface ReencryptServedOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (done: Reencrypted) => void;
}

/** Replaces an object by itself, again if another client changes it meanwhile; one that is gone is left. */
async function replace(
  client: Pick<Client, "raw">,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      const found = await client.raw({ method: "GET", path, signal });
      if (found.status !== 200) await decodeResponse(found);
      // Bytes go back as they came: numbers in them may be larger than JavaScript's.
      const chunks: Uint8Array[] = [];
      for await (const chunk of found.bytes()) chunks.push(chunk);
      const body = joined(...chunks);
      await decodeResponse(await client.raw({ method: "PUT", path, body, signal }));
      return;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return;
      if (!StatusError.is(error, "Conflict")) throw error;
    }
  }
}

/** The path in the API of the object that is stored under a key. */
function pathOf(key: string, value: Uint8Array): string {
  const { object } = readStored(value);
  const resource = resourceOfKey(key)?.resource;
  const metadata = object && isMap(object.value) ? object.value.metadata : undefined;
  if (!object || resource === undefined || !isMap(metadata))
    throw new Error(`${key} cannot be written by a running server: stop it first`);
  const { name = "", namespace = "" } = metadata;
  const { apiVersion } = object;
  const parts = [
    ...(apiVersion.includes("/") ? ["apis", ...apiVersion.split("/")] : ["api", apiVersion]),
    ...(namespace === "" ? [] : ["namespaces", String(namespace)]),
    ...[resource, String(name)],
  ];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}
