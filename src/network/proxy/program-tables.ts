import { mustRun } from "../../platform/run-child.ts";
import { removalInput } from "./proxy-transaction.ts";

/** Applies an input of nft as one transaction, in the network namespace of this process. */
export type RunNft = (input: string) => Promise<void>;

export const runNft: RunNft = async (input) => {
  await mustRun("nft", ["-f", "-"], { input });
};

/** Removes all that a service proxy has programmed, and nothing else. */
export const removeProxyTables = (run: RunNft = runNft): Promise<void> => run(removalInput());
