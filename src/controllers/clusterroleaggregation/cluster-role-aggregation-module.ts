import { controllerModule } from "../controller-module.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation-controller.ts";

export const clusterRoleAggregationModule = controllerModule({
  name: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
  create: () => ({ run: [clusterRoleAggregationController] }),
});
