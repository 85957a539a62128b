import { command } from "../../../cli/command.ts";
import { ImageNotFound } from "../../../engine/images/image-store.ts";
import { parseReference } from "../../../engine/images/reference.ts";
import { withImages } from "./image-store-flags.ts";

/** Gives an image another name. */
export const tagCommand = command({
  name: "tag",
  short: "Give an image another name",
  long: "Give an image another name. If another image has the name, it loses it.",
  arguments: "IMAGE NAME[:TAG]",
  arity: { min: 2, max: 2 },
  examples: `  # Name an image for another registry
  wherry image tag app:1 registry.example.com/team/app:1`,
  run: (context) =>
    withImages(context, async ({ store }) => {
      const [source = "", target = ""] = context.args;
      const image = store.resolve(source);
      if (image === undefined) throw new ImageNotFound(source);
      const reference = parseReference(target);
      if (reference.digest !== undefined)
        throw new Error("refusing to create a tag with a digest reference");
      await store.tag(image.id, reference);
      return 0;
    }),
});
