import type { At } from "../../../../schema/language/report.ts";
import {
  isConfigMapKey,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";
import type { ConfigMapNodeConfigSource, NodeConfigSource } from "./node-spec.ts";
import type { NodeConfigStatus } from "./node-status.ts";

/** The rules of the configuration that a node is told to use. */
export function validateConfigSource({ configMap }: NodeConfigSource, at: At): void {
  if (!configMap) {
    missing(at);
    return;
  }
  const here = at.child("configMap");
  if (configMap.uid) here.forbidden("uid", "uid must not be set in spec");
  if (configMap.resourceVersion)
    here.forbidden("resourceVersion", "resourceVersion must not be set in spec");
  validateConfigMap(configMap, here);
}

/** The rules of what a node says of its configuration. */
export function validateConfigStatus(status: NodeConfigStatus, at: At): void {
  for (const name of ["assigned", "active", "lastKnownGood"] as const) {
    const source = status[name];
    if (!source) continue;
    const { configMap } = source;
    if (!configMap) {
      missing(at.child(name));
      continue;
    }
    const here = at.child(name).child("configMap");
    if (!configMap.uid) here.required("uid");
    if (!configMap.resourceVersion) here.required("resourceVersion");
    validateConfigMap(configMap, here);
  }
}

function missing(at: At): void {
  at.invalid("", { ConfigMap: null }, "exactly one reference subfield must be non-nil");
}

function validateConfigMap(source: ConfigMapNodeConfigSource, at: At): void {
  const { namespace, name, kubeletConfigKey: key } = source;
  if (!namespace) at.required("namespace");
  else at.invalidEach("namespace", namespace, nameIsDnsLabel(namespace));
  if (!name) at.required("name");
  else at.invalidEach("name", name, nameIsDnsSubdomain(name));
  if (!key) at.required("kubeletConfigKey");
  else at.invalidEach("kubeletConfigKey", key, isConfigMapKey(key));
}
