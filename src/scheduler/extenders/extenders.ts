import type { Log } from "../../base/log.ts";
import type { Diagnosis } from "../framework/diagnosis.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import { maxNodeScore } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Snapshot } from "../framework/snapshot.ts";
import { status } from "../framework/status.ts";
import type { Candidate } from "../plugins/default-preemption/candidate.ts";
import type { Extender } from "./extender.ts";

/** By this name extenders reject pods, as if they were a plugin. */
export const extenderName = "Extender";

/** The highest score of an extender. */
const maxExtenderScore = 10;

/** All extenders of a scheduler; those that may fail are called last. */
export class Extenders {
  readonly #extenders: readonly Extender[];
  readonly #log: Log;

  constructor(extenders: readonly Extender[], log: Log) {
    this.#extenders = extenders.toSorted((a, b) => Number(a.isIgnorable) - Number(b.isIgnorable));
    this.#log = log;
  }

  get size(): number {
    return this.#extenders.length;
  }

  /** Whether all nodes that fit matter, since an extender filters or scores them. */
  get compareNodes(): boolean {
    return this.#extenders.some(({ filters, prioritizes }) => filters || prioritizes);
  }

  /** Whether an extender filters nodes for a pod. */
  filterFor = (pod: PodInfo): boolean => this.#interested(pod, "filters").length > 0;
  prioritizeFor = (pod: PodInfo): boolean => this.#interested(pod, "prioritizes").length > 0;
  preemptFor = (pod: PodInfo): boolean => this.#interested(pod, "preempts").length > 0;

  /** Returns the nodes that all extenders leave; each gets those that the one before it has left. */
  async filter(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    diagnosis: Diagnosis,
  ): Promise<readonly NodeInfo[]> {
    let left = nodes;
    for (const extender of this.#interested(pod, "filters")) {
      if (left.length === 0) break;
      const current = left;
      const result = await this.#attempt(extender, () => extender.filter(pod, current));
      if (!result) continue;
      for (const [node, reason] of result.failed)
        diagnosis.nodes.set(node, status("Unschedulable", reason));
      for (const [node, reason] of result.unresolvable)
        diagnosis.nodes.set(node, status("UnschedulableAndUnresolvable", reason));
      left = result.nodes;
    }
    if (left.length !== nodes.length) diagnosis.unschedulablePlugins.add(extenderName);
    return left;
  }

  /** Adds the scores of all extenders, on the scale of plugins; those that fail give none. */
  async addScores(pod: PodInfo, nodes: readonly NodeInfo[], totals: number[]): Promise<void> {
    const scores = await Promise.all(
      this.#interested(pod, "prioritizes").map((extender) =>
        extender.prioritize(pod, nodes).catch((error: unknown) => {
          this.#log.debug("extender gave no scores", { extender: extender.name, error });
          return [];
        }),
      ),
    );
    const added = new Map<string, number>();
    for (const { node, score } of scores.flat())
      added.set(node, (added.get(node) ?? 0) + score * (maxNodeScore / maxExtenderScore));
    for (const [i, { name }] of nodes.entries())
      totals[i] = (totals[i] ?? 0) + (added.get(name) ?? 0);
  }

  /** Returns the candidates for preemption that all extenders leave. */
  async preempt(
    pod: PodInfo,
    candidates: readonly Candidate[],
    snapshot: Snapshot,
  ): Promise<readonly Candidate[]> {
    let left = candidates;
    for (const extender of this.#interested(pod, "preempts")) {
      if (left.length === 0) break;
      const current = left;
      const found = await this.#attempt(extender, () => extender.preempt(pod, current, snapshot));
      if (!found) continue;
      const idle = found.find(({ victims }) => victims.length === 0);
      if (idle && !extender.isIgnorable)
        throw new Error(`expected at least one victim pod on node "${idle.node}"`);
      left = found.filter(({ victims }) => victims.length > 0);
    }
    return left;
  }

  /** Binds a pod by an extender; returns false if none does. */
  async bind(pod: PodInfo, node: string): Promise<boolean> {
    for (const extender of this.#interested(pod, "binds")) {
      const isBound = await this.#attempt(extender, async () => {
        await extender.bind(pod, node);
        return true;
      });
      if (isBound) return true;
    }
    return false;
  }

  close(): void {
    for (const extender of this.#extenders) extender.close();
  }

  #interested(
    pod: PodInfo,
    what: "filters" | "prioritizes" | "preempts" | "binds",
  ): readonly Extender[] {
    if (this.#extenders.length === 0) return this.#extenders;
    return this.#extenders.filter((extender) => extender[what] && extender.isInterested(pod));
  }

  /** Returns undefined if an extender fails that may be ignored. */
  async #attempt<T>(extender: Extender, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      this.#log.info("skipping an extender that failed", { extender: extender.name, error });
      return undefined;
    }
  }
}
