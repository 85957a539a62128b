/**
 * Why something is aborted that is simply over. It is made once: making one, with its stack, costs more
 * than most calls do.
 */
export const over: unknown = new DOMException("This operation was aborted", "AbortError");
