import type { Committer } from "../objects/committer.ts";
import type { Environment } from "../objects/environment.ts";
import type { ObjectReader } from "../objects/reader.ts";

/** What authenticators look up about tokens, and what they write: when a legacy token was last used. */
export interface TokenSources {
  readonly reader: ObjectReader;
  readonly committer: Committer;
  readonly environment: Pick<Environment, "clock">;
  /** Counts uses of tokens whose lifetime was extended; `isStale`: they should have been renewed. */
  readonly usedToken?: (isStale: boolean) => void;
  /** Counts uses of tokens that are kept in secrets. */
  readonly usedLegacyToken?: (use: LegacyTokenUse) => void;
}

/** What a token in a secret is found to be: one with a valid signature first, then whose secret it is. */
export type LegacyTokenUse = "signed" | "generated" | "manual" | "invalidated";
