import { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { storageVersionMigratorController } from "./storage-version-migrator-controller.ts";

/** It runs where its kind is served: `--runtime-config storagemigration.k8s.io/v1beta1=true`. */
export const storageVersionMigratorModule = controllerModule({
  name: "storage-version-migrator-controller",
  aliases: ["svm"],
  rateLimit: { qps: 20, burst: 100 },
  create: () => ({
    run: [
      whereServed({
        name: "storage-version-migrator-controller",
        kinds: [StorageVersionMigration],
        create: () => storageVersionMigratorController,
      }),
    ],
  }),
});
