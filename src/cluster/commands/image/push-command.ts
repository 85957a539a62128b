import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import {
  familiarRepository,
  fullName,
  parseReference,
  repositoryOf,
  withDefaultTag,
} from "../../../engine/images/reference.ts";
import { withImages } from "./image-store-flags.ts";
import { layerProgress } from "./layer-progress.ts";
import { loginFlags, readLogin } from "./registry-login.ts";

/** Pushes an image to its registry. */
export const pushCommand = command({
  name: "push",
  short: "Push an image to its registry",
  long: `Push an image to the registry that its name has. Layers that the registry has already are not sent.

Exit codes: 0 on success, 1 when the image cannot be pushed, 2 when the command line is invalid.`,
  arguments: "NAME[:TAG]",
  arity: { min: 1, max: 1 },
  examples: `  # Push an image under another name
  wherry image tag app:1 registry.example.com/team/app:1
  wherry image push registry.example.com/team/app:1`,
  flags: { quiet: boolFlag({ short: "q", usage: "print only the digest" }), ...loginFlags },
  run: (context) =>
    withImages(context, async (images) => {
      const { flags, args, streams, signal } = context;
      const reference = withDefaultTag(parseReference(args[0] ?? ""));
      const auth = await (await readLogin(flags))(fullName(reference));
      if (!flags.quiet)
        streams.stdout.write(`The push refers to repository [${repositoryOf(reference)}]\n`);
      const onProgress = flags.quiet ? undefined : layerProgress(streams.stdout);
      const { digest, size } = await images.push(fullName(reference), { auth, signal, onProgress });
      streams.stdout.write(
        flags.quiet
          ? `${familiarRepository(reference)}@${digest}\n`
          : `${reference.tag ?? "latest"}: digest: ${digest} size: ${size}\n`,
      );
      return 0;
    }),
});
