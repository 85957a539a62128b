import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import {
  type ImageAccess,
  type ImageAccessOptions,
  openImageAccess,
} from "../../images/access/image-access.ts";
import { unverifiedImages } from "../../images/access/open-images.ts";
import { openPullRecordFiles, type PullRecordFilesOptions } from "./pull-record-files.ts";

export interface NodeImagesOptions
  extends PullRecordFilesOptions,
    Pick<ImageAccessOptions, "images" | "clock"> {
  readonly configuration: KubeletConfiguration;
  /** The features that are on. */
  readonly features: ReadonlySet<string>;
}

/** Opens what decides which pods may use the images on this node. */
export async function openNodeImages(options: NodeImagesOptions): Promise<ImageAccess> {
  const { configuration: config, features } = options;
  if (!features.has("KubeletEnsureSecretPulledImages")) return unverifiedImages;
  return openImageAccess({
    ...options,
    records: await openPullRecordFiles(options),
    policy: {
      name: config.imagePullCredentialsVerificationPolicy || "NeverVerifyPreloadedImages",
      allowlist: config.preloadedImagesVerificationAllowlist ?? [],
    },
  });
}
