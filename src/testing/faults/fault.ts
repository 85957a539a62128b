import type { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Transport } from "../../client/transport.ts";

/** A call that a fault may befall. */
export interface FaultyCall {
  /** Whose it is: `kube-scheduler`. */
  readonly component: string;
  /** In whose name it is made: `system:kube-scheduler`, `deployment-controller`. */
  readonly user: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; of a container
   * runtime the method, such as `startContainer` and `pullImage`.
   */
  readonly verb: string;
  /** With its subresource: `pods`, `pods/status`; `runtime` for calls of a container runtime. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What happens to a call. */
export type Fault =
  /** It is not made; whoever makes it is told so, or is refused. */
  | { readonly type: "fail"; readonly error?: StatusError | undefined }
  /** It is made, and its answer is lost. */
  | { readonly type: "lose" }
  /** It is made so much later; what a watch tells comes so late. */
  | { readonly type: "delay"; readonly ms: number }
  /** A watch breaks after a while. */
  | { readonly type: "break"; readonly afterMs: number }
  /** A watch is told that what it would go on from is too old. */
  | { readonly type: "expire" }
  /** The component is killed, before the call is made or after, and starts anew. */
  | { readonly type: "crash"; readonly when: "before" | "after" };

/** Which calls a fault befalls. */
export interface FaultRule {
  /** Those that are like this; all of them if not given. */
  readonly calls?: Partial<FaultyCall> | ((call: FaultyCall) => boolean) | undefined;
  /** How likely it is, up to 1; certain if not given. */
  readonly chance?: number | undefined;
  /** How often at most; as often as it can if not given. */
  readonly times?: number | undefined;
  readonly fault: Fault;
}

/** Faults of a cluster, which a test adds and takes away. */
export interface Faults {
  /** Adds a rule, which the first matching call meets that no earlier rule befell; the result takes it away. */
  add(rule: FaultRule): () => void;
  /** Nobody of a component, or whose name it is, reaches the API server until the result is called. */
  partition(who: string): () => void;
  /** Stops a component, or lets it go on: time passes without it. */
  pause(component: string): () => void;
  /** Kills a component, which starts anew at once. */
  crash(component: string): void;
  /** A transport for something of the test's own that is to meet faults, by a name for it; it may do everything. */
  transport(component: string): Transport;
  /** Ends all faults that were added. */
  clear(): void;
}
