import { runNft } from "../run-nft.ts";
import { removalInput } from "./policy-table.ts";

/** Applies an input of nft as one transaction. */
export type RunNft = (input: string) => Promise<void>;

/** Removes all that network policies have programmed, and nothing else. */
export const removePolicyTables = (run: RunNft = (input) => runNft(input)): Promise<void> =>
  run(removalInput());
