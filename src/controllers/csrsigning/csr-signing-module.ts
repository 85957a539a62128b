import { controllerModule } from "../controller-module.ts";
import { durationSetting } from "../controller-setting.ts";
import { csrSigningController } from "./csr-signing-controller.ts";

export const csrSigningModule = controllerModule({
  name: "certificatesigningrequest-signing-controller",
  aliases: ["csrsigning"],
  account: "certificate-controller",
  settings: {
    maxDurationMs: durationSetting({
      flag: "cluster-signing-duration",
      field: "CSRSigningController.ClusterSigningDuration",
      usage: "the maximum validity of signed certificates; requests may ask for less",
      default: 365 * 24 * 3_600_000,
    }),
  },
  create: ({ maxDurationMs }, { certificateSigners: signers }) =>
    Object.keys(signers).length === 0
      ? undefined
      : { run: [csrSigningController({ signers, maxDurationMs })] },
});
