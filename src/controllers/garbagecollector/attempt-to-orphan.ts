import { aggregateMessage } from "../../base/aggregate-message.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { WorkOutcome } from "../../controller-runtime/reconcile/run-workers.ts";
import type { Attempt } from "./attempt-to-delete.ts";
import { dependentsOf, type GraphNode, orphanFinalizer } from "./graph-node.ts";
import { referenceText } from "./object-reference.ts";

/** How many dependents are written at the same time. */
const atOnce = 100;

/** Removes an owner from the owner references of its dependents, then its orphan finalizer; throws to be retried. */
export async function attemptToOrphan(
  owner: GraphNode,
  { graph, calls }: Pick<Attempt, "graph" | "calls">,
): Promise<WorkOutcome> {
  if (graph.get(owner.uid) !== owner) return "done";
  const dependents = dependentsOf(owner);
  const errors: Error[] = [];
  for (let i = 0; i < dependents.length; i += atOnce)
    await Promise.all(
      dependents.slice(i, i + atOnce).map((dependent) =>
        calls.release(dependent, [owner.uid]).catch((error: unknown) => {
          const message = `orphaning ${referenceText(dependent)} failed, ${errorMessage(error)}`;
          errors.push(new Error(message, { cause: error }));
        }),
      ),
    );
  if (errors.length > 0)
    throw new AggregateError(
      errors,
      `failed to orphan dependents of owner ${referenceText(owner)}, got errors: ${aggregateMessage(errors.map(({ message }) => message))}`,
    );
  await calls.removeFinalizer(owner, orphanFinalizer);
  return "done";
}
