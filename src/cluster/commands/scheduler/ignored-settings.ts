import type { SettingWithoutEffect } from "../../flags/settings-without-effect.ts";

/**
 * Settings of a file that have no effect. Delete a row when its setting is implemented. Two have no row, because their
 * default is not to be told from their absence: profiles never include lock contention (enableContentionProfiling),
 * and informers never start before the scheduler leads (delayCacheUntilActive).
 */
export const ignoredSettings: Readonly<Record<string, SettingWithoutEffect>> = {
  parallelism: { accepted: [16], because: "nodes are examined one after the other" },
  "clientConnection.acceptContentTypes": {
    accepted: ["", "application/json"],
    because: "responses of the API server are read as JSON",
  },
  "clientConnection.contentType": {
    accepted: ["", "application/vnd.kubernetes.protobuf", "application/json"],
    because: "requests to the API server are encoded as JSON",
  },
};
