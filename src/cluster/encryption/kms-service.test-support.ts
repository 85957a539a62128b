import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { kmsMethods } from "./kms-service.ts";

/** A key management service whose key ids stand for keys of AES; it counts its calls. */
export async function serveKms(path: string, keys = new Map<string, Buffer>()) {
  const calls = { encrypt: 0, decrypt: 0 };
  let [current, healthz] = ["k1", "ok"];
  const keyOf = (id: string): Buffer => {
    const key = keys.get(id) ?? randomBytes(32);
    keys.set(id, key);
    return key;
  };
  const note = { key: "version.example.com", value: new TextEncoder().encode("1") };
  const served = await serveGrpcSocket(path, [
    unaryHandler(kmsMethods.status, async () => ({ version: "v2", healthz, key_id: current })),
    unaryHandler(kmsMethods.encrypt, async ({ plaintext }) => {
      calls.encrypt++;
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(current), nonce);
      const sealed = [nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
      return { ciphertext: Buffer.concat(sealed), key_id: current, annotations: [note] };
    }),
    unaryHandler(kmsMethods.decrypt, async ({ ciphertext, key_id, annotations }) => {
      calls.decrypt++;
      if (annotations[0]?.key !== note.key) throw new Error("the annotation is missing");
      const decipher = createDecipheriv("aes-256-gcm", keyOf(key_id), ciphertext.subarray(0, 12));
      decipher.setAuthTag(ciphertext.subarray(-16));
      const plaintext = decipher.update(ciphertext.subarray(12, -16));
      return { plaintext: Buffer.concat([plaintext, decipher.final()]) };
    }),
  ]);
  return {
    calls,
    close: () => served.close(),
    use(id: string) {
      current = id;
    },
    sicken() {
      healthz = "no hardware";
    },
  };
}
