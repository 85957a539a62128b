import { writePrivateFile } from "../../platform/files.ts";

/** Writes the latest text of a file in turn, unless nothing has changed since what is stored. */
export function checkpointWriter(
  path: string,
  stored: string | undefined,
): (text: string) => Promise<void> {
  let latest = stored;
  let last: Promise<void> = Promise.resolve();
  return (text) => {
    if (text === latest) return last;
    latest = text;
    const written = last.catch(() => {}).then(() => writePrivateFile(path, text));
    last = written;
    written.catch(() => {
      if (last === written) latest = undefined;
    });
    return written;
  };
}
