import type { RouteSettings } from "../../../kubelet/api/routes.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { tlsProtocol } from "../../flags/tls-names.ts";
import type { ServingOptions } from "../../serving/serving.ts";

/** Where and to whom a kubelet serves its API. */
export interface KubeletServing {
  /** Whether the API is served; the port of health always is. */
  readonly isEnabled: boolean;
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The port for reading without credentials; 0 for none. */
  readonly readOnlyPort: number;
  /** The port of `/healthz` for programs of this machine; 0 for none. */
  readonly healthz: { readonly address: string; readonly port: number };
  /** The files of certificates, and the versions of TLS. */
  readonly files: ServingOptions;
  readonly access: KubeletAccess;
  readonly routes: RouteSettings;
}

/** How callers are authenticated and authorized. */
export interface KubeletAccess {
  /** Whether requests without credentials are accepted. */
  readonly anonymous: boolean;
  /** How long results of TokenReviews are cached; absent if tokens are not accepted. */
  readonly tokenTtlMs?: number | undefined;
  /** How long decisions of SubjectAccessReviews are cached; absent if everybody may do everything. */
  readonly decisionTtl?: { readonly allowedMs: number; readonly deniedMs: number } | undefined;
}

/** The settings of the kubelet's servers in its configuration; throws if they need an API server that there is not. */
export function kubeletServing(config: KubeletConfiguration, isStandalone = false): KubeletServing {
  const { authentication, authorization } = config;
  if (isStandalone && authentication.webhook.enabled)
    throw new Error("no client provided, cannot use webhook authentication");
  if (isStandalone && authorization.mode === "Webhook")
    throw new Error("no client provided, cannot use webhook authorization");
  const { webhook, x509, anonymous } = authentication;
  const cert = { flag: "tls-cert-file", path: config.tlsCertFile ?? "" };
  const key = { flag: "tls-private-key-file", path: config.tlsPrivateKeyFile ?? "" };
  const clientCa = { flag: "client-ca-file", path: x509.clientCAFile ?? "" };
  const decisions = authorization.webhook;
  return {
    isEnabled: config.enableServer ?? true,
    address: config.address,
    port: config.port,
    readOnlyPort: config.readOnlyPort ?? 0,
    healthz: { address: config.healthzBindAddress, port: config.healthzPort },
    files: {
      // A certificate that is requested replaces that of the files.
      ...(cert.path !== "" && !config.serverTLSBootstrap && { certificate: { cert, key } }),
      ...(clientCa.path !== "" && { clientCa }),
      protocol: tlsProtocol({
        minVersion: config.tlsMinVersion ?? "",
        cipherSuites: config.tlsCipherSuites ?? [],
        curves: (config.tlsCurvePreferences ?? []).map(String),
      }),
    },
    access: {
      anonymous: anonymous.enabled,
      ...(webhook.enabled && { tokenTtlMs: durationMs(webhook.cacheTTL) }),
      ...(authorization.mode === "Webhook" && {
        decisionTtl: {
          allowedMs: durationMs(decisions.cacheAuthorizedTTL),
          deniedMs: durationMs(decisions.cacheUnauthorizedTTL),
        },
      }),
    },
    routes: {
      debugging: config.enableDebuggingHandlers,
      systemLogs: config.enableSystemLogHandler,
      profiling: config.enableProfilingHandler,
      debugFlags: config.enableDebugFlagsHandler,
    },
  };
}

const durationMs = (text: string): number => Number(parseDuration(text)) / 1e6;
