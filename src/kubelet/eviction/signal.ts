import type { NodePressure } from "../node/node-findings.ts";

/** What thresholds of eviction look at. */
export type Signal = keyof typeof signals;

/** The resource that a signal is about, in the words of messages. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

const of = (resource: StarvedResource, pressure: NodePressure) => ({ resource, pressure });
const disk = of("ephemeral-storage", "DiskPressure");
const inodes = of("inodes", "DiskPressure");
const memory = of("memory", "MemoryPressure");

const signals = {
  "memory.available": memory,
  "allocatableMemory.available": memory,
  "nodefs.available": disk,
  "nodefs.inodesFree": inodes,
  "imagefs.available": disk,
  "imagefs.inodesFree": inodes,
  "containerfs.available": disk,
  "containerfs.inodesFree": inodes,
  "pid.available": of("pids", "PIDPressure"),
} as const;

export const isSignal = (name: string): name is Signal => Object.hasOwn(signals, name);

/** The resource that is short when a threshold of a signal is met. */
export const resourceOf = (signal: Signal): StarvedResource => signals[signal].resource;

/** The condition of a node on which a threshold of a signal is met. */
export const pressureOf = (signal: Signal): NodePressure => signals[signal].pressure;

/** What a signal observed. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** The latest observation of each signal; of some there may be none. */
export type Observations = ReadonlyMap<Signal, Observation>;

/** Whether a signal counts bytes; the others count inodes or processes. */
export const countsBytes = (signal: Signal): boolean =>
  resourceOf(signal) === "memory" || resourceOf(signal) === "ephemeral-storage";
