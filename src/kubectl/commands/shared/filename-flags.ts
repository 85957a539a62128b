import { boolFlag, stringFlag, stringsFlag, type Values } from "../../../cli/flag.ts";
import type { ResourceQuery } from "../../resource/find-resources.ts";

/** The flags that name files with objects; `purpose` completes `Filename, directory, or URL to files …`. */
export const filenameFlags = (purpose: string) => ({
  filename: stringsFlag({ short: "f", usage: `Filename, directory, or URL to files ${purpose}` }),
  kustomize: stringFlag({
    short: "k",
    usage: "Process the kustomization directory. Cannot be used together with -f or -R.",
  }),
  recursive: boolFlag({
    short: "R",
    usage: "Process the directory used in -f, --filename recursively.",
  }),
});

type FilenameValues = Values<ReturnType<typeof filenameFlags>>;

/** What the flags say, for a query. */
export function filenameQuery(
  flags: FilenameValues,
): Pick<ResourceQuery, "filenames" | "kustomize" | "isRecursive"> {
  return {
    filenames: flags.filename,
    kustomize: flags.kustomize,
    isRecursive: flags.recursive,
  };
}

/** Whether a file or a kustomization is named. */
export const namesFiles = ({ filename, kustomize }: FilenameValues): boolean =>
  filename.length > 0 || kustomize !== "";

/** Throws unless a file or a kustomization is named, and not both. */
export function requireFiles(flags: FilenameValues): void {
  if (!namesFiles(flags)) throw new Error("must specify one of -f and -k");
  if (flags.filename.length > 0 && flags.kustomize !== "")
    throw new Error("only one of -f or -k can be specified");
}
