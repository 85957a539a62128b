/** Thrown by what an expression asks for, where the answer takes time. */
export class Pending extends Error {
  readonly until: Promise<unknown>;

  constructor(until: Promise<unknown>) {
    super("the evaluation waits for an answer");
    this.until = until;
  }
}

/**
 * Evaluates until nothing is pending. What an expression asked for must be remembered by who answers, so
 * that the next evaluation finds it.
 */
export function settle<T>(evaluate: () => T): T | Promise<T> {
  try {
    return evaluate();
  } catch (fault) {
    if (!(fault instanceof Pending)) throw fault;
    return fault.until.then(() => settle(evaluate));
  }
}
