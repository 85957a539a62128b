import type { Clock } from "../base/clock.ts";
import type { Entropy } from "../base/entropy.ts";
import type { Network } from "../base/network.ts";
import type { Random } from "../base/random.ts";
import type { VerifySignature } from "../base/verify-signature.ts";
import type { Kind } from "../schema/language/kind.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionOptions } from "./admission/plugins.ts";
import type { ServiceNetworkOptions } from "./allocation/service-network.ts";
import type { AuthenticationOptions } from "./authentication/server-authentication.ts";
import type { AbacPolicy } from "./authorization/abac.ts";
import type { AuthorizationMode } from "./authorization/modes.ts";
import type { UpkeepOptions } from "./bootstrap/upkeep.ts";
import type { KubeletOptions } from "./connect/kubelet-connection.ts";
import type { VersionInfo } from "./documents/documents.ts";
import type { StoreTimeouts } from "./documents/health-checks.ts";
import type { RuntimeConfig } from "./objects/runtime-config.ts";
import type { MaxInFlight } from "./request/load/in-flight.ts";
import type { ApiRequest } from "./request/request.ts";

/** All that whoever runs an API server can say. */
export interface ApiServerOptions
  extends AuthenticationOptions,
    ServiceNetworkOptions,
    UpkeepOptions,
    LoadOptions {
  readonly store: Store;
  /** How many bytes the store takes on disk, for metrics. */
  readonly storeBytes?: () => number;
  /** How often what is not current any more is forgotten; 0 for never, five minutes if not given. */
  readonly compactionIntervalMs?: number;
  /** How long the store may take to say that it is well, and that it is ready; two seconds if not given. */
  readonly storeTimeouts?: StoreTimeouts;
  /** All that are declared. */
  readonly kinds: readonly Kind[];
  /** Which of them are served, beside the stable ones. */
  readonly runtimeConfig?: RuntimeConfig;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward, to time what is short; `clock` if not given. */
  readonly ticks?: () => number;
  readonly entropy: Entropy;
  readonly random: Random;
  /** Verifies the signatures of certificate requests. */
  readonly verifySignature: VerifySignature;
  readonly version: VersionInfo;
  /** The values of flags by which the server was started, for `/flagz`; none of them is a secret. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Where clients find this server, as `/api` tells them. */
  readonly address?: () => string;
  /** Milliseconds after which events are forgotten; an hour if not given, 0: never. */
  readonly eventTtlMs?: number;
  /** How requests are authorised, in this order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** What the mode `ABAC` allows. */
  readonly abacPolicies?: readonly AbacPolicy[];
  /** Whether containers may be privileged; true if not given. */
  readonly allowPrivileged?: boolean;
  /** Which admission plugins have a say, and what they are told; upstream's defaults if not given. */
  readonly admission?: AdmissionOptions;
  /** Whether roles that are made of others are filled in at start, until a controller does; true if not given. */
  readonly aggregatesRoles?: boolean;
  /** How others are reached; nobody is if not given. */
  readonly network?: Network;
  /** How kubelets are reached. */
  readonly kubelet?: KubeletOptions;
  /** Regular expressions, in Go's syntax, of the web origins whose pages may call this server. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Directives of the header Strict-Transport-Security; without any there is no header. */
  readonly strictTransportSecurity?: readonly string[];
  /** Called with the name of each stage of the pipeline that a request or its response passes, for traces. */
  readonly observeStage?: (stage: string, request: ApiRequest) => void;
}

/** What a fork of a server has for itself; all else it has as the server it was forked from. */
export interface ForkOptions
  extends Pick<ApiServerOptions, ForkedOption>,
    Partial<Omit<ApiServerOptions, ForkedOption | "kinds" | "runtimeConfig">> {}

/** The store is a fork of the other's, and what chance comes from is not shared with it. */
type ForkedOption = "store" | "clock" | "entropy" | "random";

/** How much is served at once, for how long, and how the server comes to rest. */
export interface LoadOptions {
  /** How many requests may be served at once: 400 that read and 200 that write if not given. */
  readonly maxInFlight?: MaxInFlight;
  /** How long a request may take that is no watch or the like; a minute if not given. */
  readonly requestTimeoutMs?: number;
  /** How long watches last at least whose clients do not say; half an hour if not given. */
  readonly minRequestTimeoutMs?: number;
  /** How long requests are still served after shutdown began and `/readyz` says so; 0 if not given. */
  readonly shutdownDelayMs?: number;
  /** Whether requests that come during shutdown are told to come again (429), until none is running. */
  readonly shutdownSendRetryAfter?: boolean;
}
