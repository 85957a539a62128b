import type { TokenRequest as TokenRequestStruct } from "../api/authentication/v1/token-request.ts";
import type { Scale as ScaleStruct } from "../api/autoscaling/v1/scale.ts";
import type { Binding as BindingKind } from "../api/core/v1/pod/binding.ts";
import type { Status } from "../api/meta/v1/status.ts";
import type { Eviction as EvictionStruct } from "../api/policy/v1/eviction.ts";
import type { InferInput } from "../schema/language/struct.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** The kind of the `scale` subresource: current and desired number of replicas. */
export const Scale: ResourceKind<Scale, InferInput<typeof ScaleStruct>> = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  scope: "Namespaced",
};
export interface Scale extends ScaleStruct {}

/** The kind of a pod's `eviction` subresource; the response is a Status. */
export const Eviction: ResourceKind<Status, InferInput<typeof EvictionStruct>> = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  scope: "Namespaced",
};

/** The kind of a service account's `token` subresource; the response contains the token. */
export const TokenRequest: ResourceKind<TokenRequest, InferInput<typeof TokenRequestStruct>> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  scope: "Namespaced",
};
export interface TokenRequest extends TokenRequestStruct {}

/** The kind of a pod's `binding` subresource; the response is a Status. */
export const PodBinding: ResourceKind<Status, NonNullable<(typeof BindingKind)["$input"]>> = {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
};
