import type { AdmissionPlugin } from "./admission.ts";

/** Admits everything. It exists for command lines that name it. */
export const alwaysAdmit: AdmissionPlugin = { name: "AlwaysAdmit", operations: [] };
