import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { CommandContext } from "../../../cli/command.ts";
import { stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { ContainerFolder } from "../../../engine/containers/container-folder.ts";
import { type Images, openImages } from "../../../engine/images/images.ts";
import type { ImageUser } from "../../../engine/images/plan-removal.ts";
import { ImageStoreInUse } from "../../../engine/images/store-lock.ts";
import type { StoredImage } from "../../../engine/images/stored-image.ts";
import { type OpenedSnapshots, openSnapshots } from "../../../engine/snapshots/open-snapshots.ts";
import { ensurePrivateDir } from "../../../platform/files.ts";
import { engineFlags } from "../engine/engine-flags.ts";
import { imageSocket } from "./image-command-line.ts";
import { imageSession } from "./image-session.ts";
import { runInEngine } from "./run-in-engine.ts";

/** The flags of all commands for images. */
export const imageStoreFlags = {
  "data-dir": stringFlag({
    usage: "the data `DIR` of the engine whose images are meant",
    default: engineFlags["data-dir"].default,
  }),
  "registry-config-dir": stringsFlag({
    usage: "`DIRS` with a directory for each registry, and in it containerd's hosts.toml",
    default: engineFlags["registry-config-dir"].default,
  }),
};

/**
 * Opens the images of the engine's data directory for one command. If an engine has them open, it runs the command. A directory without images is an error,
 * unless the command may create it.
 */
export async function withImages(
  context: Pick<CommandContext, "inherited">,
  work: (images: Images) => Promise<number>,
  { creates = false }: { readonly creates?: boolean } = {},
): Promise<number> {
  const { images: opened } = imageSession();
  if (opened) return work(opened);
  const flags = context.inherited(imageStoreFlags);
  const dir = flags["data-dir"];
  const root = join(dir, "images");
  if (!creates && !existsSync(root))
    throw new Error(
      `${dir} has no images: pull or load one, or name the engine's data directory with --data-dir`,
    );
  await ensurePrivateDir(dir);
  const users = await containersIn(join(dir, "containers"));
  if (await isServed(imageSocket(dir))) return runInEngine(dir, process.argv.slice(2));
  let snapshots: OpenedSnapshots | undefined;
  const images = await openImages({
    root,
    snapshots: async () => {
      snapshots = await openSnapshots({ root: join(dir, "snapshots") });
      return snapshots;
    },
    users: () => users,
    registry: { hostsFolders: flags["registry-config-dir"] },
  }).catch((error: unknown) => {
    throw error instanceof ImageStoreInUse ? inUse(dir, error) : error;
  });
  try {
    return await work(images);
  } finally {
    await snapshots?.close();
    await images.close();
  }
}

/** The images as they are now: none where the directory has none. */
export async function withStoredImages(
  context: Pick<CommandContext, "inherited">,
  work: (images: readonly StoredImage[]) => Promise<number>,
): Promise<number> {
  const dir = context.inherited(imageStoreFlags)["data-dir"];
  if (!existsSync(join(dir, "images"))) return work([]);
  return withImages(context, ({ store }) => work(store.list()));
}

function inUse(dir: string, { holder }: ImageStoreInUse): Error {
  return new Error(
    `the images in ${dir} are in use by process ${holder.pid}: wait until it ends, or stop it`,
  );
}

/** Whether an engine runs, and serves the commands for its images. */
const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

/** The containers of an engine that does not run, or whose containers outlived it. */
async function containersIn(folder: string): Promise<readonly ImageUser[]> {
  const users: ImageUser[] = [];
  for (const id of await readdir(folder).catch(() => [])) {
    const container = new ContainerFolder(join(folder, id), "");
    const record = await container.readRecord();
    if (record === undefined || !("imageId" in record.details)) continue;
    const isRunning = (await container.readState()).phase === "running";
    users.push({ containerId: id, imageId: String(record.details.imageId), isRunning });
  }
  return users;
}
