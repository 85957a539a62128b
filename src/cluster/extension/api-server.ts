import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import type { Webhook } from "../../controller-runtime/webhooks/webhook-definition.ts";
import type { CustomKind } from "../../custom-kinds/language/kind-definition.ts";
import type { ComputedKind } from "./computed-kind.ts";
import type { ExtensionStore } from "./extension-store.ts";
import type { CertificateFiles } from "./given-certificates.ts";
import type { CertificateSecret } from "./kept-certificates.ts";
import type { OpenVersion } from "./open-version.ts";
import { serveExtension } from "./serve-extension.ts";

export interface ApiServerOptions {
  /** The name of the server, and the field manager that registers it. */
  readonly name: string;
  /** Kinds of `wherry/schema`, whose objects are stored, and computed ones, each by `computed(…)`. */
  readonly kinds?: readonly (CustomKind | ComputedKind)[] | undefined;
  /** Versions of groups whose resources are not known from the start. */
  readonly versions?: readonly OpenVersion[] | undefined;
  /** Defaults, validation and conversion of the kinds, each by a `webhook({…})` of `wherry/controller`; the server calls them itself. */
  readonly webhooks?: readonly Webhook[] | undefined;
  /** Where objects are stored; in memory if not given. */
  readonly store?: ExtensionStore | undefined;
  /**
   * The service of the pods that run the server. Without it API servers call this machine by a service that is made for
   * it, and the registration is removed at the end, as when a server runs on the machine of its developer.
   */
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        /** 443 if not given. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** The name of this machine for API servers, without a service; `localhost` if not given. */
  readonly host?: string | undefined;
  /** Where to listen: at 6443 of all addresses with a service, and at any free port of loopback without. */
  readonly port?: number | undefined;
  readonly address?: string | undefined;
  /**
   * The secret in which the pods of a service share their serving certificate, which is made if it is missing;
   * `NAME-serving` in the service's namespace if not given.
   */
  readonly secret?: CertificateSecret | undefined;
  /** The files of a serving certificate that somebody else makes; without them the server makes its own. */
  readonly certificate?: CertificateFiles | undefined;
  /** Whether the server writes its APIServices, with the authority to trust; true if not given. */
  readonly registers?: boolean | undefined;
  /** The order in which discovery shows groups, and versions of a group: higher ones come first. */
  readonly groupPriorityMinimum?: number | undefined;
  readonly versionPriority?: number | undefined;
  /** Who may do what in the cluster is asked again after this time; 10 s if not given. */
  readonly accessTtlMs?: number | undefined;
  /** Called with the port once it is open. */
  readonly onListening?: ((port: number) => void) | undefined;
}

/** A server of other APIs as a part of a manager. */
export interface ExtensionServer extends Runnable {
  readonly stage: "server";
  /** Whether the server is registered: `readyChecks` can ask for it. */
  readonly isRegistered: boolean;
}

/**
 * Serves kinds behind the aggregator of a cluster, whose API server says who callers are and what they may do:
 *
 * ```ts
 * await createManager({ ...(await connect()), runnables: [apiServer({ name: "flunders", kinds: [Flunder] })] }).run({ signal });
 * ```
 */
export function apiServer(options: ApiServerOptions): ExtensionServer {
  let isRegistered = (): boolean => false;
  return {
    name: `${options.name}-apiserver`,
    stage: "server",
    get isRegistered() {
      return isRegistered();
    },
    run: (signal, ctx) =>
      serveExtension(options, ctx, {
        signal,
        onRegistration(registration) {
          isRegistered = () => registration.isComplete;
        },
      }),
  };
}
