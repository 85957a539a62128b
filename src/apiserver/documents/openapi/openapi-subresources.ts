import { TokenRequest } from "../../../api/authentication/v1/token-request.ts";
import { Scale } from "../../../api/autoscaling/v1/scale.ts";
import type { ServedKind } from "../../../schema/language/kind.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import type { GroupVersionKind } from "../../../schema/openapi/openapi.ts";
import type { Method } from "./openapi-operation.ts";
import {
  attachParameters,
  execParameters,
  logParameters,
  type OpenApiParameter,
  portForwardParameters,
  proxyParameters,
  proxyPathParameter,
} from "./openapi-parameters.ts";

/** How a subresource is documented: as an object that is read and written, or as a connection. */
export type Subresource = ObjectSubresource | Connection;

interface ObjectSubresource {
  readonly name: string;
  readonly gvk: GroupVersionKind;
  readonly verbs: readonly string[];
  /** The name of its schema. */
  readonly schema: string;
}
interface Connection {
  readonly name: string;
  readonly gvk: GroupVersionKind;
  readonly methods: readonly Method[];
  readonly parameters: readonly OpenApiParameter[];
  /** Whether it returns a text instead of a connection. */
  readonly readsText?: true;
  /** The parameter for the rest of the path, if it has one. */
  readonly passesPath?: OpenApiParameter;
}

/** The structs that only subresources have. */
export const subresourceStructs: readonly (GroupVersionKind & { readonly struct: Struct })[] = [
  { group: "autoscaling", kind: "Scale", version: "v1", struct: Scale },
  { group: "authentication.k8s.io", kind: "TokenRequest", version: "v1", struct: TokenRequest },
];

/** The documentation of a subresource; undefined if it has none. */
export function subresourceOf(kind: ServedKind, name: string): Subresource | undefined {
  const { group, version } = kind;
  const connection = connections[`${kind.kind}/${name}`] ?? connections[name];
  if (connection) {
    const options = name === "log" ? kind.kind : `${kind.kind}${connection.options}`;
    return { name, gvk: { group, kind: options, version }, ...connection };
  }
  const other = others[name];
  // Subresources of custom resources have the kind of their object, whatever the response is.
  if (other)
    return { name, ...other, ...(!kind.struct && { gvk: { group, kind: kind.kind, version } }) };
  const verbs = name === "finalize" ? ["update"] : ["get", "patch", "update"];
  const gvk = { group, kind: kind.kind, version };
  return { name, verbs, gvk, schema: kind.form.name };
}

type ConnectionFacts = Omit<Connection, "name" | "gvk"> & { readonly options: string };

const allMethods: readonly Method[] = ["delete", "get", "head", "options", "patch", "post", "put"];

const connections: Readonly<Record<string, ConnectionFacts>> = {
  attach: { options: "AttachOptions", methods: ["get", "post"], parameters: attachParameters },
  exec: { options: "ExecOptions", methods: ["get", "post"], parameters: execParameters },
  portforward: {
    options: "PortForwardOptions",
    methods: ["get", "post"],
    parameters: portForwardParameters,
  },
  proxy: {
    options: "ProxyOptions",
    methods: allMethods,
    parameters: proxyParameters,
    passesPath: proxyPathParameter,
  },
  log: { options: "", methods: ["get"], parameters: logParameters, readsText: true },
};

/** Subresources of another kind than the object's own. */
const others: Readonly<Record<string, Omit<ObjectSubresource, "name">>> = {
  scale: {
    gvk: { group: "autoscaling", kind: "Scale", version: "v1" },
    verbs: ["get", "patch", "update"],
    schema: Scale.name,
  },
  binding: {
    gvk: { group: "", kind: "Binding", version: "v1" },
    verbs: ["create"],
    schema: "io.k8s.api.core.v1.Binding",
  },
  eviction: {
    gvk: { group: "policy", kind: "Eviction", version: "v1" },
    verbs: ["create"],
    schema: "io.k8s.api.policy.v1.Eviction",
  },
  token: {
    gvk: { group: "authentication.k8s.io", kind: "TokenRequest", version: "v1" },
    verbs: ["create"],
    schema: TokenRequest.name,
  },
};
