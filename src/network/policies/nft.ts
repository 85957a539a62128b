import { mustRun } from "../../platform/run-child.ts";
import { removalInput } from "./policy-table.ts";

/** Applies an input of nft as one transaction. */
export type RunNft = (input: string) => Promise<void>;

/** Runs nft in the network namespace of this process. */
export const runNft: RunNft = async (input) => {
  await mustRun("nft", ["-f", "-"], { input });
};

/**
 * Removes all that network policies have programmed, and nothing else.
 * Unused so far: there is no command yet by which a machine leaves a cluster.
 */
export const removePolicyTables = (run: RunNft = runNft): Promise<void> => run(removalInput());
