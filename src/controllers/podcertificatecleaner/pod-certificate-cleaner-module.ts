import { PodCertificateRequest } from "../../api/certificates/v1beta1/pod-certificate-request.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { podCertificateCleanerController } from "./pod-certificate-cleaner-controller.ts";

export const podCertificateCleanerModule = controllerModule({
  name: "podcertificaterequest-cleaner-controller",
  account: "podcertificaterequestcleaner",
  create: () => ({
    run: [
      whereServed({
        name: "podcertificaterequest-cleaner-controller",
        kinds: [PodCertificateRequest],
        create: () => podCertificateCleanerController,
      }),
    ],
  }),
});
