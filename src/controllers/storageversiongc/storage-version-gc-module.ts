import { StorageVersion } from "../../api/apiserverinternal/v1alpha1/storage-version.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { storageVersionGcController } from "./storage-version-gc-controller.ts";

export const storageVersionGcModule = controllerModule({
  name: "storageversion-garbage-collector-controller",
  aliases: ["storage-version-gc"],
  account: "storage-version-garbage-collector",
  create: () => ({
    run: [
      whereServed({
        name: "storageversion-garbage-collector-controller",
        kinds: [StorageVersion],
        create: () => storageVersionGcController,
      }),
    ],
  }),
});
