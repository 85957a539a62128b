import type { AdmissionPlugin } from "./admission.ts";
import { refusal } from "./refusal.ts";

const why = "admission control is denying all modifications";

/** Nothing changes any more. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],

  admit(attributes) {
    throw refusal(attributes, why);
  },

  validate(attributes) {
    throw refusal(attributes, why);
  },
};
