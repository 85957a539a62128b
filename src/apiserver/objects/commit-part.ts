import type { CommitOutcome, Op } from "../../store/store.ts";
import type { Address } from "./address.ts";
import type { ApiObject } from "./object.ts";

/** The write of one object, which must be as it was last seen; revision 0: it must not exist. */
export type ObjectWrite =
  | {
      readonly type: "put";
      readonly address: Address;
      readonly object: ApiObject;
      readonly ifRevision: number;
    }
  | { readonly type: "delete"; readonly address: Address; readonly ifRevision: number };

/** Something that must be stored together with an object: its addresses and ports, a quota's usage. */
export interface CommitPart {
  /**
   * Commits with the same lane run one after the other, because each needs the revision that the one
   * before leaves.
   */
  readonly lane?: string | undefined;
  /**
   * Returns the changes to store, for each attempt anew. Throws a StatusError to reject the write;
   * "lost" if another server has taken a value that this part claims.
   */
  changes(): readonly (ObjectWrite | Op)[] | "lost";
  /**
   * Called if a precondition on `outcome.key` failed. "retry" and "lost" if the key is one of this
   * part's, undefined if it is not; throws a StatusError to reject the write.
   */
  failed(
    outcome: FailedCommit,
  ): "retry" | "lost" | undefined | Promise<"retry" | "lost" | undefined>;
}

export type FailedCommit = CommitOutcome & { readonly ok: false };

/** All changes of one write, which are stored together or not at all. */
export interface WriteSet {
  /** Precedes the objects, so that a taken address is reported before a taken name. */
  readonly claim?: CommitPart | undefined;
  readonly objects: readonly ObjectWrite[];
  readonly charges?: readonly CommitPart[];
}
