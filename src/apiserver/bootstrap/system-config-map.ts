import type { ApiObject } from "../objects/object.ts";

export type Data = Readonly<Record<string, string>>;

/** A config map that the server writes. */
export const systemConfigMap = (name: string, data: Data): ApiObject & { readonly data: Data } => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "kube-system" },
  data,
});
