import { mustRun } from "../../platform/run-child.ts";

/** Applies an input of nft as one transaction, in the network namespace of this process. */
export type RunNft = (input: string) => Promise<void>;

export const runNft: RunNft = async (input) => {
  await mustRun("nft", ["-f", "-"], { input });
};
