import type { HmacSha256 } from "../base/cryptography/hmac-sha256.ts";
import type { SigningKey } from "../base/cryptography/token-key.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import {
  type ChangingValue,
  constantValue,
} from "../controller-runtime/reconcile/changing-value.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import {
  type ControllerSettings,
  type SettingValues,
  settingValues,
} from "./controller-setting.ts";
import type { CertificateSigners } from "./csrsigning/csr-signing-controller.ts";

/** A controller of kube-controller-manager: all that is known of it, declared once. */
export interface ControllerModule<S extends ControllerSettings = ControllerSettings> {
  /** As upstream calls it: `replicaset-controller`. */
  readonly name: string;
  /** Former names that `--controllers` still accepts. */
  readonly aliases?: readonly string[] | undefined;
  /**
   * The service account in `kube-system` as which it calls; the one of its name if not given, and the
   * identity of the manager if empty.
   */
  readonly account?: string | undefined;
  /** By which factors its rate limit exceeds that of other controllers. */
  readonly rateLimit?: { readonly qps: number; readonly burst: number } | undefined;
  /** Whether it runs only if `--controllers` names it. */
  readonly isOffByDefault?: boolean | undefined;
  /** Its flags. `concurrency` is how many keys each of its controllers reconciles at the same time. */
  readonly settings: S;
  /** Creates what runs; undefined where there is no work for it. */
  create(settings: SettingValues<S>, inputs: ControllerInputs): ControllerParts | undefined;
}

/** What controllers need that no single flag holds. */
export interface ControllerInputs {
  /** Certificates in PEM with which pods verify the API server; may be empty. */
  readonly rootCa: ChangingValue<string>;
  /** Signs the tokens in secrets of service accounts; without it none are issued. */
  readonly tokenSigner: SigningKey | undefined;
  /** Sign certificate requests, by the name of the signer; may be empty. */
  readonly certificateSigners: CertificateSigners;
  /** Signs `cluster-info` with bootstrap tokens; without it nothing does. */
  readonly hmacSha256: HmacSha256 | undefined;
  /** The names of the feature gates that are on, of those that have an effect. */
  readonly features: ReadonlySet<string>;
}

const noInputs: ControllerInputs = {
  rootCa: constantValue(""),
  tokenSigner: undefined,
  certificateSigners: {},
  hmacSha256: undefined,
  features: new Set(),
};

export interface ControllerParts {
  readonly run: readonly (Controller | Runnable)[];
  /** Answers `GET /debug/controllers/NAME/…`, with the rest of the path. */
  readonly debug?: ((path: string, query: URLSearchParams) => DebugAnswer) | undefined;
}

export interface DebugAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * Declares a controller. It is added to no list: `scripts/build/controllers.mjs` finds it.
 *
 * ```ts
 * export const ttlModule = controllerModule({
 *   name: "ttl-controller",
 *   aliases: ["ttl"],
 *   create: () => ({ run: [ttlController()] }),
 * });
 * ```
 */
export function controllerModule<S extends ControllerSettings = Record<never, never>>(
  module: Omit<ControllerModule<S>, "settings"> & { readonly settings?: S },
): ControllerModule<S> {
  return { ...module, settings: module.settings ?? ({} as S) };
}

export interface CreateOptions {
  /** Values of settings by the names of flags; their defaults if not given. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly inputs?: Partial<ControllerInputs> | undefined;
}

/** What runs of a controller, with its account and concurrency. */
export function createParts(
  module: ControllerModule,
  { values, inputs }: CreateOptions = {},
): ControllerParts | undefined {
  const { name, account = name } = module;
  const settings = settingValues(module.settings, values);
  const parts = module.create(settings, { ...noInputs, ...inputs });
  if (!parts) return undefined;
  const { concurrency } = settings;
  const isCounted = typeof concurrency === "number";
  const run = parts.run.map((one) => ({
    ...one,
    account,
    ...("reconcile" in one && isCounted && { concurrency }),
  }));
  return { ...parts, run };
}
