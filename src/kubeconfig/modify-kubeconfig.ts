import { chmod, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { writePrivateFile } from "../platform/files.ts";
import { sameJson } from "../schema/json/json-value.ts";
import { isMissing } from "./file-fault.ts";
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
  type LoadedKubeconfig,
  loadKubeconfig,
} from "./load-kubeconfig.ts";
import { formatKubeconfig } from "./parse-kubeconfig.ts";

/** How changes are written. */
export interface WriteOptions {
  /** The text of a file; YAML that keeps unknown fields if not given. */
  format?(config: Kubeconfig): string;
  /** A changed entry as it is written to a file: with paths relative to it, for example. */
  adapt?<S extends Section>(section: S, entry: SectionValues[S], path: string): SectionValues[S];
}

/**
 * Changes the kubeconfig of these locations, and returns it. Each change is written to the file that
 * contains the changed entry, new entries to the first existing file. Unchanged files are not touched.
 */
export async function modifyKubeconfig(
  places: KubeconfigPlaces,
  edit: (config: Kubeconfig) => Kubeconfig | Promise<Kubeconfig>,
  { format = formatKubeconfig, adapt = (_, entry) => entry }: WriteOptions = {},
): Promise<Kubeconfig> {
  const { cwd = "" } = places;
  const paths = kubeconfigPaths(places);
  return withLockedFiles({ paths, cwd }, async () => {
    const { config, files } = await startingKubeconfig(places);
    const after = await edit(config);
    const plan = writePlan({ before: config, after, files, paths, adapt });
    for (const [path, changed] of plan) await writeKubeconfig(resolve(cwd, path), format(changed));
    return after;
  });
}

/** The kubeconfig that is changed: a named file need not exist to be written. */
export async function startingKubeconfig(places: KubeconfigPlaces): Promise<LoadedKubeconfig> {
  const { path, cwd = "" } = places;
  const isNew = path !== undefined && (await stat(resolve(cwd, path)).then(() => false, isMissing));
  return isNew ? { config: {}, files: [], cwd } : loadKubeconfig(places);
}

type Adapt = NonNullable<WriteOptions["adapt"]>;

/** The new content of each file to write. */
function writePlan({
  before,
  after,
  files,
  paths,
  adapt,
}: {
  readonly before: Kubeconfig;
  readonly after: Kubeconfig;
  readonly files: readonly KubeconfigFile[];
  /** The locations of files; earlier ones take precedence. */
  readonly paths: readonly string[];
  readonly adapt: Adapt;
}): Map<string, Kubeconfig> {
  const plan = new Map<string, Kubeconfig>();
  const home = files[0]?.path ?? paths.at(-1) ?? "";
  const change = (path: string, act: (config: Kubeconfig) => Kubeconfig): void => {
    const now = plan.get(path) ?? files.find((file) => file.path === path)?.config ?? {};
    plan.set(path, act(now));
  };
  for (const section of Object.keys(sections) as Section[])
    planSection(section, { before, after, files, home, change, adapt });

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
    adapt,
  }: {
    readonly before: Kubeconfig;
    readonly after: Kubeconfig;
    readonly files: readonly KubeconfigFile[];
    readonly home: string;
    readonly change: (path: string, act: (config: Kubeconfig) => Kubeconfig) => void;
    readonly adapt: Adapt;
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
    edited(path, (entries) => void entries.set(name, adapt(section, entry, path)));
  }
  for (const name of old.keys()) {
    if (now.has(name)) continue;
    const path = holding((known) => known === name);
    if (path !== undefined) edited(path, (entries) => void entries.delete(name));
  }
}

/** Replaces a file atomically; a new file is readable by its owner only, an existing one keeps its mode. */
async function writeKubeconfig(path: string, text: string): Promise<void> {
  const isThere = await exists(path);
  const real = isThere ? await realpath(path) : path;
  const mode = isThere ? (await stat(real)).mode & 0o777 : 0o600;
  await writePrivateFile(real, text);
  if (mode !== 0o600) await chmod(real, mode);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
