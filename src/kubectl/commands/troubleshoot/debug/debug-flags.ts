import { boolFlag, pairsFlag, stringFlag, stringsFlag, type Values } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { isImageName } from "../../shared/pods/image-name.ts";
import type { CustomProfile } from "./custom-profile.ts";
import type { DebugRequest } from "./debug-container.ts";

const onlyCopies = "(Only with '--copy-to'.)";

export const debugFlags = {
  filename: stringsFlag({ short: "f", usage: "File with the resource to debug" }),
  "arguments-only": boolFlag({
    usage: "Pass what follows -- to the new container as arguments instead of as its command.",
  }),
  attach: boolFlag({
    usage:
      "Wait until the container runs, then attach to it as 'kubectl attach ...' does. Default false, but true with '-i/--stdin'.",
  }),
  container: stringFlag({ short: "c", usage: "Name of the container for debugging." }),
  "copy-to": stringFlag({ usage: "Create a copy of the target Pod with this name." }),
  replace: boolFlag({ usage: "With '--copy-to', delete the original Pod." }),
  env: pairsFlag({ usage: "Environment variables of the container." }),
  image: stringFlag({ usage: "Image of the container for debugging." }),
  "keep-labels": boolFlag({ usage: `Keep the labels of the original pod. ${onlyCopies}` }),
  "keep-annotations": boolFlag({
    usage: `Keep the annotations of the original pod. ${onlyCopies}`,
  }),
  "keep-liveness": boolFlag({
    usage: `Keep the liveness probes of the original pod. ${onlyCopies}`,
  }),
  "keep-readiness": boolFlag({
    usage: `Keep the readiness probes of the original pod. ${onlyCopies}`,
  }),
  "keep-startup": boolFlag({ usage: `Keep the startup probes of the original pod. ${onlyCopies}` }),
  "keep-init-containers": boolFlag({
    default: true,
    usage: `Run the init containers of the pod. ${onlyCopies}`,
  }),
  "set-image": pairsFlag({
    usage:
      "With '--copy-to', pairs name=image that change the images of containers, as 'kubectl set image' does.",
  }),
  "image-pull-policy": stringFlag({
    usage: "When the image is pulled. If empty, the server decides.",
  }),
  stdin: boolFlag({
    short: "i",
    usage: "Keep the container's stdin open, even if nothing is attached.",
  }),
  quiet: boolFlag({ short: "q", usage: "Print no messages of the command itself." }),
  "same-node": boolFlag({ usage: "With '--copy-to', put the copy on the node of the original." }),
  "share-processes": boolFlag({
    default: true,
    usage: "With '--copy-to', let the containers of the copy see each other's processes.",
  }),
  target: stringFlag({
    usage: "With an ephemeral container, show it the processes of this container.",
  }),
  tty: boolFlag({ short: "t", usage: "Allocate a TTY for the container." }),
  profile: stringFlag({
    default: "general",
    usage:
      'One of "general", "baseline", "restricted", "netadmin" or "sysadmin". Defaults to "general"',
  }),
  custom: stringFlag({
    usage: "File, JSON or YAML, with a partial container that changes what the profile makes.",
  }),
};

export type DebugFlags = Values<typeof debugFlags>;

/** What the flags say about the container for debugging. */
export const debugRequest = (
  flags: DebugFlags,
  {
    args,
    custom,
    given,
  }: {
    readonly args: readonly string[];
    readonly custom: CustomProfile | undefined;
    readonly given: ReadonlySet<string>;
  },
): DebugRequest => ({
  ...{ args, custom, container: flags.container, image: flags.image },
  setImages: flags["set-image"],
  env: [...flags.env].map(([name, value]) => ({ name, ...(value !== "" && { value }) })),
  argumentsOnly: flags["arguments-only"],
  pullPolicy: flags["image-pull-policy"],
  ...{ stdin: flags.stdin, tty: flags.tty, target: flags.target, profile: flags.profile },
  keep: {
    labels: flags["keep-labels"],
    annotations: flags["keep-annotations"],
    liveness: flags["keep-liveness"],
    readiness: flags["keep-readiness"],
    startup: flags["keep-startup"],
    initContainers: flags["keep-init-containers"],
  },
  copyTo: flags["copy-to"],
  sameNode: flags["same-node"],
  sharesProcesses: given.has("share-processes") ? flags["share-processes"] : undefined,
  quiet: flags.quiet,
});

/** Throws for flags that say too little, or exclude each other, in the order of the original. */
export function checkDebugFlags(
  flags: DebugFlags,
  {
    args,
    names,
    given,
  }: {
    readonly args: readonly string[];
    readonly names: readonly string[];
    readonly given: ReadonlySet<string>;
  },
): void {
  const { image, container } = flags;
  if (flags.attach && given.has("attach") && image === "" && container === "")
    throw new Error(
      "you must specify --container or create a new container using --image in order to attach.",
    );
  checkCopy(flags, args);
  if (image !== "" && !isImageName(image))
    throw new Error(`invalid image name ${quote(image)}: invalid reference format`);
  if (names.length === 0 && flags.filename.length === 0)
    throw new Error("NAME or filename is required for debug");
  const policy = flags["image-pull-policy"];
  if (!["Always", "IfNotPresent", "Never", ""].includes(policy))
    throw new Error(`invalid image pull policy: ${policy}`);
  for (const [name, image] of flags["set-image"])
    if (!isImageName(image))
      throw new Error(
        `invalid image name ${quote(image)} for container ${quote(name)}: invalid reference format`,
      );
}

function checkCopy(flags: DebugFlags, args: readonly string[]): void {
  const { image, container, "set-image": setImages } = flags;
  if (flags["copy-to"] !== "") {
    if (image === "" && setImages.size === 0 && args.length === 0)
      throw new Error("you must specify --image, --set-image or command arguments.");
    if (args.length > 0 && container === "" && image === "")
      throw new Error(
        "you must specify an existing container or a new image when specifying args.",
      );
    return;
  }
  if (flags.replace) throw new Error("--replace may only be used with --copy-to.");
  if (flags["same-node"]) throw new Error("--same-node may only be used with --copy-to.");
  if (setImages.size > 0) throw new Error("--set-image may only be used with --copy-to.");
  if (image === "") throw new Error("you must specify --image when not using --copy-to.");
}
