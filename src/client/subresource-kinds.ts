import type { TokenRequest as TokenRequestStruct } from "../api/authentication/v1/token-request.ts";
import type { Scale as ScaleStruct } from "../api/autoscaling/v1/scale.ts";
import type { Binding as BindingKind } from "../api/core/v1/pod/binding.ts";
import type { Status } from "../api/meta/v1/status.ts";
import type { Eviction as EvictionStruct } from "../api/policy/v1/eviction.ts";
import type { InferInput } from "../schema/language/struct.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** What `scale` speaks: how many there are of something, and how many there should be. */
export const Scale: ResourceKind<Scale, InferInput<typeof ScaleStruct>> = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  scope: "Namespaced",
};
export interface Scale extends ScaleStruct {}

/** What `eviction` of a pod takes; it is answered with whether the pod goes. */
export const Eviction: ResourceKind<Status, InferInput<typeof EvictionStruct>> = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  scope: "Namespaced",
};

/** What `token` of a service account takes, and answers with the token. */
export const TokenRequest: ResourceKind<TokenRequest, InferInput<typeof TokenRequestStruct>> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  scope: "Namespaced",
};
export interface TokenRequest extends TokenRequestStruct {}

/** What `binding` of a pod takes; it is answered with whether the pod is put there. */
export const PodBinding: ResourceKind<Status, NonNullable<(typeof BindingKind)["$input"]>> = {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
};
