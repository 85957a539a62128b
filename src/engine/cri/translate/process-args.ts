import type { ImageRunConfig } from "../../images/stored-image.ts";

/**
 * The command line of a container. A command replaces the entry point and the arguments of the image; arguments
 * alone replace those of the image.
 */
export function processArgs(
  { command, args }: { readonly command: readonly string[]; readonly args: readonly string[] },
  image: ImageRunConfig,
): readonly string[] {
  const line =
    command.length > 0
      ? [...command, ...args]
      : [...entrypointOf(image), ...(args.length > 0 ? args : (image.Cmd ?? []))];
  if (line.length === 0) throw new Error("no command specified");
  return line;
}

/** An entry point of one empty string is how an image removes that of its base. */
function entrypointOf({ Entrypoint }: ImageRunConfig): readonly string[] {
  const entrypoint = Entrypoint ?? [];
  return entrypoint.length === 1 && entrypoint[0] === "" ? [] : entrypoint;
}
