import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { shortId } from "../../../engine/images/digest.ts";
import { familiarRepository, parseReference } from "../../../engine/images/reference.ts";
import type { StoredImage } from "../../../engine/images/stored-image.ts";
import { tableText } from "../../store/terminal.ts";
import { humanDuration } from "./human-duration.ts";
import { humanSize } from "./human-size.ts";
import { withStoredImages } from "./image-store-flags.ts";

/** Lists images. */
export const lsCommand = command({
  name: "ls",
  short: "List images",
  long: `List images, one line for each name, the newest first. An image without a name is shown as <none>:
it is left from a name that was moved to another image. The size is that of the compressed layers.`,
  arguments: "[REPOSITORY[:TAG]]",
  arity: { max: 1 },
  examples: `  # List all images, and their IDs alone
  wherry image ls
  wherry image ls -q`,
  flags: {
    quiet: boolFlag({ short: "q", usage: "print only IDs" }),
    digests: boolFlag({ usage: "show the digests under which images were pulled" }),
    "no-trunc": boolFlag({ usage: "show IDs in full" }),
    dangling: boolFlag({ usage: "only images without a tag" }),
  },
  run: (context) =>
    withStoredImages(context, async (all) => {
      const { flags, args, streams } = context;
      const shown = all
        .filter(({ tags }) => !flags.dangling || tags.length === 0)
        .flatMap((image) => namesOf(image).map((name) => ({ image, ...name })))
        .filter(({ repository, tag }) => matches(args[0], repository, tag));
      const idOf = ({ id }: StoredImage): string => (flags["no-trunc"] ? id : shortId(id));
      if (flags.quiet) {
        const ids = new Set(shown.map(({ image }) => idOf(image)));
        for (const id of ids) streams.stdout.write(`${id}\n`);
        return 0;
      }
      const digests = flags.digests ? ["DIGEST"] : [];
      const rows = shown.map(({ image, repository, tag, digest }) => [
        repository,
        tag,
        ...(flags.digests ? [digest] : []),
        idOf(image),
        ageOf(image),
        humanSize(image.sizeBytes),
      ]);
      const heading = ["REPOSITORY", "TAG", ...digests, "IMAGE ID", "CREATED", "SIZE"];
      streams.stdout.write(tableText(heading, rows));
      return 0;
    }),
});

interface ShownName {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

const none = "<none>";

/** The names of an image; digests have a line of their own only where a repository has no tag. */
function namesOf({ tags, digests }: StoredImage): ShownName[] {
  const byDigest = new Map<string, string>();
  for (const name of digests) {
    const reference = parseReference(name);
    byDigest.set(familiarRepository(reference), reference.digest ?? none);
  }
  const tagged = tags.map((name) => {
    const reference = parseReference(name);
    const repository = familiarRepository(reference);
    return { repository, tag: reference.tag ?? none, digest: byDigest.get(repository) ?? none };
  });
  const known = new Set(tagged.map(({ repository }) => repository));
  const untagged = [...byDigest]
    .filter(([repository]) => !known.has(repository))
    .map(([repository, digest]) => ({ repository, tag: none, digest }));
  const all = [...tagged, ...untagged];
  return all.length === 0 ? [{ repository: none, tag: none, digest: none }] : all;
}

function matches(wanted: string | undefined, repository: string, tag: string): boolean {
  if (wanted === undefined) return true;
  const reference = parseReference(wanted);
  const isSame = familiarRepository(reference) === repository;
  return isSame && (reference.tag === undefined || reference.tag === tag);
}

function ageOf({ config }: StoredImage): string {
  const created = Date.parse(config.created ?? "");
  return Number.isNaN(created) ? "N/A" : `${humanDuration(Date.now() - created)} ago`;
}
