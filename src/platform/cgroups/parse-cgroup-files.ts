import type { IoStats, Pressure, PressureTimes } from "./cgroup-stats.ts";

/** Reads lines of a name and a number, such as those of `memory.stat`. */
export function parseFlat(text: string): Record<string, number> {
  const result: Record<string, number> = {};
  for (const line of text.split("\n")) {
    const [name, value] = line.split(" ");
    if (name && value !== undefined && /^-?\d+$/.test(value)) result[name] = Number(value);
  }
  return result;
}

/** Reads a limit: absent for `max`, and for the number that version 1 has instead. */
export function parseLimit(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return value >= noLimit ? undefined : value;
}

/** Version 1 rounds 2^63 - 1 down to pages, which differ in size. */
const noLimit = 2 ** 62;

/** Reads a number; zero if a file is missing or empty. */
export const parseCount = (text: string): number => Number(/^\d+/.exec(text.trim())?.[0] ?? 0);

/** Reads a large number; zero if a file is missing or empty. */
export const parseBigCount = (text: string): bigint => BigInt(/^\d+/.exec(text.trim())?.[0] ?? 0);

/** Reads a file such as `cpu.pressure`; undefined if the kernel does not have it. */
export function parsePressure(text: string): Pressure | undefined {
  const lines = new Map(text.split("\n").map((line) => [line.split(" ")[0], line]));
  const some = pressureTimes(lines.get("some"));
  return some && { some, full: pressureTimes(lines.get("full")) };
}

function pressureTimes(line: string | undefined): PressureTimes | undefined {
  const of = (name: string): string | undefined =>
    new RegExp(` ${name}=([\\d.]+)`).exec(line ?? "")?.[1];
  const total = of("total");
  if (total === undefined) return undefined;
  const average = (name: string): number => Number(of(name) ?? 0);
  return {
    avg10: average("avg10"),
    avg60: average("avg60"),
    avg300: average("avg300"),
    totalNs: BigInt(total) * 1000n,
  };
}

/** Reads `io.stat` of version 2. */
export function parseIoStat(text: string): readonly IoStats[] {
  return text.split("\n").flatMap((line) => {
    const device = /^(\d+):(\d+) /.exec(line);
    if (!device) return [];
    const of = (name: string): number => Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? 0);
    return {
      major: Number(device[1]),
      minor: Number(device[2]),
      readBytes: of("rbytes"),
      writeBytes: of("wbytes"),
      reads: of("rios"),
      writes: of("wios"),
    };
  });
}

/** Reads the two files of version 1 that count bytes and operations. */
export function parseBlkio(bytes: string, operations: string): readonly IoStats[] {
  const ofBytes = blkioNumbers(bytes);
  const ofOperations = blkioNumbers(operations);
  const devices = new Set([...ofBytes.keys(), ...ofOperations.keys()]);
  return [...devices].map((device) => {
    const [major = 0, minor = 0] = device.split(":").map(Number);
    const sizes = ofBytes.get(device);
    const counts = ofOperations.get(device);
    return {
      major,
      minor,
      readBytes: sizes?.get("Read") ?? 0,
      writeBytes: sizes?.get("Write") ?? 0,
      reads: counts?.get("Read") ?? 0,
      writes: counts?.get("Write") ?? 0,
    };
  });
}

function blkioNumbers(text: string): Map<string, Map<string, number>> {
  const devices = new Map<string, Map<string, number>>();
  for (const [, device = "", what = "", value] of text.matchAll(/^(\d+:\d+) (\w+) (\d+)$/gm)) {
    const numbers = devices.get(device) ?? new Map<string, number>();
    devices.set(device, numbers.set(what, Number(value)));
  }
  return devices;
}
