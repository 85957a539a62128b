import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { cronJobController } from "./cron-job-controller.ts";

export const cronJobModule = controllerModule({
  name: "cronjob-controller",
  aliases: ["cronjob"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-cron-job-syncs",
      field: "CronJobController.ConcurrentCronJobSyncs",
      usage: "how many cron jobs are reconciled at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [cronJobController] }),
});
