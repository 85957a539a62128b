import { forbidden } from "../../api/meta/v1/status-error.ts";
import { resourceName } from "../registry.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { podOf } from "./pod.ts";

/** A pod's runtime class exists, and its overhead is the one that the class declares. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",

  admit(attributes) {
    const pod = podOf(attributes);
    if (!pod || attributes.operation !== "CREATE") return;
    const { runtimeClassName, overhead } = pod.spec;
    const refuse = (why: string) =>
      forbidden(resourceName(attributes.address), `pod rejected: ${why}`);
    if (runtimeClassName !== undefined)
      throw refuse(`RuntimeClass "${runtimeClassName}" not found`);
    if (overhead && Object.keys(overhead).length > 0)
      throw refuse("Pod Overhead set without corresponding RuntimeClass defined Overhead");
  },
};
