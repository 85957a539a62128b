export {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  notFound,
  type Reason,
  type StatusDetails,
  StatusError,
} from "../src/api/meta/v1/status-error.ts";
export type { Clock, Timer } from "../src/base/clock.ts";
export { type Log, noLog } from "../src/base/log.ts";
export type { Metrics } from "../src/base/metrics.ts";
export type { Random } from "../src/base/random.ts";
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  SelectOptions,
  Selector,
  WatchOptions,
  WriteOptions,
} from "../src/client/call-options.ts";
export {
  type Client,
  type ClientOptions,
  createClient,
  type RawRequest,
  type Subresource,
  type SubresourceOption,
} from "../src/client/client.ts";
export {
  createDiscovery,
  type Discovery,
  type DiscoveryOptions,
  type ServerVersion,
} from "../src/client/discovery/discovery.ts";
export type { DiscoveryCache } from "../src/client/discovery/discovery-cache.ts";
export { AmbiguousError, NoMatchError } from "../src/client/discovery/mapping-errors.ts";
export {
  createRestMapper,
  type DiscoveredKind,
  type RestMapper,
  type RestMapperOptions,
} from "../src/client/discovery/rest-mapper.ts";
export {
  type ApiGroup,
  type ApiResource,
  type ApiSubresource,
  preferredResources,
  type ServerApis,
} from "../src/client/discovery/server-apis.ts";
export { ignoreNotFound } from "../src/client/ignore-not-found.ts";
export type { Impersonation } from "../src/client/impersonated-user.ts";
export type {
  CacheReader,
  HandlerOptions,
  HandlerRegistration,
  Indexers,
  Informer,
  InformerHandler,
  InformerHealth,
  InformerOptions,
} from "../src/client/informer/informer-options.ts";
export {
  createInformers,
  type Informers,
  type InformersOptions,
} from "../src/client/informer/informers.ts";
export { withoutManagedFields } from "../src/client/informer/without-managed-fields.ts";
export type { ObjectList } from "../src/client/object-list.ts";
export {
  eachItem,
  type ListAllOptions,
  listAll,
  type PageOptions,
  pages,
} from "../src/client/pages.ts";
export type { JsonPatchOperation, PartialInput, Patch } from "../src/client/patch.ts";
export {
  type DynamicObject,
  dynamicKind,
  formatKey,
  type KubernetesObject,
  keyOf,
  type MetadataInput,
  type MetadataObject,
  metadataOnly,
  type ObjectKey,
  parseKey,
  type ResourceKind,
} from "../src/client/resource-kind.ts";
export type { RetryOptions } from "../src/client/retrying.ts";
export { Eviction, PodBinding, Scale, TokenRequest } from "../src/client/subresource-kinds.ts";
export {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../src/client/transport.ts";
export {
  type WaitForDeletionOptions,
  type WaitForOptions,
  waitFor,
  waitForDeletion,
} from "../src/client/wait-for.ts";
export {
  type Bookmark,
  endsInitialEvents,
  type WatchEvent,
  type WatchStream,
} from "../src/client/watch-stream.ts";
export { withChanges } from "../src/client/with-changes.ts";
