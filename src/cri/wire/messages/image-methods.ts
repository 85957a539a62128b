import {
  ImageFsInfoRequest,
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesRequest,
  ListImagesResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveImageRequest,
  RemoveImageResponse,
  StreamImagesRequest,
  StreamImagesResponse,
} from "./image-messages.ts";
import { methodsOf } from "./method.ts";

const { method, streaming } = methodsOf("ImageService");

/** The methods of CRI's ImageService. */
export const imageMethods = {
  listImages: method("ListImages", ListImagesRequest, ListImagesResponse),
  streamImages: streaming("StreamImages", StreamImagesRequest, StreamImagesResponse),
  imageStatus: method("ImageStatus", ImageStatusRequest, ImageStatusResponse),
  pullImage: method("PullImage", PullImageRequest, PullImageResponse),
  removeImage: method("RemoveImage", RemoveImageRequest, RemoveImageResponse),
  imageFsInfo: method("ImageFsInfo", ImageFsInfoRequest, ImageFsInfoResponse),
};
