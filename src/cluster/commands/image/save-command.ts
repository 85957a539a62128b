import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { command } from "../../../cli/command.ts";
import { stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { imageSession } from "./image-session.ts";
import { withImages } from "./image-store-flags.ts";

/** Saves images as an archive. */
export const saveCommand = command({
  name: "save",
  short: "Save images as an archive",
  long: `Save images as an archive that docker, containerd and OCI tools load, to standard output or to a file.
A repository without a tag stands for all its tags, an ID for an image without tags.

Exit codes: 0 on success, 1 when there is no such image, 2 when the command line is invalid.`,
  arguments: "IMAGE…",
  arity: { min: 1, max: Number.POSITIVE_INFINITY },
  examples: `  # Give an image to docker
  wherry image save app:1 | docker load

  # Save it compressed
  wherry image save app:1 | gzip > app.tar.gz`,
  flags: {
    output: stringFlag({ short: "o", usage: "write to this `FILE`, not to standard output" }),
  },
  run: (context) => {
    const { flags, args, streams, signal } = context;
    const toFile = flags.output !== "" && flags.output !== "-";
    if (!toFile && streams.stdout.columns !== undefined)
      throw new UsageError("cowardly refusing to save to a terminal. Use the -o flag or redirect");
    return withImages(context, async (images) => {
      const archive = images.save(args);
      const { stdout, folder } = imageSession();
      if (!toFile) {
        await pipeline(archive, stdout, { signal, end: false });
        return 0;
      }
      // A file that is not complete never has the name.
      const path = resolve(folder, flags.output);
      const draft = `${path}.new`;
      try {
        await pipeline(archive, createWriteStream(draft, { mode: 0o600 }), { signal });
        await rename(draft, path);
      } finally {
        await rm(draft, { force: true });
      }
      return 0;
    });
  },
});
