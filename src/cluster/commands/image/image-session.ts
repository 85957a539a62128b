import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable, Writable } from "node:stream";
import type { Images } from "../../../engine/images/images.ts";

/** What a command for images works with: that of its own process, or of a client of the engine that runs it. */
export interface ImageSession {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  /** The folder that paths on the command line are relative to. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The images, if they are open already. */
  readonly images?: Images | undefined;
}

/** Commands that an engine runs for a client are in a session of their own. */
export const clientSession = new AsyncLocalStorage<ImageSession>();

/** The session of the command that is running. */
export const imageSession = (): ImageSession =>
  clientSession.getStore() ?? {
    stdin: process.stdin,
    stdout: process.stdout,
    folder: process.cwd(),
    env: process.env,
  };
