import { errorMessage } from "../../base/error-message.ts";
import type { WorkOutcome } from "../../controller-runtime/reconcile/run-workers.ts";
import { aggregateMessage } from "../aggregate-message.ts";
import type { Attempt } from "./attempt-to-delete.ts";
import { dependentsOf, type GraphNode, orphanFinalizer } from "./graph-node.ts";
import { referenceText } from "./object-reference.ts";

/** So many dependents are told at a time. */
const atOnce = 100;

/** Has the dependents of an owner forget it, and then lets it go; throws, to be made again. */
export async function attemptToOrphan(
  owner: GraphNode,
  { graph, calls }: Pick<Attempt, "graph" | "calls">,
): Promise<WorkOutcome> {
  if (graph.get(owner.uid) !== owner) return "done";
  const dependents = dependentsOf(owner);
  const faults: string[] = [];
  for (let i = 0; i < dependents.length; i += atOnce)
    await Promise.all(
      dependents.slice(i, i + atOnce).map((dependent) =>
        calls.release(dependent, [owner.uid]).catch((error: unknown) => {
          faults.push(`orphaning ${referenceText(dependent)} failed, ${errorMessage(error)}`);
        }),
      ),
    );
  if (faults.length > 0)
    throw new Error(
      `failed to orphan dependents of owner ${referenceText(owner)}, got errors: ${aggregateMessage(faults)}`,
    );
  await calls.removeFinalizer(owner, orphanFinalizer);
  return "done";
}
