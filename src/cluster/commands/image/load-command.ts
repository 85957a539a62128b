import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { familiarName } from "../../../engine/images/reference.ts";
import { imageSession } from "./image-session.ts";
import { withImages } from "./image-store-flags.ts";
import { loadIntoCluster } from "./load-into-cluster.ts";

/** Loads images from an archive. */
export const loadCommand = command({
  name: "load",
  short: "Load images from an archive",
  long: `Load the images of an archive that "docker save" or an OCI tool wrote, compressed or not, and unpack
them. Without FILE, or for "-", standard input is read.

Exit codes: 0 on success, 1 when the archive cannot be loaded, 2 when the command line is invalid.`,
  arguments: "[FILE]",
  arity: { max: 1 },
  examples: `  # Get an image from docker
  docker save app | wherry image load -

  # Get an image from docker into a cluster
  docker save app | wherry image load --cluster wherry -

  # Load a file
  wherry image load app.tar.gz`,
  flags: {
    quiet: boolFlag({ short: "q", usage: "print nothing" }),
    cluster: stringFlag({
      usage: 'load into all nodes of this cluster of "wherry up" that run containers, by `NAME`',
    }),
  },
  run: (context) => {
    const { flags, args, streams, signal } = context;
    const [file = "-"] = args;
    const { stdin, folder } = imageSession();
    if (file === "-" && stdin.isTTY)
      throw new UsageError("requested load from stdin, but stdin is empty");
    if (flags.cluster !== "")
      return loadIntoCluster({
        ...{ cluster: flags.cluster, quiet: flags.quiet, stdin, streams },
        file: file === "-" ? undefined : resolve(folder, file),
      });
    return withImages(
      context,
      async (images) => {
        const source = file === "-" ? stdin : createReadStream(resolve(folder, file));
        const loaded = await images.load(source, { signal });
        if (flags.quiet) return 0;
        for (const { image, names } of loaded) {
          if (names.length === 0) streams.stdout.write(`Loaded image ID: ${image.id}\n`);
          for (const name of names) streams.stdout.write(`Loaded image: ${familiarName(name)}\n`);
        }
        return 0;
      },
      { creates: true },
    );
  },
});
