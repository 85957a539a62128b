import { type PodHost, PodSetUpError } from "../pod/pod-host.ts";
import type { ReferenceReader } from "../pod/reference-reader.ts";
import { missingVolume } from "./missing-volume.ts";

/** The host of simulated pods: it has no volumes, but waits for the objects that volumes refer to. */
export const simulatedPodHost = (references: ReferenceReader): PodHost => ({
  async setUp(pod, { isStarting }) {
    const missing = isStarting ? await missingVolume(pod, references) : undefined;
    if (missing !== undefined) throw new PodSetUpError("FailedMount", missing);
  },
  sandbox: async (config) => config,
  container: async (config) => config,
  terminationMessage: async () => undefined,
  removeLogs: async () => {},
  tearDown: async () => {},
  remove: async () => {},
  podUids: async () => [],
});
