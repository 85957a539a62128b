import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Fault, Faults, FaultyCall } from "../testing/faults/fault.ts";
import type { Chance } from "./convergence.test-support.ts";

/** Faults that befall the controllers of a seed. */
export interface InjectedFaults {
  /** Whether the controllers were killed since this was asked last. */
  hasCrashed(): boolean;
  count(): number;
  /** From now on nothing goes wrong any more. */
  end(): void;
}

/** Has calls fail, come late, lose their answers and kill their callers, as often as the seed has it. */
export function injectFaults(faults: Faults, chance: Chance): InjectedFaults {
  const { number, happens, pick } = chance;
  const rate = pick([0, 0.02, 0.1, 0.3]);
  let count = 0;
  let isCrashed = false;
  const likely =
    (share: number) =>
    (call: FaultyCall): boolean => {
      const isMet = call.component === "controllers" && happens(rate * share);
      if (isMet) count++;
      return isMet;
    };
  const add = (share: number, fault: Fault): void =>
    void faults.add({ calls: likely(share), fault });
  add(0.2, { type: "fail" });
  add(0.2, { type: "fail", error: new StatusError("InternalError", "broken") });
  add(0.1, { type: "fail", error: new StatusError("ServiceUnavailable", "not now") });
  add(0.3, { type: "lose-response" });
  for (const ms of [1, 300, 5000, 20_000]) add(0.07, { type: "delay", ms });
  add(0.3, { type: "break", afterMs: number(1, 30_000) });
  add(0.1, { type: "expire" });
  for (const when of ["before", "after"] as const)
    faults.add({
      calls: (call) => {
        const isMet = !isCrashed && likely(0.02)(call);
        isCrashed ||= isMet;
        return isMet;
      },
      fault: { type: "crash", when },
    });
  return {
    hasCrashed() {
      const was = isCrashed;
      isCrashed = false;
      return was;
    },
    count: () => count,
    end: () => faults.clear(),
  };
}
