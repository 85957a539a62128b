import { bytes, field, int, message, nested, repeated, text } from "../../base/protobuf-message.ts";

/** An entry of a map from text to bytes. */
export const Annotation = message({ key: field(1, text), value: field(2, bytes) });

/** A value under envelope encryption, as it is stored: upstream's message of that name. */
export const EncryptedObject = message({
  encryptedData: field(1, bytes),
  keyID: field(2, text),
  encryptedDEKSource: field(3, bytes),
  annotations: repeated(4, nested(Annotation)),
  encryptedDEKSourceType: field(5, int),
});
