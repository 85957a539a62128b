import type { CommandContext } from "../../../program/kubectl-command.ts";
import { runInContainer } from "../exec/run-in-container.ts";
import type { FileSpec } from "./file-spec.ts";

interface ArchiveOptions {
  readonly source: FileSpec;
  readonly namespace: string;
  readonly container: string;
  /** How often a copy that breaks off is resumed; any number of times if negative. */
  readonly retries: number;
}

/** The tar archive of a file or a folder in a container, which is resumed where the connection ended too early. */
export async function* archiveOfContainer(
  context: Pick<CommandContext, "factory" | "env" | "signal" | "io">,
  options: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const { io } = context;
  const { retries } = options;
  let read = 0;
  for (let retry = 0; ; ) {
    for await (const bytes of runTar(context, options, retry === 0 ? 0 : read + 1)) {
      read += bytes.length;
      yield bytes;
    }
    // The reader leaves at the end of the archive: the archive was not complete.
    if (retries >= 0 && retry >= retries) {
      io.stdout.write(`Dropping out copy after ${retry} retries\n`);
      return;
    }
    retry++;
    io.stdout.write(`Resuming copy at ${read} bytes, retry ${retry}/${retries}\n`);
  }
}

/** The output of tar from a byte on; the command is ended when its reader leaves. */
async function* runTar(
  context: Pick<CommandContext, "factory" | "env" | "signal" | "io">,
  { source, namespace, container, retries }: ArchiveOptions,
  from: number,
): AsyncGenerator<Uint8Array> {
  const left = new AbortController();
  const signal = AbortSignal.any([context.signal, left.signal]);
  const pipe = new Pipe();
  const quoted = source.path.replaceAll("'", "'\\''");
  const running = runInContainer(
    { ...context, signal },
    {
      ...{ namespace, pod: source.pod, container },
      command:
        retries === 0
          ? ["tar", "cf", "-", source.path]
          : ["sh", "-c", `tar cf - '${quoted}' | tail -c+${from}`],
      stdout: (bytes) => pipe.write(bytes),
      // As the original, which prints what tar says to standard output.
      stderr: async (bytes) => context.io.stdout.write(bytes),
      warnings: context.io.stdout,
    },
  );
  running.then(
    () => pipe.end(),
    (error: Error) => pipe.end(error),
  );
  try {
    yield* pipe.pieces();
  } finally {
    left.abort();
    pipe.drop();
    await running.catch(() => {});
  }
}

/** Passes pieces from a writer to a reader, one at a time. */
class Pipe {
  #piece: Uint8Array | undefined;
  #isOver = false;
  #failure: Error | undefined;
  #wakeReader = (): void => {};
  #wakeWriter = (): void => {};

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) return;
    this.#piece = bytes;
    this.#wakeReader();
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  end(failure?: Error): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeReader();
  }

  /** Nobody reads any more. */
  drop(): void {
    this.#isOver = true;
    this.#wakeWriter();
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#piece;
      if (piece) {
        this.#piece = undefined;
        yield piece;
        this.#wakeWriter();
      } else if (this.#failure) throw this.#failure;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
    }
  }
}
