import { readFile } from "node:fs/promises";
import { UsageError } from "../../cli/parse-flags.ts";
import { fileFault } from "../../kubeconfig/file-fault.ts";
import { validateTracing } from "../../kubelet/config/validate/validate-observing.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import { DocumentError, readDocument, unknownKind } from "../../schema/yaml/read-document.ts";

/** Where traces go, and which. */
export interface TracingSettings {
  /** `HOST:PORT`, or `unix://PATH`. */
  readonly address: string;
  readonly ratePerMillion: number;
}

const versions = ["v1alpha1", "v1beta1", "v1"].map((name) => `apiserver.config.k8s.io/${name}`);
const scheme = "k8s.io/apiserver/pkg/server/options/tracing.go:53";
const usualAddress = "localhost:4317";

/** Reads a TracingConfiguration; throws a UsageError in upstream's words. */
export async function readTracingConfiguration(path: string): Promise<TracingSettings> {
  const fault = (why: string) => new UsageError([`failed to read tracing config: ${why}`]);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw fault(
      `unable to read tracing configuration from ${JSON.stringify(path)}: ${fileFault("open", path, error)}`,
    );
  });
  const document = decoded(text);
  if (typeof document === "string")
    throw fault(`unable to decode tracing configuration data: ${document}`);
  const at = At.root();
  validateTracing(document, at);
  const [problem] = at.errors;
  if (problem)
    throw new UsageError([
      `failed to validate tracing configuration: ${problem.field}: ${problem.message}`,
    ]);
  return tracingSettings(document);
}

/** The settings of a valid configuration; throws a UsageError for an address that cannot be reached. */
export const tracingSettings = (document: Document): TracingSettings => ({
  address: addressOf(document.endpoint || usualAddress),
  ratePerMillion: document.samplingRatePerMillion ?? 0,
});

interface Document {
  readonly endpoint?: string | undefined;
  readonly samplingRatePerMillion?: number | undefined;
}

/** The document of a text, or why it is none. */
function decoded(text: string): Document | string {
  let value: ReadonlyJsonMap;
  try {
    ({ value } = readDocument(text));
    const { kind, apiVersion } = value;
    if (kind !== "TracingConfiguration" || !versions.includes(String(apiVersion)))
      throw unknownKind(value, scheme);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  const { endpoint, samplingRatePerMillion: rate } = value;
  if (endpoint !== undefined && endpoint !== null && typeof endpoint !== "string")
    return "endpoint must be a string";
  if (rate !== undefined && rate !== null && !Number.isInteger(rate))
    return "samplingRatePerMillion must be an integer";
  return {
    ...(typeof endpoint === "string" && { endpoint }),
    ...(typeof rate === "number" && { samplingRatePerMillion: rate }),
  };
}

/** The address as the client of gRPC takes it: names of schemes are gRPC's. */
function addressOf(endpoint: string): string {
  if (endpoint.startsWith("unix:")) return `unix://${endpoint.replace(/^unix:(\/\/)?/, "")}`;
  if (endpoint.startsWith("unix-abstract:"))
    throw new UsageError([
      "tracing to an abstract socket is not supported, because Node.js has none: give the path of a socket",
    ]);
  const place = endpoint.replace(/^dns:(\/\/[^/]*\/)?/, "").replace(/^\/+/, "");
  return /:\d+$/.test(place) ? place : `${place}:443`;
}
