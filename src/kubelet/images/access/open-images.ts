import type { ImageAccess } from "./image-access.ts";

export const verifiedRemark = " and can be accessed by the pod";

/** The access to images of nodes that verify nothing: every pod may use each image on its node. */
export const openImages: ImageAccess = {
  remark: verifiedRemark,
  mustPull: async () => false,
  begin: async () => ({ async succeeded() {}, async failed() {} }),
  async prune() {},
};

/** The same where the feature gate is off: nothing is said of access. */
export const unverifiedImages: ImageAccess = { ...openImages, remark: "" };
