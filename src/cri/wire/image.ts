import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { Image, RegistryAuth } from "../image-service.ts";
import type { AuthConfig, Image as WireImage } from "./messages/image-messages.ts";
import { safeNumber } from "./wrapped-numbers.ts";

/** An image, as a message. */
export const imageToWire = (image: Image): Sent<MessageOf<typeof WireImage>> => ({
  id: image.id,
  repo_tags: image.repoTags,
  repo_digests: image.repoDigests,
  size: BigInt(image.sizeBytes),
  uid: image.uid === undefined ? undefined : { value: image.uid },
  username: image.username,
  spec: { image: image.id },
  pinned: image.pinned,
});

/** An image, from a message. */
export const imageFromWire = (wire: MessageOf<typeof WireImage>): Image => ({
  id: wire.id,
  repoTags: wire.repo_tags,
  repoDigests: wire.repo_digests,
  sizeBytes: safeNumber(wire.size) ?? 0,
  ...(wire.uid && { uid: wire.uid.value }),
  ...(wire.username !== "" && { username: wire.username }),
  pinned: wire.pinned,
});

/** Credentials, as a message. */
export const authToWire = (auth: RegistryAuth): Sent<MessageOf<typeof AuthConfig>> => ({
  username: auth.username,
  password: auth.password,
  auth: auth.auth,
  server_address: auth.serverAddress,
  identity_token: auth.identityToken,
  registry_token: auth.registryToken,
});

/** Credentials, from a message. */
export const authFromWire = (wire: MessageOf<typeof AuthConfig>): RegistryAuth => ({
  ...(wire.username !== "" && { username: wire.username }),
  ...(wire.password !== "" && { password: wire.password }),
  ...(wire.auth !== "" && { auth: wire.auth }),
  ...(wire.server_address !== "" && { serverAddress: wire.server_address }),
  ...(wire.identity_token !== "" && { identityToken: wire.identity_token }),
  ...(wire.registry_token !== "" && { registryToken: wire.registry_token }),
});
