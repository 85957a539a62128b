import type { Address } from "./address.ts";
import type { CommitPart } from "./commit-part.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "./object.ts";

/** An object that is about to be written. */
export interface AboutToWrite {
  readonly kind: AnyKind;
  readonly draft: ObjectDraft;
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
}

/** Allocates values that must be unique in the cluster, such as addresses and ports. */
export interface Allocator {
  /** Begins to allocate for a write; undefined for kinds that need nothing. */
  begin(write: AboutToWrite): Allocation | undefined;
  /** Releases the values of an object that is removed, as of a revision; undefined if it has none. */
  release(address: Address, revision: number): Promise<Release> | undefined;
}

export interface Allocation {
  /** Claims the values of the object; called again for other values if another server took them first. */
  claim(): Promise<Claim>;
}

/** The values that a write takes and releases. This server allocates them to no other write until the end. */
export interface Claim {
  /** A copy of the object, completed. */
  readonly draft: ObjectDraft;
  /** Absent for a dry run. */
  readonly part: CommitPart | undefined;
  end(): void;
}

export interface Release {
  readonly part: CommitPart;
  /** Objects that are deleted after the object, without admission. */
  readonly dependents: readonly Address[];
}

/** Allocates nothing. */
export const noAllocation: Allocator = {
  begin: () => undefined,
  release: () => undefined,
};
