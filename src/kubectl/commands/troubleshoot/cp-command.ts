import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DeadlineExceeded, withDeadline } from "../../../base/clock.ts";
import { boolFlag, intFlag } from "../../../cli/flag.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { archiveOfContainer } from "./cp/archive-of-container.ts";
import { extractArchive } from "./cp/extract-archive.ts";
import { baseName, cleanPath, type FileSpec, joinPaths, parseFileSpec } from "./cp/file-spec.ts";
import { writeArchive } from "./cp/write-archive.ts";
import { containerFlags } from "./exec/container-flags.ts";
import { runInContainer } from "./exec/run-in-container.ts";

const flags = {
  ...containerFlags,
  "no-preserve": boolFlag({
    usage: "Give the copies in the container other owners and permissions than the originals",
  }),
  retries: intFlag({
    usage:
      "How often a copy from a container is resumed if it breaks off: 0 for never, a negative number for any number of times. The default is 0.",
  }),
};

export const cpCommand = kubectlCommand({
  name: "cp",
  usage: "<file-spec-src> <file-spec-dest>",
  short: "Copy files and directories to and from containers",
  long: "Copy files and directories to and from containers.",
  examples: `# The container needs the program 'tar': without it, this command fails.
# For symbolic links, wildcards or permissions, 'kubectl exec' can do more:

# Copy /tmp/foo of this machine to /tmp/bar in a pod
tar cf - /tmp/foo | kubectl exec -i -n <some-namespace> <some-pod> -- tar xf - -C /tmp/bar

# Copy /tmp/foo of a pod to /tmp/bar of this machine
kubectl exec -n <some-namespace> <some-pod> -- tar cf - /tmp/foo | tar xf - -C /tmp/bar

# Copy the folder /tmp/foo_dir to /tmp/bar_dir in a pod
kubectl cp /tmp/foo_dir <some-pod>:/tmp/bar_dir

# Copy the file /tmp/foo to /tmp/bar in one container of a pod
kubectl cp /tmp/foo <some-pod>:/tmp/bar -c <specific-container>

# Copy the file /tmp/foo to /tmp/bar in a pod of another namespace
kubectl cp /tmp/foo <some-namespace>/<some-pod>:/tmp/bar

# Copy /tmp/foo of a pod to /tmp/bar of this machine
kubectl cp <some-namespace>/<some-pod>:/tmp/foo /tmp/bar`,
  flags,
  async run(context) {
    const [first = "", second = ""] = context.args;
    if (context.args.length !== 2) throw new Error("source and destination are required");
    const [source, destination] = [parseFileSpec(first), parseFileSpec(second)];
    if (source.pod !== "" && destination.pod !== "")
      throw new Error("one of src or dest must be a local file specification");
    if (source.path === "" || destination.path === "") throw new Error("filepath can not be empty");
    if (source.pod !== "") await copyFromPod(context, source, destination.path);
    else if (destination.pod !== "") await copyToPod(context, source.path, destination);
    else throw new Error("one of src or dest must be a remote file specification");
    return undefined;
  },
});

type CopyContext = CommandContext<typeof flags>;

const namespaceOf = async ({ factory }: CopyContext, { namespace }: FileSpec): Promise<string> =>
  namespace || (await factory.namespace()).namespace;

async function copyFromPod(
  context: CopyContext,
  source: FileSpec,
  destination: string,
): Promise<void> {
  const { flags, cwd, io } = context;
  const archive = archiveOfContainer(context, {
    source,
    namespace: await namespaceOf(context, source),
    container: flags.container,
    retries: flags.retries,
  });
  await extractArchive(archive, { source, destination, cwd, stderr: io.stderr });
}

async function copyToPod(
  context: CopyContext,
  source: string,
  destination: FileSpec,
): Promise<void> {
  const { flags, cwd, io } = context;
  await stat(resolve(cwd, source)).catch((cause) => {
    throw new Error(`${source} doesn't exist in local filesystem`, { cause });
  });
  const namespace = await namespaceOf(context, destination);
  const target = { namespace, pod: destination.pod, container: flags.container };
  const path = (await isFolder(context, target, destination.path))
    ? joinPaths(destination.path, baseName(source))
    : destination.path;
  const folder = cleanPath(path.slice(0, path.lastIndexOf("/") + 1));
  const own = flags["no-preserve"]
    ? ["--no-same-permissions", "--no-same-owner", "-xmf", "-"]
    : ["-xmf", "-"];
  const reading = new FailableArchive(
    writeArchive(cleanPath(source), baseName(cleanPath(path)), cwd),
  );
  await reading.during(
    runInContainer(context, {
      ...target,
      command: ["tar", ...own, "-C", folder],
      stdin: reading,
      stdout: async (bytes) => io.stdout.write(bytes),
      stderr: async (bytes) => io.stderr.write(bytes),
      warnings: io.stderr,
    }),
  );
}

type Target = Pick<FileSpec, "namespace" | "pod"> & { readonly container: string };

/** Whether a path in a container is that of a folder. */
async function isFolder(context: CopyContext, target: Target, path: string): Promise<boolean> {
  const { factory, signal } = context;
  const drop = async (): Promise<void> => {};
  try {
    await withDeadline({ clock: factory.clock, ms: 30_000, signal }, (signal) =>
      runInContainer(
        { ...context, signal },
        { ...target, command: ["test", "-d", path], stdout: drop, stderr: drop },
      ),
    );
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DeadlineExceeded)
      throw new Error("context deadline exceeded", { cause: error });
    return false;
  }
}

/** An archive whose failure ends the command that reads it. */
class FailableArchive implements AsyncIterable<Uint8Array> {
  readonly #archive: AsyncIterable<Uint8Array>;
  #fail: (error: unknown) => void = () => {};

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#archive = archive;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#archive;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Waits for a command; rejects at once if the archive fails. */
  async during(command: Promise<void>): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    command.catch(() => {});
    await Promise.race([command, failed]);
  }
}
