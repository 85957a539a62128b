import { existsSync, readFileSync } from "node:fs";
import type { SecurityProfile } from "../../../cri/linux-types.ts";

/** AppArmor as this node has it: the names of its profiles, or undefined if it is off. */
export type LoadedProfiles = ReadonlySet<string> | undefined;

/**
 * The AppArmor profile of a container, undefined for none. The engine brings no profile of its own: a container that
 * names none has none.
 */
export function apparmorProfile(
  profile: SecurityProfile | undefined,
  loaded: LoadedProfiles,
): string | undefined {
  if (profile === undefined || profile.type === "unconfined") return undefined;
  if (loaded === undefined) throw new Error("apparmor is not supported");
  if (profile.type === "runtimeDefault") return undefined;
  const name = profile.ref.replace(/^localhost\//, "");
  if (!loaded.has(name)) throw new Error(`apparmor profile not found ${name}`);
  return name;
}

/**
 * The profiles that the kernel of this node has loaded.
 */
export function loadedProfiles(): LoadedProfiles {
  const profiles = "/sys/kernel/security/apparmor/profiles";
  return existsSync(profiles) ? parseProfiles(readFileSync(profiles, "utf8")) : undefined;
}

/** The names in lines such as `docker-default (enforce)`. */
export function parseProfiles(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split("\n")
      .map((line) => line.replace(/ \(\w+\)$/, ""))
      .filter((name) => name !== ""),
  );
}
