import { readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { canonicalKubeconfig } from "../../../../kubeconfig/canonical-kubeconfig.ts";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import {
  entriesOf,
  type Kubeconfig,
  type Section,
  type SectionValues,
  sections,
  withEntries,
} from "../../../../kubeconfig/kubeconfig.ts";
import {
  type KubeconfigPlaces,
  kubeconfigPaths,
  type LoadedKubeconfig,
} from "../../../../kubeconfig/load-kubeconfig.ts";
import { modifyKubeconfig, startingKubeconfig } from "../../../../kubeconfig/modify-kubeconfig.ts";
import { formatKubeconfig, parseKubeconfig } from "../../../../kubeconfig/parse-kubeconfig.ts";
import { sameJson } from "../../../../schema/json/json-value.ts";
import { globalFlags } from "../../../program/global-flags.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { kubeconfigLog } from "../../shared/klog.ts";

/** The kubeconfig that the commands of `kubectl config` read and change. */
export interface ConfigAccess {
  /** Whether a flag names the file. */
  readonly isExplicit: boolean;
  /** The merged kubeconfig of all files; none need exist. */
  read(): Promise<LoadedKubeconfig>;
  /** The file that the flag names, which must exist. */
  readExplicit(): Promise<LoadedKubeconfig>;
  /** The file that messages name: the one to which new entries are written. */
  filename(): Promise<string>;
  /** Writes what an edit changes; it may be called twice, and gets only known fields. */
  modify(
    edit: (config: Kubeconfig) => Kubeconfig | Promise<Kubeconfig>,
    options?: {
      /** Whether paths in changed entries become relative to the file, if it is in a folder above. */
      readonly isRelative?: boolean;
    },
  ): Promise<void>;
}

/** The kubeconfig that the flags and the environment of a command name. */
export function configAccess({
  inherited,
  env,
  cwd,
  io,
  factory,
}: Pick<CommandContext, "inherited" | "env" | "cwd" | "io" | "factory">): ConfigAccess {
  const { kubeconfig: explicit, v } = inherited(globalFlags);
  const onLoaded = kubeconfigLog(v, { io, factory });
  const places: KubeconfigPlaces = { path: explicit || undefined, env, cwd, onLoaded };
  const read = async (): Promise<LoadedKubeconfig> => {
    const loaded = await startingKubeconfig(places);
    return { ...loaded, config: canonicalKubeconfig(loaded.config) };
  };
  return {
    isExplicit: explicit !== "",
    read,
    async readExplicit() {
      const text = await readFile(resolve(cwd, explicit), "utf8").catch((cause: unknown) => {
        throw new Error(fileFault("open", explicit, cause), { cause });
      });
      const config = parseKubeconfig(text);
      onLoaded(explicit);
      return {
        config: canonicalKubeconfig(config),
        files: [{ path: explicit, config }],
        cwd,
      };
    },
    async filename() {
      const paths = kubeconfigPaths(places);
      for (const path of paths.length > 1 ? paths : [])
        if (await exists(resolve(cwd, path))) return path;
      return paths.at(-1) ?? "";
    },
    async modify(edit, { isRelative = true } = {}) {
      // Errors of the edit come before those of locks.
      await edit((await read()).config);
      await modifyKubeconfig(
        places,
        async (config) => {
          const before = canonicalKubeconfig(config);
          return applied({ config, before, after: await edit(before) });
        },
        {
          format: (config) => formatKubeconfig(canonicalKubeconfig(config)),
          ...(isRelative && {
            adapt: (section, entry, path) =>
              relativeEntry(section, entry, resolve(cwd, dirname(path))),
          }),
        },
      );
    },
  };
}

interface Edited {
  /** What the files contain, with unknown fields. */
  readonly config: Kubeconfig;
  readonly before: Kubeconfig;
  readonly after: Kubeconfig;
}

/** The kubeconfig of the files with the changes of an edit; what did not change stays the same value. */
function applied({ config, before, after }: Edited): Kubeconfig {
  let changed = config;
  for (const section of Object.keys(sections) as Section[])
    changed = appliedSection(section, { config: changed, before, after });
  return {
    ...changed,
    "current-context": after["current-context"] ?? "",
    ...(!sameJson(before.preferences ?? {}, after.preferences ?? {}) && {
      preferences: after.preferences ?? {},
    }),
  };
}

function appliedSection<S extends Section>(
  section: S,
  { config, before, after }: Edited,
): Kubeconfig {
  const held = entriesOf(config, section);
  const old = entriesOf(before, section);
  const heldBy = new Map([...old].map(([name, entry]) => [entry, held.get(name)]));
  const entries = new Map<string, SectionValues[S]>();
  const written = entriesOf(canonicalKubeconfig(after), section);
  for (const [name, entry] of entriesOf(after, section)) {
    const text = written.get(name) ?? entry;
    const same = sameJson(text, old.get(name)) ? held.get(name) : heldBy.get(entry);
    entries.set(name, same ?? text);
  }
  return withEntries(config, section, entries);
}

function relativeEntry<S extends Section>(
  section: S,
  entry: SectionValues[S],
  base: string,
): SectionValues[S] {
  const fields = pathFields[section];
  const changed: Record<string, unknown> = { ...entry };
  for (const field of fields) {
    const path = changed[field];
    if (typeof path === "string" && path !== "") changed[field] = relativePath(path, base);
  }
  const exec = changed.exec as { readonly command?: string } | undefined;
  if (exec?.command?.includes(sep))
    changed.exec = { ...exec, command: relativePath(exec.command, base) };
  return changed as SectionValues[S];
}

const pathFields: Readonly<Record<Section, readonly string[]>> = {
  clusters: ["certificate-authority"],
  users: ["client-certificate", "client-key", "tokenFile"],
  contexts: [],
};

/** A path from a folder; one outside of the folder stays absolute. */
function relativePath(path: string, base: string): string {
  const absolute = isAbsolute(path) ? path : join(base, path);
  const way = relative(base, absolute) || ".";
  return way.startsWith(`..${sep}`) ? absolute : way;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
