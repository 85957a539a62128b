import { relative } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jailed, jailedFolder } from "./jailed.ts";
import { startProgram } from "./run-program.ts";
import { type TarRewriter, tarTransform } from "./tar/tar-transform.ts";

/** What is packed of a folder, and how. */
export interface PackOptions {
  /** The name of a file or folder below it, or `.`. */
  readonly name: string;
  readonly rewriter: TarRewriter;
  /** A root that the folder lies in, which others may change meanwhile, so that tar must not see the host. */
  readonly sharedRoot?: string | undefined;
}

/**
 * Packs a file or a tree by GNU tar, which reads owners, modes and attributes and never follows a link. The stream
 * ends only after tar has ended well.
 */
export function packTar(folder: string, { name, rewriter, sharedRoot }: PackOptions): Readable {
  const from = (path: string) => ({
    program: "tar",
    args: [...createOptions, "-cf", "-", "-C", path, "--", name],
  });
  const { program, args } =
    sharedRoot === undefined
      ? from(folder)
      : jailed(sharedRoot, from(jailedFolder(relative(sharedRoot, folder))));
  const child = startProgram(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stderr?.setEncoding("latin1").on("data", (text: string) => {
    if (printed.length < mostPrinted) printed += text;
  });
  const end = new Promise<Error | null>((resolve) => {
    child.once("error", (cause) => resolve(new Error("cannot run tar", { cause })));
    child.once("close", (code) => {
      // 1: files changed while they were read, as those of a running container do.
      if (code === 0 || code === 1) resolve(null);
      else resolve(new Error(printed.trim() || `tar ended with ${code}`));
    });
  });
  const untilEnd = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => void end.then(done),
  });
  // A failure before anybody reads is noticed by who reads: the stream keeps it.
  untilEnd.on("error", () => {});
  if (child.stdout !== null)
    pipeline(child.stdout, tarTransform(rewriter), untilEnd).catch(() => child.kill("SIGKILL"));
  return untilEnd;
}

const createOptions = [
  "--format=posix",
  "--xattrs",
  "--xattrs-include=*",
  "--numeric-owner",
  "--sort=name",
];

const mostPrinted = 4096;
