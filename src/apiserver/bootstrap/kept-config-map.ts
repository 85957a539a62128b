import type { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Address } from "../objects/address.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

type Data = Readonly<Record<string, string>>;

/** A config map of the system. */
export const systemConfigMap = (name: string, data: Data): ApiObject & { readonly data: Data } => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "kube-system" },
  ...(data && { data }),
});

/** Where one of these is; undefined where there are no config maps. */
export function systemConfigMapAt({ resources }: VerbParts, name: string): Address | undefined {
  const kind = resources.find("", "v1", "configmaps");
  return kind && { kind, namespace: "kube-system", name };
}

/** What a config map holds. */
export const dataOf = (object: ApiObject | undefined): Data =>
  (object as ConfigMap | undefined)?.data ?? {};

/** Replaces what a config map holds. */
export async function setData(
  parts: VerbParts,
  address: Address,
  next: (data: Data) => Data,
): Promise<void> {
  const change = (existing: ApiObject | undefined) =>
    structuredClone({ ...existing, data: next(dataOf(existing)) }) as unknown as ObjectDraft;
  await update(parts, { address, subresource: "", change }, serverContext());
}
