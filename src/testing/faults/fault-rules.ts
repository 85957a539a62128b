import type { Random } from "../../base/random.ts";
import type { Fault, FaultRule, FaultyCall } from "./fault.ts";

/** The rules that are in force. */
export interface FaultRules {
  add(rule: FaultRule): () => void;
  clear(): void;
  /** What befalls a call; nothing for most. */
  faultOf(call: FaultyCall): Fault | undefined;
}

/** Rules without any; chance decides about those that are not certain. */
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
        if (entry.left <= 0 || !befalls(rule, call)) continue;
        if (rule.chance !== undefined && random.next() >= rule.chance) continue;
        entry.left--;
        return rule.fault;
      }
      return undefined;
    },
  };
}

/** Some faults can only befall a watch; those that a watch cannot have are none. */
function befalls({ calls, fault }: FaultRule, call: FaultyCall): boolean {
  if ((fault.type === "break" || fault.type === "expire") && call.verb !== "watch") return false;
  if (calls === undefined) return true;
  if (typeof calls === "function") return calls(call);
  return Object.entries(calls).every(([name, value]) => call[name as keyof FaultyCall] === value);
}
