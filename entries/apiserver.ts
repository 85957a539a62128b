export type { User } from "../src/apiserver/request/identity.ts";
export {
  type ApiServerOptions,
  apiServer,
  type ExtensionServer,
} from "../src/cluster/extension/api-server.ts";
export {
  type ComputedChange,
  type ComputedDefinition,
  type ComputedKind,
  type ComputedName,
  type ComputedRequest,
  type ComputedReview,
  computed,
} from "../src/cluster/extension/computed-kind.ts";
export type { ExtensionStore } from "../src/cluster/extension/extension-store.ts";
export type { CertificateFiles } from "../src/cluster/extension/given-certificates.ts";
export type { CertificateSecret } from "../src/cluster/extension/kept-certificates.ts";
export type {
  OpenRequest,
  OpenResource,
  OpenVersion,
} from "../src/cluster/extension/open-version.ts";
