import { join } from "node:path";

/** A command line of a client, and where it was typed. */
export interface ImageCommandLine {
  readonly args: readonly string[];
  readonly folder: string;
  /** The width of its terminal; absent if it is not a terminal. */
  readonly columns?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The socket at which the engine of a data directory runs commands for images. */
export const imageSocket = (dataDir: string): string => join(dataDir, "image.sock");

/** The header that has the command line; its input is the body of the request. */
export const commandLineHeader = "x-wherry-command-line";
