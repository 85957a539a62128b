import { stringFlag } from "../../../../cli/flag.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createCronJobCommand = createObjectCommand({
  command: {
    name: "cronjob",
    aliases: ["cj"],
    usage: "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    short: "Create a cron job with the specified name",
    long: "Create a cron job with the given name.",
    examples: `# Create a cron job
kubectl create cronjob my-job --image=busybox --schedule="*/1 * * * *"

# Create a cron job that runs a command
kubectl create cronjob my-job --image=busybox --schedule="*/1 * * * *" -- date`,
    requiredFlags: ["image", "schedule"],
  },
  flags: {
    image: stringFlag({ usage: "The image to run." }),
    schedule: stringFlag({ usage: "When jobs are started, in the format of cron." }),
    restart: stringFlag({
      usage: "Whether containers that fail are started again: OnFailure or Never",
    }),
  },
  kind: { group: "batch", version: "v1", kind: "CronJob", plural: "cronjobs", scope: "Namespaced" },
  failure: () => "failed to create cronjob: ",
  generate({ name, namespace, flags, rest }) {
    const { image, schedule, restart } = flags;
    const container = { name, image, ...(rest.length > 0 && { command: rest }), resources: {} };
    const pod = {
      containers: [container],
      restartPolicy: restart || "OnFailure",
    };
    const jobTemplate = { metadata: { name }, spec: { template: { metadata: {}, spec: pod } } };
    const spec = { schedule, jobTemplate };
    return newObject("batch/v1 CronJob", { name, namespace }, { spec, status: {} });
  },
});
