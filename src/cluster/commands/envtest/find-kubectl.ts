import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The first kubectl on a PATH that is none of our own scripts. */
export async function findKubectl(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, "kubectl");
    if (folder !== "" && (await isProgram(candidate)) && !(await isOurs(candidate)))
      return candidate;
  }
  return undefined;
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function isOurs(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0);
    return buffer.toString("latin1", 0, bytesRead).includes('Written by "wherry envtest"');
  } finally {
    await file.close();
  }
}
