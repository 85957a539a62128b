import type { PluginFactory } from "../framework/plugin.ts";

/** Orders the queue by descending priority, then by waiting time. */
export const prioritySort: PluginFactory = () => ({
  name: "PrioritySort",
  less: (a, b) =>
    a.info.priority > b.info.priority ||
    (a.info.priority === b.info.priority && a.timestamp < b.timestamp),
});
