import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { At } from "../../../../schema/language/report.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { Pod } from "./pod.ts";

/** What a rule reports, each as `field: message`. */
export function faults(rule: (at: At) => void): readonly string[] {
  const at = At.root();
  rule(at);
  return at.errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
}

/** A pod as it is after decoding and defaulting: one container, and what is given. */
export function podOf({
  metadata = {},
  spec = {},
  status = {},
}: {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
} = {}): Draft<Pod> {
  const pod = normalise(Pod.struct, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", resourceVersion: "1", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
    status,
  })?.value as Draft<Pod> | undefined;
  if (!pod) throw new Error("this is no pod");
  applyDefaults(Pod.struct, pod);
  return pod;
}
