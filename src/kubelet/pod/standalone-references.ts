import type { ObjectKey } from "../../client/resource-kind.ts";
import type { WatchedReferences } from "./watched-references.ts";

/** The config maps and secrets of a kubelet without an API server: reading one fails. */
export const standaloneReferences: WatchedReferences = {
  configMap: (key) => missing("configMap", key),
  configMapBytes: (key) => missing("configMap", key),
  secret: (key) => missing("secret", key),
  secretBytes: (key) => missing("secret", key),
  pullSecret: (key) => missing("secret", key),
  retain() {},
  release() {},
  close() {},
};

const missing = (what: string, { namespace, name }: ObjectKey): Promise<never> =>
  Promise.reject(new Error(`couldn't get ${what} ${namespace}/${name}, no kubeClient defined`));
