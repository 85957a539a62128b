import { createHmac } from "node:crypto";
import type { HmacSha256 } from "../base/cryptography/hmac-sha256.ts";

/** HMAC with SHA-256 by Node's own cryptography. */
export const hmacSha256: HmacSha256 = (secret, text) =>
  createHmac("sha256", secret).update(text).digest();
