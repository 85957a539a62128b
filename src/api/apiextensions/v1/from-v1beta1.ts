import { isMap, type JsonMap } from "../../../schema/json/json-value.ts";

/**
 * A definition as upstream stores it to this day, which is in v1beta1: what all versions have in common
 * stands beside them.
 */
export function definitionFromV1beta1(stored: JsonMap): JsonMap {
  const spec = isMap(stored.spec) ? stored.spec : {};
  const { version, validation, subresources, additionalPrinterColumns, ...rest } = spec;
  const { selectableFields, preserveUnknownFields = true, conversion, ...own } = rest;
  const named = version === undefined ? [] : [{ name: version, served: true, storage: true }];
  const versions = Array.isArray(own.versions) && own.versions.length > 0 ? own.versions : named;
  const common = present({
    schema: validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
  });
  return {
    ...stored,
    spec: {
      ...own,
      versions: versions.filter(isMap).map((one) => withColumns({ ...one, ...common })),
      conversion: isMap(conversion) ? conversionFrom(conversion) : { strategy: "None" },
      preserveUnknownFields,
    },
  };
}

function conversionFrom(conversion: JsonMap): JsonMap {
  const { webhookClientConfig, conversionReviewVersions, ...rest } = conversion;
  if (rest.strategy !== "Webhook") return rest;
  const clientConfig = isMap(webhookClientConfig)
    ? { ...webhookClientConfig, ...present({ service: withPort(webhookClientConfig.service) }) }
    : undefined;
  const reviewVersions = conversionReviewVersions ?? ["v1beta1"];
  const webhook = present({ clientConfig, conversionReviewVersions: reviewVersions });
  return { ...rest, webhook };
}

const withPort = (service: unknown): unknown =>
  isMap(service) ? { port: 443, ...service } : undefined;

/** The path of a column was written otherwise. */
function withColumns(version: JsonMap): JsonMap {
  const { additionalPrinterColumns: columns } = version;
  if (!Array.isArray(columns)) return version;
  return {
    ...version,
    additionalPrinterColumns: columns.filter(isMap).map(({ JSONPath, ...column }) => ({
      ...column,
      ...present({ jsonPath: JSONPath }),
    })),
  };
}

const present = (map: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
