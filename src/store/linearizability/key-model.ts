import type { Model } from "./check-linearizable.ts";
import type { Read, Version, Write } from "./history.ts";

/** The state of one key. */
export interface KeyState {
  readonly value: string | undefined;
  /**
   * Undefined if no client knows the revision of the write; the next read that sees the value reveals
   * it.
   */
  readonly revision: number | undefined;
  /** Every later write has a greater revision; so has this one, if its own is unknown. */
  readonly above: number;
}

/**
 * The behaviour of one key: writes succeed if their precondition holds, each with a greater revision.
 */
export const keyModel: Model<KeyState, Read | Write> = {
  initial: { value: undefined, revision: undefined, above: 0 },
  step: (state, operation) =>
    operation.type === "read" ? see(state, operation.found) : write(state, operation),
  key: ({ value, revision, above }) => `${value ?? ""} ${revision ?? "?"} ${above}`,
};

function see(state: KeyState, found: Version | undefined): KeyState | undefined {
  if (found?.value !== state.value) return undefined;
  if (found === undefined) return state;
  const { value, revision } = found;
  const fits = state.revision === undefined ? revision > state.above : revision === state.revision;
  return fits ? { value, revision, above: revision } : undefined;
}

function write(state: KeyState, { value, ifRevision, outcome }: Write): KeyState | undefined {
  if (outcome.type === "refused") {
    if (holds(state, ifRevision) === "yes") return undefined;
    const { current } = outcome;
    return current === undefined ? state : see(state, current === "absent" ? undefined : current);
  }
  if (holds(state, ifRevision) === "no") return undefined;
  const above = Math.max(state.above, ifRevision ?? 0);
  if (value === undefined && state.value === undefined) return state;
  const revision = outcome.type === "done" ? outcome.revision : undefined;
  if (revision === undefined) return { value, revision, above };
  return revision > above ? { value, revision, above: revision } : undefined;
}

function holds(state: KeyState, ifRevision: number | undefined): "yes" | "no" | "maybe" {
  if (ifRevision === undefined) return "yes";
  if (state.value === undefined) return ifRevision === 0 ? "yes" : "no";
  if (state.revision === undefined) return ifRevision > state.above ? "maybe" : "no";
  return state.revision === ifRevision ? "yes" : "no";
}
