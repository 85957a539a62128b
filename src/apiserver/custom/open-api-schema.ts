/** The name of a model in OpenAPI: the group from back to front, the version and the kind. */
export const modelName = (
  { group, version }: { readonly group: string; readonly version: string },
  kind: string,
): string => `${group.split(".").reverse().join(".")}.${version}.${kind}`;
