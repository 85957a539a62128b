import type { AdmissionPlugin } from "./admission.ts";
import { rejection } from "./rejection.ts";

const why = "admission control is denying all modifications";

/** Nothing changes any more. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],

  admit(attributes) {
    throw rejection(attributes, why);
  },

  validate(attributes) {
    throw rejection(attributes, why);
  },
};
