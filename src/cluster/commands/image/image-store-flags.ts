import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
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
 * Opens the images of the engine's data directory for one command. A directory without images is an error,
 * unless the command may create it.
 */
export async function withImages<T>(
  context: Pick<CommandContext, "inherited">,
  work: (images: Images) => Promise<T>,
  { creates = false }: { readonly creates?: boolean } = {},
): Promise<T> {
  const flags = context.inherited(imageStoreFlags);
  const dir = flags["data-dir"];
  const root = join(dir, "images");
  if (!creates && !existsSync(root))
    throw new Error(
      `${dir} has no images: pull or load one, or name the engine's data directory with --data-dir`,
    );
  await ensurePrivateDir(dir);
  const users = await containersIn(join(dir, "containers"));
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
export async function withStoredImages<T>(
  context: Pick<CommandContext, "inherited">,
  work: (images: readonly StoredImage[]) => Promise<T>,
): Promise<T> {
  const dir = context.inherited(imageStoreFlags)["data-dir"];
  if (!existsSync(join(dir, "images"))) return work([]);
  return withImages(context, ({ store }) => work(store.list()));
}

function inUse(dir: string, { holder }: ImageStoreInUse): Error {
  return new Error(
    `the images in ${dir} are in use by process ${holder.pid}: if that is an engine, use its sockets ("docker -H unix://… image ls", "crictl images") or stop it; otherwise wait until it ends`,
  );
}

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
