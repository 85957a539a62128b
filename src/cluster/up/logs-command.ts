import { watch } from "node:fs";
import { open, stat } from "node:fs/promises";
import { onAbort } from "../../base/on-abort.ts";
import { command, type Output } from "../../cli/command.ts";
import { boolFlag, intFlag } from "../../cli/flag.ts";
import { clusterPaths, defaultName, knownRecord } from "./cluster-record.ts";
import { lastLines } from "./log-lines.ts";

/** Shows the log of a cluster. */
export const logsCommand = command({
  name: "logs",
  short: "Show the log of a cluster",
  long: `Show the log of a cluster's process: API server, controllers, scheduler and nodes. For the
logs of pods use "kubectl logs".

Exit codes: 0 on success, 1 when there is no cluster of that name, 2 when the command line
is invalid.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  flags: {
    follow: boolFlag({ short: "f", usage: "keep printing lines as they are logged" }),
    tail: intFlag({ usage: "how many of the last lines to show; negative for all", default: -1 }),
  },
  async run({ flags, args: [name = defaultName], streams, signal }) {
    await knownRecord(name);
    const path = clusterPaths(name).log;
    const from = await sizeOf(path);
    const lines = await lastLines(path, flags.tail);
    if (lines.length > 0) streams.stdout.write(`${lines.join("\n")}\n`);
    if (flags.follow) await followFile(path, { from, output: streams.stdout, signal });
    return 0;
  },
});

/** Copies what is appended to a file until the signal aborts; a truncated file is read from its start. */
async function followFile(
  path: string,
  {
    from,
    output,
    signal,
  }: { readonly from: number; readonly output: Output; readonly signal: AbortSignal },
): Promise<void> {
  let position = from;
  let reading = Promise.resolve();
  const readOn = async (): Promise<void> => {
    const size = await sizeOf(path);
    if (size < position) position = 0;
    if (size === position) return;
    const file = await open(path, "r");
    try {
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(size - position),
        0,
        size - position,
        position,
      );
      position += bytesRead;
      output.write(buffer.toString("utf8", 0, bytesRead));
    } finally {
      await file.close();
    }
  };
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(path, () => {
      reading = reading.then(readOn).catch(reject);
    });
    const end = (): void => {
      watcher.close();
      resolve();
    };
    watcher.on("error", reject);
    onAbort(signal, end);
    // Copy what was appended before the watcher started.
    reading = reading.then(readOn).catch(reject);
  });
  await reading;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
