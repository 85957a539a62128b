import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { humanSize } from "./human-size.ts";
import { withImages } from "./image-store-flags.ts";
import { removalLine } from "./removal-line.ts";

/** Removes unused images and all that no image needs. */
export const pruneCommand = command({
  name: "prune",
  short: "Remove unused images and all that no image needs",
  long: `Remove images without a tag that no container uses, or with --all every image that no container uses;
then remove all blobs and layers that no image needs, and what interrupted pulls have left.`,
  examples: `  # Remove every image that no container uses
  wherry image prune --all`,
  flags: { all: boolFlag({ short: "a", usage: "remove images with tags, too" }) },
  run: (context) =>
    withImages(context, async (images) => {
      const { flags, streams } = context;
      const { results, bytes } = await images.prune({ all: flags.all });
      for (const result of results) streams.stdout.write(removalLine(result));
      streams.stdout.write(`Total reclaimed space: ${humanSize(bytes)}\n`);
      return 0;
    }),
});
