import type { LazyCommand } from "../../../program/kubectl-command.ts";

/** What `kubectl create` can create without a file. */
export const createSubcommands: readonly LazyCommand[] = [];
