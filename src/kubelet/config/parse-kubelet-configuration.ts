import { copyJson } from "../../schema/json/json-value.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { quote } from "../../schema/values/quote.ts";
import { DocumentError, type Parsed } from "../../schema/yaml/read-document.ts";
import { cleanPath } from "./clean-path.ts";
import {
  defaultEvictionHard,
  defaultedConfiguration,
  type KubeletConfigurationInput,
} from "./default-kubelet-configuration.ts";
import type { FeatureGates } from "./feature-gates.ts";
import {
  configurationKind,
  configurationVersion,
  KubeletConfiguration,
} from "./kubelet-configuration.ts";
import { type ConfigurationKind, readConfiguration, strictWarnings } from "./read-configuration.ts";

/**
 * Parses the configuration file of a kubelet and fills in its defaults; paths in it are relative to the
 * folder of the file. Fields that are unknown or repeated are a warning, as they are upstream.
 */
export function parseKubeletConfiguration(
  text: string,
  path: string,
  gates: FeatureGates,
): Parsed<KubeletConfiguration> {
  if (text === "") return { problems: [`kubelet config file ${quote(path)} was empty`] };
  try {
    const { value, strict } = readConfiguration(text, configurationFile);
    const folder = path.slice(0, path.lastIndexOf("/") + 1) || "./";
    const configuration = withAbsolutePaths(defaultedConfiguration(value, gates), folder);
    return { value: withEvictionHard(configuration), warnings: strictWarnings(strict) };
  } catch (error) {
    if (error instanceof DocumentError) return { problems: [`failed to decode: ${error.message}`] };
    throw error;
  }
}

const configurationFile: ConfigurationKind<KubeletConfigurationInput> = {
  struct: KubeletConfiguration,
  kind: configurationKind,
  apiVersion: configurationVersion,
  scheme: "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33",
};

const pathFields = [
  "staticPodPath",
  "tlsCertFile",
  "tlsPrivateKeyFile",
  "resolvConf",
  "volumePluginDir",
  "podLogsDir",
] as const;

/** Makes relative paths absolute; the folder ends in a slash. */
function withAbsolutePaths(
  configuration: KubeletConfiguration,
  folder: string,
): KubeletConfiguration {
  const draft = copyJson(configuration) as Draft<KubeletConfiguration>;
  const isRelative = (path: string | undefined): path is string =>
    path !== undefined && path !== "" && !path.startsWith("/");
  for (const name of pathFields) {
    const path = draft[name];
    if (isRelative(path)) draft[name] = cleanPath(`${folder}${path}`);
  }
  const { x509 } = draft.authentication;
  if (isRelative(x509.clientCAFile)) x509.clientCAFile = cleanPath(`${folder}${x509.clientCAFile}`);
  return draft;
}

/** The hard thresholds have no default of their own: they differ between operating systems. */
function withEvictionHard(configuration: KubeletConfiguration): KubeletConfiguration {
  const { evictionHard, mergeDefaultEvictionSettings } = configuration;
  if (evictionHard !== undefined && !mergeDefaultEvictionSettings) return configuration;
  return { ...configuration, evictionHard: { ...defaultEvictionHard, ...evictionHard } };
}
