export { type ConnectOptions, type Connection, connect } from "../src/kubeconfig/connect.ts";
export { contextConnection } from "../src/kubeconfig/context-connection.ts";
export type { Credentials, Identity } from "../src/kubeconfig/credentials.ts";
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
export {
  type InClusterOptions,
  inClusterConnection,
  isInCluster,
} from "../src/kubeconfig/in-cluster.ts";
export type {
  AuthInfo,
  Cluster,
  Context,
  ExecConfig,
  Kubeconfig,
  NamedAuthInfo,
  NamedCluster,
  NamedContext,
  NamedExtension,
} from "../src/kubeconfig/kubeconfig.ts";
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
  KubeconfigError,
  parseKubeconfig,
} from "../src/kubeconfig/parse-kubeconfig.ts";
export { type ProxyChoice, proxyFromEnvironment } from "../src/kubeconfig/proxy.ts";
export {
  type ChosenContext,
  chosenContext,
  validateKubeconfig,
} from "../src/kubeconfig/validate-kubeconfig.ts";
