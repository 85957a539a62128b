/** Where upstream declares these types: the beginning of their names in OpenAPI. */
export const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
