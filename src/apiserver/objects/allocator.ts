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

/** Gives objects what must be unique in the cluster, such as addresses and ports. */
export interface Allocator {
  /** Begins to allocate for a write; undefined for kinds that need nothing. */
  begin(write: AboutToWrite): Allocation | undefined;
  /** What is given back when an object, as of a revision, is removed; undefined if it has nothing. */
  release(address: Address, revision: number): Promise<Release> | undefined;
}

export interface Allocation {
  /** Claims what the object needs; called again, with other choices, if a claim was lost to another server. */
  claim(): Promise<Claim>;
}

/** What a write takes and gives up. This server gives it to nobody else until the claim ends. */
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
