import { posix } from "node:path";
import { mustRun } from "../run-child.ts";
import type { Cgroups } from "./cgroups.ts";
import { type SliceProperty, sliceProperties, withWholePercents } from "./slice-properties.ts";

/** Calls a method of systemd: its name, its signature, and its arguments. */
export type CallSystemd = (method: string, ...args: readonly string[]) => Promise<unknown>;

/**
 * The cgroups of a host where systemd owns them: what is created, changed and removed are slices, as otherwise
 * systemd would undo it. What systemd has no property for is written to the cgroup itself.
 */
export function systemdCgroups(cgroups: Cgroups, call: CallSystemd = callSystemd): Cgroups {
  const isV2 = cgroups.version === "v2";
  const { version, controllers } = cgroups;
  return {
    ...{ version, controllers },
    exists: (path) => cgroups.exists(path),
    children: (path) => cgroups.children(path),
    pids: (path) => cgroups.pids(path),
    hasOomKill: (path) => cgroups.hasOomKill(path),
    usage: (path) => cgroups.usage(path),
    limits: (path) => cgroups.limits(path),
    stats: (path) => cgroups.stats(path),
    async create(path) {
      const properties = [
        ["Description", "s", `cgroup ${path}`],
        ["Wants", "as", "1", posix.basename(posix.dirname(path)) || "-.slice"],
        ...accounting.map((name) => [name, "b", "true"]),
        ["DefaultDependencies", "b", "false"],
      ];
      await unless(
        /already exists|already loaded/i,
        call(
          ...["StartTransientUnit", "ssa(sv)a(sa(sv))", posix.basename(path), "replace"],
          ...[`${properties.length}`, ...properties.flat(), "0"],
        ),
      );
      await cgroups.create(path);
    },
    async update(path, given) {
      const resources = withWholePercents(given);
      const properties = sliceProperties(resources, isV2);
      if (path.endsWith(".slice") && properties.length > 0)
        await setProperties(posix.basename(path), properties, call);
      await cgroups.update(path, resources);
    },
    async remove(path) {
      if (!(await cgroups.stats(path))) return;
      await unless(/not loaded/i, call("StopUnit", "ss", posix.basename(path), "replace"));
      await cgroups.remove(path);
    },
  };
}

const accounting = ["MemoryAccounting", "CPUAccounting", "TasksAccounting"];

async function setProperties(
  unit: string,
  properties: readonly SliceProperty[],
  call: CallSystemd,
): Promise<void> {
  const given = properties.flatMap(([name, value]) => [name, "t", value]);
  await call("SetUnitProperties", "sba(sv)", unit, "true", `${properties.length}`, ...given);
}

/** Ignores an error that says that nothing is to be done. */
async function unless(pattern: RegExp, calling: Promise<unknown>): Promise<void> {
  try {
    await calling;
  } catch (error) {
    if (!(error instanceof Error && pattern.test(error.message))) throw error;
  }
}

const callSystemd: CallSystemd = (method, ...args) =>
  mustRun("busctl", [
    ...["--system", "call", "org.freedesktop.systemd1", "/org/freedesktop/systemd1"],
    ...["org.freedesktop.systemd1.Manager", method, ...args],
  ]);
