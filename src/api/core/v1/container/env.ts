import { bool, inline, message, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  isConfigMapKey,
  isDns1123Label,
  isRelaxedEnvVarName,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";
import {
  ObjectFieldSelector,
  ResourceFieldSelector,
  validateObjectFieldSelector,
  validateResourceFieldSelector,
} from "../field-selector.ts";
import { LocalObjectReference } from "../object-reference.ts";
import { validateNoBacksteps } from "../volume/local-path.ts";

export const ConfigMapKeySelector = struct("io.k8s.api.core.v1.ConfigMapKeySelector", {
  ...inline(1, LocalObjectReference),
  key: string(2).always().expected().doc("The key whose value is taken."),
  optional: bool(3).pointer().doc("Whether the config map or its key may be missing."),
})
  .atomic()
  .doc("Names a key of a config map.");
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelector> {}

export const SecretKeySelector = struct("io.k8s.api.core.v1.SecretKeySelector", {
  ...inline(1, LocalObjectReference),
  key: string(2).always().expected().doc("The key whose value is taken."),
  optional: bool(3).pointer().doc("Whether the secret or its key may be missing."),
})
  .atomic()
  .doc("Names a key of a secret.");
export interface SecretKeySelector extends Infer<typeof SecretKeySelector> {}

export const FileKeySelector = struct("io.k8s.api.core.v1.FileKeySelector", {
  volumeName: string(1).always().expected().doc("The volume that holds the file."),
  path: string(2).always().expected().doc("Path of the file within the volume."),
  key: string(3).always().expected().doc("The variable of the file whose value is taken."),
  optional: bool(4).pointer().default(false).doc("Whether the file or its key may be missing."),
})
  .atomic()
  .doc("Names a variable of an environment file in a volume.");
export interface FileKeySelector extends Infer<typeof FileKeySelector> {}

export const EnvVarSource = struct("io.k8s.api.core.v1.EnvVarSource", {
  fieldRef: message(1, ObjectFieldSelector).doc("A field of the pod."),
  resourceFieldRef: message(2, ResourceFieldSelector).doc("A request or limit of a container."),
  configMapKeyRef: message(3, ConfigMapKeySelector).doc("A key of a config map."),
  secretKeyRef: message(4, SecretKeySelector).doc("A key of a secret."),
  fileKeyRef: message(5, FileKeySelector).doc("A variable of a file in a volume."),
}).doc("Where the value of a variable comes from: exactly one place.");
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

export const EnvVar = struct("io.k8s.api.core.v1.EnvVar", {
  name: string(1).always().expected().doc("Name of the variable."),
  value: string(2).doc("Its value, in which $(NAME) stands for another variable."),
  valueFrom: message(3, EnvVarSource).doc("Where its value comes from, instead of value."),
}).doc("A variable of a container's environment.");
export interface EnvVar extends Infer<typeof EnvVar> {}

export const ConfigMapEnvSource = struct("io.k8s.api.core.v1.ConfigMapEnvSource", {
  ...inline(1, LocalObjectReference),
  optional: bool(2).pointer().doc("Whether the config map may be missing."),
}).doc("A config map all of whose keys become variables.");
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

export const SecretEnvSource = struct("io.k8s.api.core.v1.SecretEnvSource", {
  ...inline(1, LocalObjectReference),
  optional: bool(2).pointer().doc("Whether the secret may be missing."),
}).doc("A secret all of whose keys become variables.");
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}

export const EnvFromSource = struct("io.k8s.api.core.v1.EnvFromSource", {
  prefix: string(1).doc("Put before the name of every variable."),
  configMapRef: message(2, ConfigMapEnvSource).doc("The config map to take variables from."),
  secretRef: message(3, SecretEnvSource).doc("The secret to take variables from."),
}).doc("A set of variables for a container's environment.");
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}

/** The rules of a container's own variables. */
export function validateEnv(env: readonly EnvVar[], at: At): void {
  for (const [i, variable] of env.entries()) {
    const here = at.index(i);
    if (!variable.name) here.required("name");
    else here.invalidEach("name", variable.name, isRelaxedEnvVarName(variable.name));
    if (variable.valueFrom)
      validateValueFrom(variable.valueFrom, here.child("valueFrom"), variable.value);
  }
}

/** The rules of a container's sets of variables. */
export function validateEnvFrom(sources: readonly EnvFromSource[], at: At): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const here = at.index(i);
    if (prefix) here.invalidEach("prefix", prefix, isRelaxedEnvVarName(prefix));
    if (configMapRef) validateEnvSource(configMapRef, here.child("configMapRef"));
    if (secretRef) validateEnvSource(secretRef, here.child("secretRef"));
    if (!configMapRef && !secretRef)
      at.invalid("", "", "must specify one of: `configMapRef` or `secretRef`");
    else if (configMapRef && secretRef)
      at.invalid("", "", "may not have more than one field specified at a time");
  }
}

function validateValueFrom(source: EnvVarSource, at: At, value: string | undefined): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) validateObjectFieldSelector(fieldRef, envFields, at.child("fieldRef"));
  if (resourceFieldRef)
    validateResourceFieldSelector(resourceFieldRef, at.child("resourceFieldRef"));
  if (configMapKeyRef) validateKeySelector(configMapKeyRef, at.child("configMapKeyRef"));
  if (secretKeyRef) validateKeySelector(secretKeyRef, at.child("secretKeyRef"));
  if (fileKeyRef) validateFileKeySelector(fileKeyRef, at.child("fileKeyRef"));

  const sources = Object.values(source).filter((given) => given !== undefined).length;
  if (sources === 0) at.invalid("", "", oneSource);
  else if (value) at.invalid("", "", "may not be specified when `value` is not empty");
  else if (sources > 1) at.invalid("", "", "may not have more than one field specified at a time");
}

const oneSource =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

/** The fields of a pod that can become variables. */
const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

function validateEnvSource({ name }: LocalObjectReference, at: At): void {
  if (!name) at.required("name");
  else at.invalidEach("name", name, nameIsDnsSubdomain(name, true));
}

function validateKeySelector(selector: ConfigMapKeySelector | SecretKeySelector, at: At): void {
  const { name = "", key } = selector;
  at.invalidEach("name", name, nameIsDnsSubdomain(name));
  if (!key) at.required("key");
  else at.invalidEach("key", key, isConfigMapKey(key));
}

function validateFileKeySelector({ key, volumeName, path }: FileKeySelector, at: At): void {
  if (!key) at.required("key");
  else at.invalidEach("key", key, isRelaxedEnvVarName(key));
  if (!volumeName) at.required("volumeName");
  else at.invalidEach("volumeName", volumeName, isDns1123Label(volumeName));
  if (!path) at.required("path");
  else validateNoBacksteps(path, at.child("path"));
}
