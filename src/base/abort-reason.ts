/**
 * The reason for aborting work that is no longer needed. It is shared: creating an error, with its
 * stack, costs more than most calls do.
 */
export const abortReason: unknown = new DOMException("This operation was aborted", "AbortError");
