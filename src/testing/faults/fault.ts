import type { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Transport } from "../../client/transport.ts";

/** A request that a fault rule can match. */
export interface FaultyCall {
  /** The component that sends it: `kube-scheduler`. */
  readonly component: string;
  /** The user that sends it: `system:kube-scheduler`, `deployment-controller`. */
  readonly user: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; for a container
   * runtime the method, such as `startContainer` or `pullImage`.
   */
  readonly verb: string;
  /**
   * The resource with its subresource: `pods`, `pods/status`; `runtime` for requests to a container
   * runtime.
   */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A fault of a request. */
export type Fault =
  /** The request is not sent; it fails with this error. Default: a connection error. */
  | { readonly type: "fail"; readonly error?: StatusError | undefined }
  /** The request is sent, but its response is lost. */
  | { readonly type: "lose-response" }
  /** The request, or each event of a watch, is delayed. */
  | { readonly type: "delay"; readonly ms: number }
  /** A watch breaks after this time. */
  | { readonly type: "break"; readonly afterMs: number }
  /** A watch fails because its resourceVersion has expired. */
  | { readonly type: "expire" }
  /** The component is killed before or after the request is sent, and restarts. */
  | { readonly type: "crash"; readonly when: "before" | "after" };

/** Injects a fault into matching requests. */
export interface FaultRule {
  /** The requests that match. Default: all. */
  readonly calls?: Partial<FaultyCall> | ((call: FaultyCall) => boolean) | undefined;
  /** The probability from 0 to 1. Default: 1. */
  readonly chance?: number | undefined;
  /** The maximum number of faults. Default: unlimited. */
  readonly times?: number | undefined;
  readonly fault: Fault;
}

/** Injects faults into a running cluster. */
export interface Faults {
  /** Adds a rule; call the result to remove it. The first rule that matches a request applies. */
  add(rule: FaultRule): () => void;
  /** Disconnects a component or a user from the API server until the result is called. */
  partition(who: string): () => void;
  /** Pauses a component while time passes, until the result is called. */
  pause(component: string): () => void;
  /** Kills a component, which restarts at once. */
  crash(component: string): void;
  /**
   * Returns a transport with all permissions for a component of your own, whose requests faults can
   * affect.
   */
  transport(component: string): Transport;
  /** Removes all faults. */
  clear(): void;
}
