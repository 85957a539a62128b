import { Namespace } from "../../api/core/v1/namespace.ts";
import { anyKind } from "../objects/reader.ts";
import { serverContext } from "../server-context.ts";
import { create } from "./create.ts";
import type { VerbParts } from "./verb-parts.ts";

/** Creates a namespace as the server itself. */
export async function createNamespace(parts: VerbParts, name: string): Promise<void> {
  const draft = { kind: "Namespace", apiVersion: "v1", metadata: { name }, spec: {} };
  const at = { kind: anyKind(Namespace), namespace: "" };
  await create(parts, at, { draft, context: serverContext() });
}
