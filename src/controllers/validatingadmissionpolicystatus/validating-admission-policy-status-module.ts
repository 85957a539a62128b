import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { validatingAdmissionPolicyStatusController } from "./validating-admission-policy-status-controller.ts";

export const validatingAdmissionPolicyStatusModule = controllerModule({
  name: "validatingadmissionpolicy-status-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-validating-admission-policy-status-syncs",
      field: "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
      usage: "how many admission policies are checked at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [validatingAdmissionPolicyStatusController] }),
});
