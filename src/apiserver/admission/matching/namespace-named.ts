import { Namespace } from "../../../api/core/v1/namespace.ts";
import { notFound } from "../../../api/meta/v1/status-error.ts";
import type { Reader } from "../../objects/reader.ts";

export type NamespaceReader = Pick<Reader, "getCached" | "get">;

/** A namespace as the cache has it, which may be behind the store; it throws if there is none in the store either. */
export function namespaceNamed(
  reader: NamespaceReader,
  name: string,
): Namespace | Promise<Namespace> {
  return reader.getCached(Namespace, { name }) ?? readNamespace(reader, name);
}

async function readNamespace(reader: NamespaceReader, name: string): Promise<Namespace> {
  const found = await reader.get(Namespace, { name });
  if (!found) throw notFound({ group: "", resource: "namespaces", name });
  return found;
}
