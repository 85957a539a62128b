import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

export interface InstallOptions {
  /** The built program of the plugins. */
  readonly program: string;
  readonly binDir: string;
  /** Whether programs of others are replaced. */
  readonly force: boolean;
}

export interface Installed {
  readonly installed: readonly string[];
  /** Plugins of others that have the same names. */
  readonly kept: readonly string[];
}

/** Copies the program to a folder, with a link for each plugin. A runtime may call it at any time meanwhile. */
export async function installPlugins(options: InstallOptions): Promise<Installed> {
  const { program, binDir, force } = options;
  const source = await readFile(program, "utf8").catch((cause: Error) => {
    throw new Error(`this program was installed without its CNI plugins: ${program} is missing`, {
      cause,
    });
  });
  await mkdir(binDir, { recursive: true });
  const path = join(binDir, programName);
  // Runtimes may not have Node on their PATH.
  await replace(path, async (draft) => {
    await writeFile(draft, source.replace(/^#!.*/, `#!${process.execPath}`));
    await chmod(draft, 0o755);
  });
  const installed: string[] = [];
  const kept: string[] = [];
  for (const name of pluginNames) {
    const link = join(binDir, name);
    const isOurs = (await readlink(link).catch(() => undefined)) === programName;
    const isThere = (await lstat(link).catch(() => undefined)) !== undefined;
    if (isThere && !isOurs && !force) kept.push(name);
    else {
      await replace(link, (draft) => symlink(programName, draft));
      installed.push(name);
    }
  }
  return { installed, kept };
}

/** Writes a configuration of the built-in network; resolves with its path. */
export async function writeConfiguration(
  confDir: string,
  podCidrs: readonly string[],
): Promise<string> {
  const path = join(confDir, "10-wherry.conflist");
  const config = {
    cniVersion: "1.0.0",
    name: "wherry",
    plugins: [
      { type: "wherry", podCidr: podCidrs.join(","), capabilities: { ipRanges: true } },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
  await mkdir(confDir, { recursive: true });
  await replace(path, (draft) => writeFile(draft, `${JSON.stringify(config, null, 2)}\n`));
  return path;
}

const programName = "wherry-cni";
const pluginNames = ["loopback", "bridge", "host-local", "portmap", "wherry"];

/** Replaces a file in one step. */
async function replace(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await rm(draft, { force: true });
  try {
    await write(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
