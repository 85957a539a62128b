import {
  bool,
  field,
  maybe,
  message,
  nested,
  repeated,
  text,
  textMap,
  uint64,
} from "../../../base/protobuf-message.ts";
import { ImageSpec, Int64Value } from "./linux-messages.ts";
import { PodSandboxConfig } from "./sandbox-config-messages.ts";
import { FilesystemUsage } from "./stats-messages.ts";

// Images: messages of CRI v1 with upstream's names and numbers.

const ImageFilter = message({ image: maybe(1, nested(ImageSpec)) });
export const ListImagesRequest = message({ filter: maybe(1, nested(ImageFilter)) });
export const Image = message({
  id: field(1, text),
  repo_tags: repeated(2, text),
  repo_digests: repeated(3, text),
  size: field(4, uint64),
  uid: maybe(5, nested(Int64Value)),
  username: field(6, text),
  spec: maybe(7, nested(ImageSpec)),
  pinned: field(8, bool),
});
export const ListImagesResponse = message({ images: repeated(1, nested(Image)) });
export const StreamImagesRequest = message({ filter: maybe(1, nested(ImageFilter)) });
export const StreamImagesResponse = message({ images: repeated(1, nested(Image)) });
export const ImageStatusRequest = message({
  image: maybe(1, nested(ImageSpec)),
  verbose: field(2, bool),
});
export const ImageStatusResponse = message({ image: maybe(1, nested(Image)), info: textMap(2) });
export const AuthConfig = message({
  username: field(1, text),
  password: field(2, text),
  auth: field(3, text),
  server_address: field(4, text),
  identity_token: field(5, text),
  registry_token: field(6, text),
});
export const PullImageRequest = message({
  image: maybe(1, nested(ImageSpec)),
  auth: maybe(2, nested(AuthConfig)),
  sandbox_config: maybe(3, nested(PodSandboxConfig)),
});
export const PullImageResponse = message({ image_ref: field(1, text) });
export const RemoveImageRequest = message({ image: maybe(1, nested(ImageSpec)) });
export const RemoveImageResponse = message({});
export const ImageFsInfoRequest = message({});
export const ImageFsInfoResponse = message({
  image_filesystems: repeated(1, nested(FilesystemUsage)),
  container_filesystems: repeated(2, nested(FilesystemUsage)),
});
