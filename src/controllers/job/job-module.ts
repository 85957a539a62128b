import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { jobController } from "./job-controller.ts";
import { observedJobMetrics } from "./observed-metrics.ts";
import { orphanPodController } from "./orphan-pod-controller.ts";

export const jobModule = controllerModule({
  name: "job-controller",
  aliases: ["job"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-job-syncs",
      field: "JobController.ConcurrentJobSyncs",
      usage: "how many jobs are reconciled at a time",
      default: 5,
    }),
  },
  create: (_, { features }) => ({
    run: [
      jobController({ makesWorkloads: features.has("WorkloadWithJob") }),
      orphanPodController,
      observedJobMetrics,
    ],
  }),
});
