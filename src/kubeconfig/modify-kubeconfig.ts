import { chmod, realpath, stat } from "node:fs/promises";
import { writePrivateFile } from "../platform/files.ts";
import { sameJson } from "../schema/json/json-value.ts";
import { withLockedFiles } from "./file-lock.ts";
import {
  entriesOf,
  type Kubeconfig,
  type Section,
  type SectionValues,
  sections,
  withEntries,
} from "./kubeconfig.ts";
import {
  type KubeconfigFile,
  type KubeconfigPlaces,
  kubeconfigPaths,
  loadKubeconfig,
} from "./load-kubeconfig.ts";
import { formatKubeconfig } from "./parse-kubeconfig.ts";

/**
 * Changes the kubeconfig of these locations, and returns it. Each change is written to the file that
 * contains the changed entry, new entries to the first existing file. Unchanged files are not touched.
 */
export async function modifyKubeconfig(
  places: KubeconfigPlaces,
  edit: (config: Kubeconfig) => Kubeconfig | Promise<Kubeconfig>,
): Promise<Kubeconfig> {
  const paths = kubeconfigPaths(places);
  return withLockedFiles(paths, async () => {
    // A named file need not exist to be written.
    const isNew = places.path !== undefined && !(await exists(places.path));
    const { config, files } = isNew ? { config: {}, files: [] } : await loadKubeconfig(places);
    const after = await edit(config);
    const plan = writePlan({ before: config, after, files, paths });
    for (const [path, changed] of plan) await writeKubeconfig(path, changed);
    return after;
  });
}

/** The new content of each file to write. */
function writePlan({
  before,
  after,
  files,
  paths,
}: {
  readonly before: Kubeconfig;
  readonly after: Kubeconfig;
  readonly files: readonly KubeconfigFile[];
  /** The locations of files; earlier ones take precedence. */
  readonly paths: readonly string[];
}): Map<string, Kubeconfig> {
  const plan = new Map<string, Kubeconfig>();
  const home = files[0]?.path ?? paths.at(-1) ?? "";
  const change = (path: string, act: (config: Kubeconfig) => Kubeconfig): void => {
    const now = plan.get(path) ?? files.find((file) => file.path === path)?.config ?? {};
    plan.set(path, act(now));
  };
  for (const section of Object.keys(sections) as Section[])
    planSection(section, { before, after, files, home, change });

  const current = after["current-context"] ?? "";
  if (current !== (before["current-context"] ?? "")) {
    // To clear the current context, remove it from the file that sets it.
    const setBy = files.find(({ config }) => config["current-context"]);
    const path = current === "" ? (setBy?.path ?? home) : home;
    change(path, (config) => ({ ...config, "current-context": current }));
  }
  for (const part of ["preferences", "extensions"] as const) {
    const value = after[part];
    if (sameJson(value ?? {}, before[part] ?? {})) continue;
    const holder = files.find(({ config }) => config[part]) ?? files[0];
    change(holder?.path ?? home, (config) => ({ ...config, [part]: value }));
  }
  return plan;
}

function planSection<S extends Section>(
  section: S,
  {
    before,
    after,
    files,
    home,
    change,
  }: {
    readonly before: Kubeconfig;
    readonly after: Kubeconfig;
    readonly files: readonly KubeconfigFile[];
    readonly home: string;
    readonly change: (path: string, act: (config: Kubeconfig) => Kubeconfig) => void;
  },
): void {
  const old = entriesOf(before, section);
  const now = entriesOf(after, section);
  const holding = (isIt: (name: string, entry: SectionValues[S]) => boolean): string | undefined =>
    files.find(({ config }) =>
      [...entriesOf(config, section)].some(([name, entry]) => isIt(name, entry)),
    )?.path;
  const edited = (path: string, act: (entries: Map<string, SectionValues[S]>) => void): void =>
    change(path, (config) => {
      const entries = entriesOf(config, section);
      act(entries);
      return withEntries(config, section, entries);
    });
  for (const [name, entry] of now) {
    if (sameJson(entry, old.get(name))) continue;
    // A renamed entry stays in its file.
    const path =
      holding((known) => known === name) ?? holding((_, known) => known === entry) ?? home;
    edited(path, (entries) => void entries.set(name, entry));
  }
  for (const name of old.keys()) {
    if (now.has(name)) continue;
    const path = holding((known) => known === name);
    if (path !== undefined) edited(path, (entries) => void entries.delete(name));
  }
}

/** Replaces a file atomically; a new file is readable by its owner only, an existing one keeps its mode. */
async function writeKubeconfig(path: string, config: Kubeconfig): Promise<void> {
  const isThere = await exists(path);
  const real = isThere ? await realpath(path) : path;
  const mode = isThere ? (await stat(real)).mode & 0o777 : 0o600;
  await writePrivateFile(real, formatKubeconfig(config));
  if (mode !== 0o600) await chmod(real, mode);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
