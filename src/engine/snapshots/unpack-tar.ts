import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jailed, jailedFolder } from "./jailed.ts";
import { ended, startProgram } from "./run-program.ts";
import { type TarRewriter, tarTransform } from "./tar/tar-transform.ts";

/** How an archive is unpacked. */
export interface UnpackOptions {
  readonly rewriter: TarRewriter;
  /** Called with every piece of the archive as it came. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether others may change the folder meanwhile, so that tar must not see the host. */
  readonly isShared?: boolean | undefined;
}

/**
 * Unpacks an archive into a folder by GNU tar, which keeps owners, modes, attributes, links, holes and devices.
 * Rejects with the first reason: that of the rewriter, of tar, or of the archive's source.
 */
export async function unpackTar(
  folder: string,
  archive: Readable,
  options: UnpackOptions,
): Promise<void> {
  if (archive.errored) throw archive.errored;
  const into = (path: string) => ({ program: "tar", args: [...extractOptions, "-C", path] });
  const { program, args } = options.isShared
    ? jailed(folder, into(jailedFolder("")))
    : into(folder);
  const child = startProgram(program, args, { stdio: ["pipe", "ignore", "pipe"] });
  const { stdin } = child;
  if (stdin === null) throw new Error("tar has no input");
  const tapped = new PassThrough({
    transform: (chunk: Buffer, _encoding, done) => {
      options.onBytes?.(chunk);
      done(null, chunk);
    },
  });
  const end = ended("tar", child);
  const signal = options.signal ? { signal: options.signal } : {};
  const fed = pipeline(archive, tapped, tarTransform(options.rewriter), stdin, signal);
  const [feeding, ending] = await Promise.allSettled([
    fed.catch((error: unknown) => {
      child.kill("SIGKILL");
      throw error;
    }),
    end,
  ]);
  // When tar fails first, its input ends with EPIPE, which says nothing.
  if (feeding.status === "rejected" && !isClosedPipe(feeding.reason)) throw feeding.reason;
  if (ending.status === "rejected") throw ending.reason;
  if (feeding.status === "rejected") throw feeding.reason;
}

const extractOptions = [
  "--xattrs",
  "--xattrs-include=*",
  "--numeric-owner",
  "--delay-directory-restore",
  "--warning=no-timestamp",
  // The rewriter has resolved all names. Without this tar first makes files in the place of links, and mistakes
  // what comes to lie there later for them.
  "--absolute-names",
  "-xpf",
  "-",
];

function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET";
}
