import type { Random } from "../../base/random.ts";
import type { Fault, FaultRule, FaultyCall } from "./fault.ts";

/** The active fault rules. */
export interface FaultRules {
  add(rule: FaultRule): () => void;
  clear(): void;
  /** Returns the fault of a request; undefined for most. */
  faultOf(call: FaultyCall): Fault | undefined;
}

/** Creates an empty set of rules; `random` decides about rules with a chance below 1. */
export function faultRules(random: Random): FaultRules {
  let active: { readonly rule: FaultRule; left: number }[] = [];
  return {
    add(rule) {
      const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
      active.push(entry);
      return () => {
        active = active.filter((one) => one !== entry);
      };
    },
    clear() {
      active = [];
    },
    faultOf(call) {
      for (const entry of active) {
        const { rule } = entry;
        if (entry.left <= 0 || !matches(rule, call)) continue;
        if (rule.chance !== undefined && random.next() >= rule.chance) continue;
        entry.left--;
        return rule.fault;
      }
      return undefined;
    },
  };
}

/** Some faults apply to watches only, and some never do. */
function matches({ calls, fault }: FaultRule, call: FaultyCall): boolean {
  if ((fault.type === "break" || fault.type === "expire") && call.verb !== "watch") return false;
  if (calls === undefined) return true;
  if (typeof calls === "function") return calls(call);
  return Object.entries(calls).every(([name, value]) => call[name as keyof FaultyCall] === value);
}
