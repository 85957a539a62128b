import type { ProjectNames } from "../project-names.ts";

/** An object of the kind. */
export const sampleFile = ({ group, kind }: ProjectNames): string => `apiVersion: ${group}/v1alpha1
kind: ${kind}
metadata:
  name: blue
spec:
  image: nginx:1.29
  replicas: 2
`;
