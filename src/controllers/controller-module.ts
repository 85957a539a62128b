import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { ControllerSettings } from "./controller-settings.ts";

/** A controller of kube-controller-manager, as `--controllers` chooses it. */
export interface ControllerModule {
  /** As upstream calls it: `replicaset-controller`. */
  readonly name: string;
  /** What it was called before, and may still be. */
  readonly aliases?: readonly string[] | undefined;
  /** The service account in `kube-system` in whose name it calls; that of its name if not given, and none but the manager's own identity if empty. */
  readonly account?: string | undefined;
  /** How many times as many calls it may make as others. */
  readonly calls?: { readonly qps: number; readonly burst: number } | undefined;
  /** Whether it runs only where it is named. */
  readonly isOffByDefault?: boolean | undefined;
  /** What runs when it does; nothing where the settings leave it without work. */
  parts(settings: ControllerSettings): ControllerParts | undefined;
}

export interface ControllerParts {
  readonly controllers?: readonly Controller[] | undefined;
  readonly runnables?: readonly Runnable[] | undefined;
  /** Answers `GET /debug/controllers/NAME/…`, with the rest of the path. */
  readonly debug?: ((path: string, query: URLSearchParams) => DebugAnswer) | undefined;
}

export interface DebugAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}
