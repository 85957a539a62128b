import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { deploymentController } from "./deployment-controller.ts";

export const deploymentModule = controllerModule({
  name: "deployment-controller",
  aliases: ["deployment"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-deployment-syncs",
      field: "DeploymentController.ConcurrentDeploymentSyncs",
      usage: "how many deployments are worked on at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [deploymentController] }),
});
