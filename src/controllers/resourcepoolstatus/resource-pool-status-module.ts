import { ResourcePoolStatusRequest } from "../../api/resource/v1alpha3/resource-pool-status-request.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { resourcePoolStatusController } from "./resource-pool-status-controller.ts";

export const resourcePoolStatusModule = controllerModule({
  name: "resourcepoolstatusrequest-controller",
  create: () => ({
    run: [
      whereServed({
        name: "resourcepoolstatusrequest-controller",
        kinds: [ResourcePoolStatusRequest],
        create: () => resourcePoolStatusController,
      }),
    ],
  }),
});
