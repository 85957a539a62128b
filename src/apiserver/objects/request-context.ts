import type { Attributes } from "../authorization/attributes.ts";
import type { User } from "../request/identity.ts";

/** How long a request may still take. */
export interface TimeLeft {
  readonly ms: number;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** The caller of a request, its options, and the warnings and annotations of its response. */
export interface RequestContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** The field manager of the written fields. */
  readonly fieldManager: string;
  /** Texts for Warning headers, in order. */
  readonly warnings: string[];
  /** The attributes by which the request was authorized; absent for the server's own writes. */
  readonly attributes?: Attributes;
  /** The options that the client sent; absent for the server's own writes. */
  readonly options?: object;
  /** Throws when the request has timed out; absent for the server's own writes. */
  readonly checkpoint?: () => void;
  /** How long the request may still take; absent for the server's own writes. */
  readonly timeLeft?: () => TimeLeft;
  /** Annotations that admission adds to the audit log, by key. */
  readonly auditAnnotations?: Map<string, string>;
  /** The same for the patches of webhooks, which belong only into logs that hold requests. */
  readonly auditedPatches?: Map<string, string>;
}
