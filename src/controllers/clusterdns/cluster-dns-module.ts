import { controllerModule } from "../controller-module.ts";
import { clusterDnsController } from "./cluster-dns-controller.ts";

export const clusterDnsModule = controllerModule({
  name: "cluster-dns-endpoints-controller",
  account: "cluster-dns-endpoints",
  isOffByDefault: true,
  create: () => ({ run: [clusterDnsController] }),
});
