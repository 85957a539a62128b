export { type Connection, type ConnectOptions, connect } from "../src/kubeconfig/connect.ts";
export { type DiscoveryFilesOptions, discoveryFiles } from "../src/kubeconfig/discovery-files.ts";
export {
  type ContextSummary,
  deleteEntry,
  flattenedKubeconfig,
  listContexts,
  minifiedKubeconfig,
  renameContext,
  setEntry,
  useContext,
} from "../src/kubeconfig/edit-kubeconfig.ts";
export {
  type HttpsTransport,
  type HttpsTransportOptions,
  httpsTransport,
} from "../src/kubeconfig/https-transport.ts";
export type { InClusterOptions } from "../src/kubeconfig/in-cluster.ts";
export type { Kubeconfig, Section } from "../src/kubeconfig/kubeconfig.ts";
export { KubeconfigError } from "../src/kubeconfig/kubeconfig-error.ts";
export {
  type KubeconfigFile,
  type KubeconfigPlaces,
  kubeconfigPaths,
  type LoadedKubeconfig,
  loadKubeconfig,
  resolvedKubeconfig,
} from "../src/kubeconfig/load-kubeconfig.ts";
export { mergeKubeconfigs } from "../src/kubeconfig/merge-kubeconfigs.ts";
export { modifyKubeconfig } from "../src/kubeconfig/modify-kubeconfig.ts";
export {
  formatKubeconfig,
  parseKubeconfig,
} from "../src/kubeconfig/parse-kubeconfig.ts";
export { validateKubeconfig } from "../src/kubeconfig/validate-kubeconfig.ts";
