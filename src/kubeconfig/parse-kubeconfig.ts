import { DecodeError, decodeJson } from "../schema/json/decode.ts";
import { isMap, type ReadonlyJsonMap } from "../schema/json/json-value.ts";
import { JsonSyntaxError, stringifyJson } from "../schema/json/strict-json.ts";
import { quote } from "../schema/values/quote.ts";
import { toYaml, YamlError, yamlToJson } from "../schema/yaml/yaml.ts";
import { Kubeconfig, type Section } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

/** Parses a kubeconfig from YAML or JSON; unknown fields are kept. */
export function parseKubeconfig(text: string): Kubeconfig {
  const document = readDocument(text);
  if (document === null) return {};
  if (!isMap(document))
    throw new KubeconfigError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonName(document)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  checkKind(document);
  try {
    decodeJson(Kubeconfig, stringifyJson(document));
  } catch (cause) {
    if (cause instanceof DecodeError) throw new KubeconfigError(cause.message, { cause });
    throw cause;
  }
  const config = document as Kubeconfig;
  for (const section of ["clusters", "users", "contexts"] as const) checkNames(config, section);
  return config;
}

/** Writes a kubeconfig as kubectl does: YAML, its keys in order. */
export function formatKubeconfig(config: Kubeconfig): string {
  return toYaml({
    apiVersion: "v1",
    kind: "Config",
    ...config,
    clusters: config.clusters?.length ? config.clusters : null,
    users: config.users?.length ? config.users : null,
    contexts: config.contexts?.length ? config.contexts : null,
    "current-context": config["current-context"] ?? "",
  });
}

function readDocument(text: string): unknown {
  try {
    return yamlToJson(text, { lenient: true });
  } catch (cause) {
    if (cause instanceof YamlError) throw new KubeconfigError(`yaml: ${cause.message}`, { cause });
    if (cause instanceof JsonSyntaxError) throw new KubeconfigError(cause.message, { cause });
    throw cause;
  }
}

/** A document without kind and apiVersion is a kubeconfig. */
function checkKind({ kind, apiVersion }: ReadonlyJsonMap): void {
  const name = typeof kind === "string" && kind !== "" ? kind : "Config";
  const version = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : "v1";
  if (name === "Config" && version === "v1") return;
  throw new KubeconfigError(
    `no kind ${quote(name)} is registered for version ${quote(version)} in scheme "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50"`,
  );
}

function jsonName(document: unknown): string {
  if (Array.isArray(document)) return "array";
  return typeof document === "boolean" ? "bool" : typeof document;
}

const goNames: Readonly<Record<Section, readonly [string, string]>> = {
  clusters: ["NamedCluster", "Cluster"],
  users: ["NamedAuthInfo", "AuthInfo"],
  contexts: ["NamedContext", "Context"],
};

function checkNames(config: Kubeconfig, section: Section): void {
  const seen = new Set<string>();
  for (const { name = "" } of config[section] ?? []) {
    const [list, map] = goNames[section];
    // Upstream prints the whole list here, credentials included.
    if (seen.has(name))
      throw new KubeconfigError(
        `error converting *[]${list} into *map[string]*api.${map}: duplicate name "${name}" in list`,
      );
    seen.add(name);
  }
}
