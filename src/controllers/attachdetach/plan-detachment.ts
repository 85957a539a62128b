/** What decides whether a volume that no pod needs on a node can be detached from it. */
export interface DetachmentFacts {
  /** Whether the node says that the volume is in use, or says nothing. */
  readonly isInUse: boolean;
  readonly isHealthy: boolean;
  readonly isOutOfService: boolean;
  /** For how long no pod has needed the volume there. */
  readonly unwantedMs: number;
  /** Whether volumes are detached by force from nodes that say nothing for too long. */
  readonly forcesOnTimeout: boolean;
}

/** Why a volume is detached although nobody knows that it is safe. */
export type ForcedBecause = "timeout" | "out-of-service";

export type Detachment =
  | { readonly type: "wait"; readonly ms?: number }
  /** Without `forced`, the status of the node must be read again: it may use the volume by now. */
  | { readonly type: "detach"; readonly forced?: ForcedBecause };

/** How long a node is given to unmount a volume. */
const unmountMs = 6 * 60_000;

/** Whether to detach a volume that no pod needs on a node. */
export function planDetachment({
  isInUse,
  isHealthy,
  isOutOfService,
  unwantedMs,
  forcesOnTimeout,
}: DetachmentFacts): Detachment {
  const isLate = forcesOnTimeout && unwantedMs > unmountMs;
  if (isInUse && !isOutOfService && (isHealthy || !isLate)) {
    // Once it is late, only the node can change anything.
    const ms = unmountMs - unwantedMs + 1;
    return { type: "wait", ...(forcesOnTimeout && ms > 0 && { ms }) };
  }
  if (isLate) return { type: "detach", forced: "timeout" };
  return { type: "detach", ...(isOutOfService && { forced: "out-of-service" }) };
}
