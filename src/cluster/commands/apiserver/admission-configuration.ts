import { dirname, resolve } from "node:path";
import { type GivenFile, readGiven } from "../../../platform/given-files.ts";
import { isMap, member, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { openReviewServer } from "../../serving/review-server.ts";

const apiVersions = ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"];

/** Reads the configurations of admission plugins by name from a file with an AdmissionConfiguration. */
export async function readAdmissionConfiguration(
  file: GivenFile,
): Promise<Readonly<Record<string, unknown>>> {
  const document = await readDocument(file);
  const { kind, apiVersion, plugins = [] } = document;
  if (kind !== "AdmissionConfiguration" || !apiVersions.includes(String(apiVersion)))
    throw new Error(
      `${file.path}, given by --${file.flag}, is not an AdmissionConfiguration of ${apiVersions[0]}: it begins with kind ${quote(String(kind))} and apiVersion ${quote(String(apiVersion))}`,
    );
  const configured = new Map<string, unknown>();
  for (const plugin of Array.isArray(plugins) ? plugins : [plugins]) {
    if (!isMap(plugin) || typeof plugin.name !== "string")
      throw new Error(`${file.path}: each of its plugins must have a name`);
    const { name, path, configuration } = plugin;
    if (configured.has(name)) throw new Error(`${file.path}: plugin ${name} is listed twice`);
    const document = unwrapped(name, configuration ?? (await elsewhere(file, path)));
    configured.set(name, name === "ImagePolicyWebhook" ? await withServer(document) : document);
  }
  return Object.fromEntries(configured);
}

/** The file of this plugin wraps its configuration in a field. */
const unwrapped = (name: string, document: unknown): unknown =>
  name === "PodNodeSelector" && isMap(document)
    ? member(document, "podNodeSelectorPluginConfig")
    : document;

/** Adds the server of the kubeconfig that this configuration names. */
async function withServer(document: unknown): Promise<unknown> {
  const imagePolicy = isMap(document) ? member(document, "imagePolicy") : undefined;
  const policy = isMap(imagePolicy) ? imagePolicy : {};
  const path = member(policy, "kubeConfigFile");
  if (typeof path !== "string" || path === "")
    throw new Error("ImagePolicyWebhook: imagePolicy.kubeConfigFile names no kubeconfig file");
  return { imagePolicy: policy, server: await openReviewServer(path) };
}

/** Reads a configuration from another file, whose path is relative to the first one. */
async function elsewhere(from: GivenFile, path: unknown): Promise<unknown> {
  if (typeof path !== "string" || path === "") return undefined;
  return readDocument({ ...from, path: resolve(dirname(from.path), path) });
}

async function readDocument(file: GivenFile): Promise<ReadonlyJsonMap> {
  const text = await readGiven(file);
  let value: unknown;
  try {
    value = yamlToJson(text);
  } catch (cause) {
    throw new Error(`${file.path}, given by --${file.flag}, is not valid YAML`, { cause });
  }
  if (!isMap(value))
    throw new Error(`${file.path}, given by --${file.flag}, is empty or not a map`);
  return value;
}
