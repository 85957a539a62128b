import type { Clock } from "../base/clock.ts";
import type { VerifySignature } from "../base/cryptography/verify-signature.ts";
import type { Entropy } from "../base/entropy.ts";
import type { MetricSelection } from "../base/metric-selection.ts";
import type { Network } from "../base/network.ts";
import type { Random } from "../base/random.ts";
import type { Kind } from "../schema/language/kind.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionPlugin } from "./admission/admission.ts";
import type { AdmissionOptions } from "./admission/plugins.ts";
import type { Delegates } from "./aggregation/delegates.ts";
import type { AggregationOptions } from "./aggregation/remote-servers.ts";
import type { ServiceNetworkOptions } from "./allocation/service-network.ts";
import type { AuditOptions } from "./audit/auditing.ts";
import type { Authentication } from "./authentication/authenticate.ts";
import type { AuthenticationOptions } from "./authentication/server-authentication.ts";
import type { AbacPolicy } from "./authorization/abac.ts";
import type { Authorizer } from "./authorization/authorizer.ts";
import type { AuthorizerEntry } from "./authorization/configured-authorizer.ts";
import type { AuthorizationMode } from "./authorization/modes.ts";
import type { SystemReconcilersOptions } from "./bootstrap/system-reconcilers.ts";
import type { SelectedEgress } from "./connect/egress.ts";
import type { KubeletOptions } from "./connect/kubelet-connection.ts";
import type { DebugPages, VersionInfo } from "./documents/documents.ts";
import type { StoreTimeouts } from "./documents/health-checks.ts";
import type { HealthCheck } from "./documents/health-endpoints.ts";
import type { RuntimeConfig } from "./objects/runtime-config.ts";
import type { MaxInFlight } from "./request/load/in-flight.ts";
import type { ApiRequest } from "./request/request.ts";
import type { ComputedKinds } from "./subresources/computed-objects.ts";
import type { TracingOptions } from "./tracing/request-span.ts";

/** All options of an API server. */
export interface ApiServerOptions
  extends AuthenticationOptions,
    ServiceNetworkOptions,
    SystemReconcilersOptions,
    LoadOptions {
  readonly store: Store;
  /** How many bytes the store takes on disk, for metrics. */
  readonly storeBytes?: () => number;
  /** Whether objects of declared kinds are stored as JSON instead of protobuf; both are read. */
  readonly storesJson?: boolean;
  /** The interval of compaction; 0 for never, five minutes if not given. */
  readonly compactionIntervalMs?: number;
  /** The time limits of the store's health and readiness checks; two seconds if not given. */
  readonly storeTimeouts?: StoreTimeouts;
  /** Health checks of what the server uses beside its store, such as services that hold keys. */
  readonly healthChecks?: readonly HealthCheck[];
  /** All declared kinds. */
  readonly kinds: readonly Kind[];
  /** The versions to serve beside the stable ones, and those to leave out. */
  readonly runtimeConfig?: RuntimeConfig;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock, for durations; `clock` if not given. */
  readonly ticks?: () => number;
  readonly entropy: Entropy;
  readonly random: Random;
  /** Verifies the signatures of certificate requests. */
  readonly verifySignature: VerifySignature;
  readonly version: VersionInfo;
  /** Which metrics are shown; all that the version does not hide if not given. */
  readonly metricSelection?: Omit<MetricSelection, "minor">;
  /** The values of the server's flags, for `/flagz`; none of them is a secret. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Exports spans of requests; there are no traces if not given. */
  readonly tracing?: TracingOptions;
  /** Pages about the process, such as profiles; there are none if not given. */
  readonly debugPages?: DebugPages;
  /** The address of this server for clients, in `/api`. */
  readonly address?: () => string;
  /** The features that are on and are not by default; none if not given. */
  readonly features?: ReadonlySet<string> | undefined;
  /** Milliseconds until events expire; an hour if not given, 0: never. */
  readonly eventTtlMs?: number;
  /** The authorization modes, in order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** The authorizers, in order, instead of modes. */
  readonly authorizers?: readonly AuthorizerEntry[];
  /** The policies of the mode `ABAC`. */
  readonly abacPolicies?: readonly AbacPolicy[];
  /** Which requests are audited, and where; none if not given. */
  readonly audit?: AuditOptions;
  /** Whether containers may be privileged; true if not given. */
  readonly allowPrivileged?: boolean;
  /** The enabled admission plugins and their configuration; upstream's defaults if not given. */
  readonly admission?: AdmissionOptions;
  /** Whether aggregated roles are filled in at start, before a controller does it; true if not given. */
  readonly aggregatesRoles?: boolean;
  /** Connects to kubelets, pods and services; without it none can be reached. */
  readonly network?: Network;
  /** The networks of connections that are not made directly. */
  readonly egress?: SelectedEgress;
  /** How the servers of other APIs are reached. */
  readonly aggregation?: AggregationOptions;
  /** How kubelets are reached. */
  readonly kubelet?: KubeletOptions;
  /** Whether the server serves `metrics.k8s.io` itself, from what kubelets say; no if not given. */
  readonly resourceMetrics?: boolean;
  /** Regular expressions, in Go's syntax, of the web origins whose pages may call this server. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Directives of the header Strict-Transport-Security; without any there is no header. */
  readonly strictTransportSecurity?: readonly string[];
  /** Makes this a server of other APIs, behind the aggregation of a cluster. */
  readonly extension?: ExtensionOptions;
  /** Called with the name of each stage of the pipeline that a request or its response passes, for traces. */
  readonly observeStage?: (stage: string, request: ApiRequest) => void;
}

/** What a server of other APIs does not take from objects of its own. */
export interface ExtensionOptions {
  readonly authentication: Authentication;
  readonly authorizer: Authorizer;
  /** The admission plugins, instead of those of a cluster. */
  readonly plugins: readonly AdmissionPlugin[];
  readonly computed: ComputedKinds;
  /** Versions whose resources are no kinds. */
  readonly versions: Delegates;
}

/** The options that a fork must set itself; all others default to its parent's. */
export interface ForkOptions
  extends Pick<ApiServerOptions, ForkedOption>,
    Partial<Omit<ApiServerOptions, ForkedOption | "kinds" | "runtimeConfig">> {}

/** The store is a fork of the parent's, and randomness is not shared with it. */
type ForkedOption = "store" | "clock" | "entropy" | "random";

/** The limits of requests in number and time, and the orderly stop. */
export interface LoadOptions {
  /** How many requests may be in flight: 400 that read and 200 that write if not given. */
  readonly maxInFlight?: MaxInFlight;
  /**
   * Whether requests beyond the limit wait for their turn, by priority and fairly among their flows, instead of being
   * rejected; the limits in flight, added up, are then what all priority levels share. No if not given.
   */
  readonly priorityAndFairness?: boolean;
  /** The time limit of requests that are not long-running; a minute if not given. */
  readonly requestTimeoutMs?: number;
  /** The shortest duration of watches without a timeout of their own; half an hour if not given. */
  readonly minRequestTimeoutMs?: number;
  /** How long requests are still served after shutdown has begun and `/readyz` fails; 0 if not given. */
  readonly shutdownDelayMs?: number;
  /** Whether requests during shutdown get 429 with Retry-After, until no request is running. */
  readonly shutdownSendRetryAfter?: boolean;
  /** Over which time the watches of clients end during shutdown, before the server closes; 0 if not given. */
  readonly shutdownWatchMs?: number;
}
