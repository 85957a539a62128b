import { command, type Output } from "../../../cli/command.ts";
import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { Images } from "../../../engine/images/images.ts";
import type { Platform } from "../../../engine/images/manifest.ts";
import {
  familiarName,
  fullName,
  parseReference,
  withDefaultTag,
} from "../../../engine/images/reference.ts";
import { withImages } from "./image-store-flags.ts";
import { layerProgress } from "./layer-progress.ts";
import { loginFlags, readLogin } from "./registry-login.ts";

/** Pulls images from their registries. */
export const pullCommand = command({
  name: "pull",
  short: "Pull images from their registries",
  long: `Pull images from their registries and unpack them. Layers that are stored already are not fetched
again, and a pull that was interrupted continues where it ended. Every digest is checked.

Exit codes: 0 on success, 1 when an image cannot be pulled, 2 when the command line is invalid.`,
  arguments: "NAME[:TAG|@DIGEST]…",
  arity: { min: 1, max: Number.POSITIVE_INFINITY },
  examples: `  # Pull an image of docker's registry, and one of another
  wherry image pull nginx:1.27 quay.io/prometheus/busybox

  # Pull with a password
  pass show registry | wherry image pull -u me --password-stdin registry.example.com/app`,
  flags: {
    platform: stringFlag({ usage: "the `OS/ARCH[/VARIANT]` to pull; by default this machine's" }),
    quiet: boolFlag({ short: "q", usage: "print only the names" }),
    ...loginFlags,
  },
  async run(context) {
    const { flags, args, streams, signal } = context;
    const platform = platformOf(flags.platform);
    const references = args.map((name) => withDefaultTag(parseReference(name)));
    const login = await readLogin(flags);
    const output: Output = flags.quiet ? { write: () => undefined } : streams.stdout;
    const pullAll = async (images: Images): Promise<number> => {
      for (const reference of references) {
        const name = fullName(reference);
        output.write(`${reference.tag ?? reference.digest}: Pulling from ${reference.path}\n`);
        const auth = await login(name);
        const onProgress = layerProgress(output);
        const { digest, isNew } = await images.pull(name, { auth, platform, signal, onProgress });
        const status = isNew ? "Downloaded newer image for" : "Image is up to date for";
        output.write(`Digest: ${digest}\nStatus: ${status} ${familiarName(reference)}\n`);
        streams.stdout.write(`${name}\n`);
      }
      return 0;
    };
    return withImages(context, pullAll, { creates: true });
  },
});

function platformOf(text: string): Platform | undefined {
  if (text === "") return undefined;
  const [os, architecture, variant, ...rest] = text.split("/");
  if (!os || !architecture || rest.length > 0)
    throw new UsageError(`--platform is OS/ARCH[/VARIANT], not ${JSON.stringify(text)}`);
  return { os, architecture, ...(variant ? { variant } : {}) };
}
