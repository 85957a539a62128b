import { checkLinearizable, type Timed } from "./check-linearizable.ts";
import { checkLog } from "./check-log.ts";
import { checkOrder } from "./check-order.ts";
import type { History, Read, Recorded, Version, Write } from "./history.ts";
import { keyModel } from "./key-model.ts";

/**
 * Returns the violations in a history that no sequential store could produce; empty if there are none.
 *
 * Each key is checked separately; revisions tie them together: they follow time across all keys, and a
 * list shows all keys at one revision of the log.
 */
export function checkHistory(history: History): string[] {
  const { operations } = history;
  return [...checkKeys(operations), ...checkOrder(operations), ...checkLog(history)];
}

function checkKeys(operations: readonly Recorded[]): string[] {
  const problems: string[] = [];
  for (const [key, ofKey] of byKey(operations)) {
    const result = checkLinearizable(keyModel, ofKey);
    if (result.ok) continue;
    const last = result.order.slice(-3).map(show);
    const stuck = result.stuck.map(show);
    problems.push(
      `no order explains ${key}: after ${result.order.length} of ${ofKey.length} (… ${last.join("; ")}) none of these can come: ${stuck.join("; ")}`,
    );
  }
  return problems;
}

/** The operations on each key; a list is a read of each. */
function byKey(operations: readonly Recorded[]): Map<string, Timed<Read | Write>[]> {
  const keys = new Map<string, Timed<Read | Write>[]>();
  for (const { operation } of operations)
    if (operation.type !== "list") keys.set(operation.key, []);
  for (const { operation, call, return: end } of operations) {
    if (operation.type !== "list") {
      keys.get(operation.key)?.push({ operation, call, return: end });
      continue;
    }
    for (const [key, ofKey] of keys) {
      const read: Read = { type: "read", key, found: operation.found.get(key) };
      ofKey.push({ operation: read, call, return: end });
    }
  }
  return keys;
}

function show({ operation, call, return: end }: Timed<Read | Write>): string {
  const time = `${call.toFixed(2)}–${end.toFixed(2)}`;
  if (operation.type === "read") return `${time} read ${showVersion(operation.found)}`;
  const { value = "a deletion", ifRevision = "any", outcome } = operation;
  const told =
    outcome.type === "done"
      ? `done at ${outcome.revision ?? "?"}`
      : outcome.type === "refused"
        ? `refused for ${outcome.current === "absent" ? "absent" : showVersion(outcome.current)}`
        : "unknown";
  return `${time} ${value} if ${ifRevision}: ${told}`;
}

function showVersion(version: Version | undefined): string {
  return version === undefined ? "nothing" : `${version.value}@${version.revision}`;
}
