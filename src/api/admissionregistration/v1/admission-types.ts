import {
  type DeclType,
  declBool,
  declDyn,
  declInt,
  declList,
  declMap,
  declObject,
  declString,
  declTimestamp,
  unlimited,
} from "../../../cel/checking/decl-type.ts";

const strings = declList(declString, unlimited);
const labels = declMap(declString, declString, unlimited);

/** What expressions see of the request. */
export function requestType(): DeclType {
  const kind = declObject("kubernetes.GroupVersionKind", {
    group: declString,
    version: declString,
    kind: declString,
  });
  const resource = declObject("kubernetes.GroupVersionResource", {
    group: declString,
    version: declString,
    resource: declString,
  });
  const userInfo = declObject("kubernetes.UserInfo", {
    username: declString,
    uid: declString,
    groups: strings,
    extra: declMap(declString, strings, unlimited),
  });
  return declObject("kubernetes.AdmissionRequest", {
    kind,
    resource,
    subResource: declString,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: declString,
    name: declString,
    namespace: declString,
    operation: declString,
    userInfo,
    dryRun: declBool,
    options: declDyn,
  });
}

/** What expressions see of the namespace that the object is in. */
export function namespaceType(): DeclType {
  const condition = declObject("kubernetes.NamespaceCondition", {
    status: declString,
    type: declString,
    lastTransitionTime: declTimestamp,
    message: declString,
    reason: declString,
  });
  const metadata = declObject("kubernetes.NamespaceMetadata", {
    name: declString,
    generateName: declString,
    namespace: declString,
    labels,
    annotations: labels,
    UID: declString,
    creationTimestamp: declTimestamp,
    deletionGracePeriodSeconds: declInt,
    deletionTimestamp: declTimestamp,
    generation: declInt,
    resourceVersion: declString,
    finalizers: strings,
  });
  return declObject("kubernetes.Namespace", {
    metadata,
    spec: declObject("kubernetes.NamespaceSpec", { finalizers: strings }),
    status: declObject("kubernetes.NamespaceStatus", {
      conditions: declList(condition, unlimited),
      phase: declString,
    }),
  });
}
