import type { CapabilitySets } from "../container-settings.ts";
import { capabilityNames } from "./capability-names.ts";

/** The capabilities of a container that asks for none. */
const defaults = (
  "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE " +
  "SYS_CHROOT KILL AUDIT_WRITE"
)
  .split(" ")
  .map((name) => `CAP_${name}`);

export interface CapabilityChanges {
  readonly privileged: boolean;
  /** Names with or without `CAP_`, in any case, or `ALL`. */
  readonly add: readonly string[];
  readonly drop: readonly string[];
  /** Names that programs keep which are run by other users than root; they are added, too. */
  readonly addAmbient?: readonly string[] | undefined;
}

/**
 * The capabilities of a container of a pod, by containerd's rules: dropping wins over adding, and names that the
 * node cannot grant are ignored, as runc does.
 */
export function criCapabilities(
  changes: CapabilityChanges,
  grantable: readonly string[],
): CapabilitySets {
  if (changes.privileged) return capabilitySets(grantable, []);
  const ambient = (changes.addAmbient ?? []).map(fullName);
  const add = [...changes.add.map(fullName), ...ambient];
  const drop = changes.drop.map(fullName);
  const start = drop.includes("ALL") ? [] : add.includes("ALL") ? grantable : defaults;
  const names = unique([...start, ...add]).filter(
    (name) => !drop.includes(name) && grantable.includes(name),
  );
  return capabilitySets(
    names,
    names.filter((name) => ambient.includes(name)),
  );
}

/** The capabilities of a container by docker's rules: adding wins over dropping, and an unknown name is rejected. */
export function dockerCapabilities(
  changes: CapabilityChanges,
  grantable: readonly string[],
): CapabilitySets {
  const add = changes.add.map(fullName);
  const drop = changes.drop.map(fullName);
  rejectUnknown("CapAdd", add);
  rejectUnknown("CapDrop", drop);
  if (changes.privileged) return capabilitySets(grantable, []);
  const kept = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !drop.includes(name));
  const names = add.includes("ALL")
    ? kept(grantable)
    : drop.includes("ALL")
      ? add
      : [...kept(defaults), ...add];
  return capabilitySets(
    unique(names).filter((name) => grantable.includes(name)),
    [],
  );
}

/** Capabilities are not inheritable: else programs with such a mark in their file would gain them. */
function capabilitySets(names: readonly string[], ambient: readonly string[]): CapabilitySets {
  return { bounding: names, effective: names, permitted: names, inheritable: ambient, ambient };
}

function fullName(name: string): string {
  const upper = name.toUpperCase();
  return upper === "ALL" || upper.startsWith("CAP_") ? upper : `CAP_${upper}`;
}

function rejectUnknown(field: string, names: readonly string[]): void {
  const unknown = names.find((name) => name !== "ALL" && !capabilityNames.has(name));
  if (unknown !== undefined) {
    throw new Error(`invalid ${field}: unknown capability: ${JSON.stringify(unknown)}`);
  }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
