import { checkRawUri } from "../../shared/raw-request.ts";

/** The flags that matter beside `--raw`. */
interface RawDeletionFlags {
  readonly raw: string;
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly output: string;
  readonly interactive: boolean;
}

/** Throws for flags that `--raw` excludes. */
export function checkRawDeletion(flags: RawDeletionFlags): void {
  const { filename, raw, recursive, output, interactive } = flags;
  if (interactive) throw new Error("--interactive can not be used with --raw");
  if (filename.length > 1) throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(filename[0] ?? "")) throw new Error("--raw cannot read from a url");
  if (recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (output !== "") throw new Error("--raw and --output are mutually exclusive");
  checkRawUri(raw);
}
