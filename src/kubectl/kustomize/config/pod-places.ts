import { type FieldSpec, fieldSpec } from "./field-spec.ts";

/** Where the kinds that run pods have the specification of a pod. */
const podSpecs: Readonly<Record<string, string>> = {
  Pod: "spec",
  PodTemplate: "template/spec",
  Deployment: "spec/template/spec",
  ReplicaSet: "spec/template/spec",
  ReplicationController: "spec/template/spec",
  DaemonSet: "spec/template/spec",
  StatefulSet: "spec/template/spec",
  Job: "spec/template/spec",
  CronJob: "spec/jobTemplate/spec/template/spec",
};

/** Fields of the pods of some kinds, kind by kind. */
export const podFields = (kinds: readonly string[], paths: readonly string[]): FieldSpec[] =>
  kinds.flatMap((kind) => paths.map((path) => fieldSpec(`${podSpecs[kind]}/${path}`, { kind })));
