import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Streams } from "../../../cli/command.ts";
import { runningBoxes } from "../../node/node-boxes.ts";
import { knownRecord } from "../../up/cluster-record.ts";
import { callEngine } from "./run-in-engine.ts";

export interface ClusterLoad {
  /** The name of the cluster. */
  readonly cluster: string;
  /** The path of the archive; undefined for the input. */
  readonly file: string | undefined;
  readonly stdin: Readable;
  /** Whether the names of the images are not printed. */
  readonly quiet: boolean;
  readonly streams: Streams;
}

/** Loads an archive into the engines of all real nodes of a cluster; resolves with the exit code. */
export async function loadIntoCluster({
  cluster,
  file,
  stdin,
  quiet,
  streams,
}: ClusterLoad): Promise<number> {
  const { dataDir } = await knownRecord(cluster);
  const boxes = await runningBoxes(dataDir);
  if (boxes.length === 0)
    throw new Error(
      `the cluster "${cluster}" has no nodes that run containers: simulated nodes need no images`,
    );
  // The input can be read only once.
  const spool =
    file === undefined && boxes.length > 1 ? await mkdtemp(join(tmpdir(), "wherry-")) : "";
  const path = spool === "" ? file : join(spool, "archive");
  const args = ["image", "load", ...(quiet ? ["--quiet"] : []), "-"];
  try {
    if (spool !== "" && path !== undefined) await pipeline(stdin, createWriteStream(path));
    const codes = await Promise.all(
      boxes.map(({ name, root }) =>
        callEngine(join(root, "var/lib/wherry/engine"), args, {
          input: path === undefined ? stdin : createReadStream(path),
          async print({ type, bytes }) {
            const lines = new TextDecoder().decode(bytes).replace(/^(?=.)/gm, `${name}: `);
            streams[type].write(lines);
          },
        }),
      ),
    );
    return Math.max(...codes);
  } finally {
    if (spool !== "") await rm(spool, { recursive: true, force: true });
  }
}
