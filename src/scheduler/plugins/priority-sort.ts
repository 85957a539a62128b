import type { PluginFactory } from "../framework/plugin.ts";

/** Tries the more important pod first, and of equal ones the one that waits longer. */
export const prioritySort: PluginFactory = () => ({
  name: "PrioritySort",
  less: (a, b) =>
    a.info.priority > b.info.priority ||
    (a.info.priority === b.info.priority && a.timestamp < b.timestamp),
});
