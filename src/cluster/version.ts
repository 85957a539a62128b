/** Wherry's own version; a test holds it to package.json's. */
export const version = "0.1.0";

/** The version of Kubernetes whose API this is. */
export const kubernetesVersion = "v1.36.0";
