import { errorMessage } from "../../../base/error-message.ts";
import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { withImages } from "./image-store-flags.ts";
import { removalLine } from "./removal-line.ts";

/** Removes names and images. */
export const rmCommand = command({
  name: "rm",
  short: "Remove names and images",
  long: `Remove names of images. An image whose last name is removed is deleted, with all layers that no other
image has. An ID deletes an image with names in one repository. Images of containers are not deleted.

Exit codes: 0 on success, 1 when something could not be removed, 2 when the command line is invalid.`,
  arguments: "IMAGE…",
  arity: { min: 1, max: Number.POSITIVE_INFINITY },
  examples: `  # Remove one name
  wherry image rm app:1`,
  flags: {
    force: boolFlag({
      short: "f",
      usage: "remove images of stopped containers, and all names of an ID",
    }),
  },
  run: (context) =>
    withImages(context, async (images) => {
      const { flags, args, streams } = context;
      let code = 0;
      for (const name of args)
        try {
          for (const result of await images.remove(name, { force: flags.force }))
            streams.stdout.write(removalLine(result));
        } catch (error) {
          streams.stderr.write(`Error: ${errorMessage(error)}\n`);
          code = 1;
        }
      return code;
    }),
});
