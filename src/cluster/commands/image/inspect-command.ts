import { command } from "../../../cli/command.ts";
import { ImageNotFound } from "../../../engine/images/image-store.ts";
import { familiarName, parseReference } from "../../../engine/images/reference.ts";
import type { StoredImage } from "../../../engine/images/stored-image.ts";
import { withImages } from "./image-store-flags.ts";

/** Shows the details of images. */
export const inspectCommand = command({
  name: "inspect",
  short: "Show the details of images",
  long: `Show the details of images as JSON, with the names of fields that docker uses.

Exit codes: 0 on success, 1 when there is no such image, 2 when the command line is invalid.`,
  arguments: "IMAGE…",
  arity: { min: 1, max: Number.POSITIVE_INFINITY },
  examples: `  # Show the environment of an image
  wherry image inspect app:1 | jq '.[0].Config.Env'`,
  run: (context) =>
    withImages(context, async ({ store }) => {
      const { args, streams } = context;
      const images = args.map((name) => {
        const image = store.resolve(name);
        if (image === undefined) throw new ImageNotFound(name);
        return described(image);
      });
      streams.stdout.write(`${JSON.stringify(images, undefined, 4)}\n`);
      return 0;
    }),
});

const familiar = (name: string): string => familiarName(parseReference(name));

function described({ id, tags, digests, layers, sizeBytes, config, ...image }: StoredImage) {
  return {
    Id: id,
    RepoTags: tags.map(familiar),
    RepoDigests: digests.map(familiar),
    Created: config.created,
    Author: config.author ?? "",
    Config: config.config ?? {},
    Architecture: config.architecture,
    Variant: config.variant,
    Os: config.os,
    Size: sizeBytes,
    RootFS: { Type: "layers", Layers: layers },
    Manifest: image.manifest,
    Metadata: { LastTagTime: new Date(image.lastTaggedAt).toISOString() },
  };
}
